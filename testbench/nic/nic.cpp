// SPDX-License-Identifier: Apache-2.0
#include "testbench/nic/nic.hpp"

#include <algorithm>
#include <stdexcept>

#include "model/spec/layout/registers.hpp"
#include "testbench/host/memory.hpp"
#include "testbench/link/widths.hpp"
#include "testbench/nic/engine_module.hpp"
#include "testbench/nic/reference.hpp"

namespace roci::testbench {
namespace {

constexpr std::size_t kPostedAccesses = 64;  // posted accesses that a bridge holds

std::uint64_t to_ns(const sc_core::sc_time& time) {
  static const std::uint64_t kTicksPerNs = sc_core::sc_time(1, sc_core::SC_NS).value();
  return time.value() / kTicksPerNs;
}

}  // namespace

Nic::Nic(sc_core::sc_module_name name, LinkDirection& egress, LinkDirection& ingress,
         NicListener& listener)
    : sc_module(name),
      registers("registers"),
      memory("memory"),
      egress_(egress),
      ingress_(ingress),
      listener_(listener) {
  registers.register_b_transport(this, &Nic::b_transport);
  memory.register_invalidate_direct_mem_ptr(this, &Nic::invalidate);
  access_.set_extension(new PasidExtension);
}

bool Nic::is_queue_doorbell(std::uint32_t offset) {
  constexpr layout::Window window = layout::window::kQpDoorbell;
  return offset >= window.offset && offset - window.offset < window.bytes;
}

AxiHost::Found Nic::look_up(std::uint32_t pasid, std::uint64_t address, DirectRange& range) {
  tlm::tlm_generic_payload payload;
  PasidExtension extension;
  extension.pasid = pasid;
  payload.set_extension(&extension);
  payload.set_address(address);
  tlm::tlm_dmi dmi;
  const bool mapped = memory->get_direct_mem_ptr(payload, dmi);
  payload.clear_extension(&extension);
  if (!mapped) {
    if (payload.get_response_status() == tlm::TLM_OK_RESPONSE) return AxiHost::Found::kByCall;
    return payload.get_response_status() == tlm::TLM_GENERIC_ERROR_RESPONSE
               ? AxiHost::Found::kBroken
               : AxiHost::Found::kNothing;
  }
  range = {pasid, dmi.get_start_address(), dmi.get_end_address(), dmi.get_dmi_ptr()};
  return AxiHost::Found::kMapped;
}

bool Nic::transfer(bool write, std::uint32_t pasid, std::uint64_t address, std::uint8_t* data,
                   std::size_t bytes, bool goes_on) {
  auto* extension = access_.get_extension<PasidExtension>();
  extension->pasid = pasid;
  extension->goes_on = goes_on;
  access_.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  access_.set_address(address);
  access_.set_data_ptr(data);
  access_.set_data_length(static_cast<unsigned>(bytes));
  access_.set_streaming_width(static_cast<unsigned>(bytes));
  access_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  sc_core::sc_time no_time = sc_core::SC_ZERO_TIME;  // the bus model has its own latency
  memory->b_transport(access_, no_time);
  return access_.is_response_ok();
}

bool Nic::post_write(std::uint32_t offset, std::uint32_t value, std::uint64_t arrives_ns) {
  if (accesses_.size() >= kPostedAccesses) return false;
  insert({true, offset, value, arrives_ns, nullptr, nullptr});
  return true;
}

void Nic::insert(const Access& access) {
  // An access already on the pins stays first.
  const auto first = accesses_.begin() + (in_access_ ? 1 : 0);
  const auto at =
      std::upper_bound(first, accesses_.end(), access.arrives_ns,
                       [](std::uint64_t ns, const Access& other) { return ns < other.arrives_ns; });
  accesses_.insert(at, access);
}

void Nic::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  if (payload.get_data_length() != 4 || (!payload.is_read() && !payload.is_write())) {
    payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    return;
  }
  while (accesses_.size() >= kPostedAccesses) sc_core::wait(room_);
  auto* word = reinterpret_cast<std::uint32_t*>(payload.get_data_ptr());
  sc_core::sc_event done;
  insert({payload.is_write(), static_cast<std::uint32_t>(payload.get_address()), *word,
          to_ns(sc_core::sc_time_stamp() + delay), payload.is_read() ? &done : nullptr, word});
  if (payload.is_read()) sc_core::wait(done);
  delay = sc_core::SC_ZERO_TIME;
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

void Nic::finish_access(std::uint32_t value) {
  const Access& access = accesses_.front();
  if (access.write) {
    listener_.register_written(access.offset, access.value);
  } else {
    *access.result = value;
    woken_.push_back(access.done);
  }
  if (accesses_.size() == kPostedAccesses) woken_.push_back(&room_);
  accesses_.pop_front();
  in_access_ = false;
}

RtlNic::RtlNic(sc_core::sc_module_name name, const NicConfig& config, LinkDirection& egress,
               LinkDirection& ingress, NicListener& listener)
    : Nic(name, egress, ingress, listener),
      axi_(
          config.axi,
          [this](std::uint32_t pasid, std::uint64_t address, DirectRange& range) {
            return look_up(pasid, address, range);
          },
          [this](bool write, std::uint32_t pasid, std::uint64_t address, std::uint8_t* data,
                 std::size_t bytes) { return transfer(write, pasid, address, data, bytes); },
          [this](const std::string& text) { listener_.bus_fault(text); },
          [this](std::uint64_t address, const std::uint8_t* host, unsigned bytes) {
            listener_.memory_written(address, host, bytes);
          }) {
  if (config.observed) {
    axi_.report_accesses([this](const BusAccess& access) { listener_.bus_access(access); });
  }
}

std::uint64_t RtlNic::wakes_at() const {
  constexpr unsigned kQuietEdges = 2;  // the outputs lag the inputs by an edge
  if (quiet_ < kQuietEdges || in_access_ || !axi_.idle() || !ethernet_out_.empty()) return 0;
  std::uint64_t at = std::min(deadline_, ingress_.next_ns());
  if (!accesses_.empty()) at = std::min(at, accesses_.front().arrives_ns);
  return at;
}

bool has_nic(unsigned width, bool traced) {
  std::string why;
  return load_engine(width, traced, why) != nullptr;
}

std::unique_ptr<Nic> make_nic(Engine engine, unsigned width, const char* name,
                              const NicConfig& config, LinkDirection& egress,
                              LinkDirection& ingress, NicListener& listener) {
  if (!is_width(width)) {
    throw std::invalid_argument("data width " + std::to_string(width) +
                                " bits: no adapter has that");
  }
  if (engine == Engine::kModel) {
    if (!config.trace.empty()) throw std::invalid_argument("the model has no waveforms");
    return std::make_unique<ReferenceNic>(name, config, egress, ingress, listener);
  }
  std::string why;
  const EngineModule* module = load_engine(width, !config.trace.empty(), why);
  if (module == nullptr) throw std::runtime_error(why);
  return module->make(name, config, egress, ingress, listener);
}

}  // namespace roci::testbench
