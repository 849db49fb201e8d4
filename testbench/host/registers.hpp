// SPDX-License-Identifier: Apache-2.0
// The register port of an adapter, as its host accesses it.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <cstdint>
#include <systemc>

namespace roci::testbench {

/// Writes `value` to the register at byte `offset`, or reads it; returns the value of a read.
/// `delay` is the time to the adapter.
template <typename Socket>
std::uint32_t access_register(Socket& port, bool write, std::uint32_t offset, std::uint32_t value,
                              sc_core::sc_time delay) {
  tlm::tlm_generic_payload payload;
  payload.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  payload.set_address(offset);
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
  payload.set_data_length(sizeof value);
  payload.set_streaming_width(sizeof value);
  port->b_transport(payload, delay);
  return value;
}

}  // namespace roci::testbench
