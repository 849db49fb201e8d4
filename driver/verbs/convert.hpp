// SPDX-License-Identifier: Apache-2.0
// Between the structures of libibverbs and those of the driver.
#pragma once

#include <infiniband/verbs.h>

#include "driver/error.hpp"
#include "driver/types.hpp"

namespace roci::verbs {

/// The errno of a rejected command, of an argument out of range, or of exhausted memory; to be
/// called in a catch block.
int errno_of_exception();
/// The errno of a work request that was not posted.
int errno_of(driver::PostError error);

/// False when the adapter does not support the operation.
bool convert(const ibv_send_wr& from, driver::SendRequest& to);
bool convert(const ibv_recv_wr& from, driver::ReceiveRequest& to);
/// Sets all fields that a program may read.
void convert(const driver::Completion& from, ibv_wc& to);
ibv_wc_status status_of(const driver::Completion& completion);
/// Returns the wc_flags of a completion.
unsigned flags_of(const driver::Completion& completion);
/// Returns the ibv_wc_opcode of a completion.
ibv_wc_opcode opcode_of(const driver::Completion& completion);

/// Access rights of a region, window or queue pair; false when `from` has an unknown bit.
bool convert_access(unsigned from, std::uint32_t& to);

driver::Address address_of(const ibv_ah_attr& from);
void convert(const ibv_qp_attr& from, int mask, driver::QpAttributes& to);
void convert(const driver::QpAttributes& from, ibv_qp_attr& to);

}  // namespace roci::verbs
