// SPDX-License-Identifier: Apache-2.0
#include "driver/verbs/convert.hpp"

#include <arpa/inet.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <stdexcept>

#include "model/spec/layout/codes.hpp"

namespace roci::verbs {
namespace {

using driver::Opcode;

void put_list(const ibv_sge* list, int count, std::vector<driver::Sge>& to) {
  to.resize(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    to[static_cast<std::size_t>(i)] = {list[i].addr, list[i].length, list[i].lkey};
  }
}

}  // namespace

int errno_of_exception() {
  try {
    throw;
  } catch (const driver::Error& error) {
    switch (error.status()) {
      case driver::AdminStatus::kNoResource:
        return ENOMEM;
      case driver::AdminStatus::kBusy:
        return EBUSY;
      case driver::AdminStatus::kUnreachable:
        return EHOSTUNREACH;
      case driver::AdminStatus::kBadOpcode:
      case driver::AdminStatus::kUnsupported:
        return EOPNOTSUPP;
      case driver::AdminStatus::kHardwareError:
        return EIO;
      default:
        return EINVAL;
    }
  } catch (const std::invalid_argument&) {
    return EINVAL;
  } catch (const std::bad_alloc&) {
    return ENOMEM;
  } catch (...) {
    return EIO;
  }
}

int errno_of(driver::PostError error) {
  switch (error) {
    case driver::PostError::kNone:
      return 0;
    case driver::PostError::kQueueFull:
      return ENOMEM;
    case driver::PostError::kGone:
      return EIO;
    case driver::PostError::kUnsupported:
      return EOPNOTSUPP;
    default:
      return EINVAL;
  }
}

bool convert(const ibv_send_wr& from, driver::SendRequest& to) {
  to.id = from.wr_id;
  to.signaled = (from.send_flags & IBV_SEND_SIGNALED) != 0;
  to.solicited = (from.send_flags & IBV_SEND_SOLICITED) != 0;
  to.fence = (from.send_flags & IBV_SEND_FENCE) != 0;
  to.inline_data = nullptr;
  to.inline_bytes = 0;
  to.imm = 0;
  to.remote_address = 0;
  to.remote_key = 0;
  switch (from.opcode) {
    case IBV_WR_SEND:
      to.opcode = Opcode::kSend;
      break;
    case IBV_WR_SEND_WITH_IMM:
      to.opcode = Opcode::kSendImm;
      to.imm = ntohl(from.imm_data);
      break;
    case IBV_WR_SEND_WITH_INV:
      to.opcode = Opcode::kSendInv;
      to.imm = from.invalidate_rkey;
      break;
    case IBV_WR_RDMA_WRITE_WITH_IMM:
    case IBV_WR_RDMA_WRITE:
      to.opcode = from.opcode == IBV_WR_RDMA_WRITE ? Opcode::kWrite : Opcode::kWriteImm;
      to.imm = from.opcode == IBV_WR_RDMA_WRITE ? 0 : ntohl(from.imm_data);
      to.remote_address = from.wr.rdma.remote_addr;
      to.remote_key = from.wr.rdma.rkey;
      break;
    case IBV_WR_RDMA_READ:
      to.opcode = Opcode::kRead;
      to.remote_address = from.wr.rdma.remote_addr;
      to.remote_key = from.wr.rdma.rkey;
      break;
    case IBV_WR_ATOMIC_CMP_AND_SWP:
      to.opcode = Opcode::kCmpSwap;
      to.remote_address = from.wr.atomic.remote_addr;
      to.remote_key = from.wr.atomic.rkey;
      to.compare = from.wr.atomic.compare_add;
      to.swap_add = from.wr.atomic.swap;
      break;
    case IBV_WR_ATOMIC_FETCH_AND_ADD:
      to.opcode = Opcode::kFetchAdd;
      to.remote_address = from.wr.atomic.remote_addr;
      to.remote_key = from.wr.atomic.rkey;
      to.swap_add = from.wr.atomic.compare_add;
      break;
    case IBV_WR_LOCAL_INV:
      to.opcode = Opcode::kLocalInv;
      to.remote_key = from.invalidate_rkey;
      to.sges.clear();
      return true;
    case IBV_WR_BIND_MW:  // fill_bind sets the rest
      to.opcode = Opcode::kBindMw;
      to.sges.clear();
      return true;
    default:
      return false;
  }
  put_list(from.sg_list, from.num_sge, to.sges);
  return true;
}

bool convert(const ibv_recv_wr& from, driver::ReceiveRequest& to) {
  if (from.num_sge < 0) return false;
  to.id = from.wr_id;
  put_list(from.sg_list, from.num_sge, to.sges);
  return true;
}

ibv_wc_opcode opcode_of(const driver::Completion& completion) {
  return static_cast<ibv_wc_opcode>(completion.opcode);  // numbered alike
}

unsigned flags_of(const driver::Completion& completion) {
  return (completion.with_imm ? unsigned{IBV_WC_WITH_IMM} : 0) |
         (completion.with_inv ? unsigned{IBV_WC_WITH_INV} : 0) |
         (completion.with_grh ? unsigned{IBV_WC_GRH} : 0);
}

ibv_wc_status status_of(const driver::Completion& completion) {
  static_assert(static_cast<int>(driver::Status::kFatalErr) == IBV_WC_FATAL_ERR &&
                static_cast<int>(driver::Status::kRnrRetryExcErr) == IBV_WC_RNR_RETRY_EXC_ERR);
  // "Memory management operation error" (11.6.2), as libibverbs calls MW_BIND_ERR, is that of an
  // invalidate too; the adapter has one status for it and other errors of the operation. The
  // opcode is undefined after an error.
  constexpr auto kKeyOperation = layout::number(layout::VendorErr::kKeyOperation);
  if (completion.status == driver::Status::kLocQpOpErr && !completion.receive &&
      completion.vendor_err == kKeyOperation) {
    return IBV_WC_MW_BIND_ERR;
  }
  return static_cast<ibv_wc_status>(completion.status);  // numbered alike
}

void convert(const driver::Completion& from, ibv_wc& to) {
  std::memset(&to, 0, sizeof to);
  to.wr_id = from.id;
  to.status = status_of(from);
  to.vendor_err = from.vendor_err;
  to.qp_num = from.qpn;
  // Undefined after an error, but programs use it, at least to distinguish receives from sends.
  const bool flushed = from.status == driver::Status::kWrFlushErr;
  to.opcode = !flushed ? opcode_of(from) : from.receive ? IBV_WC_RECV : IBV_WC_SEND;
  if (!from.ok()) return;
  to.byte_len = from.byte_len;
  to.wc_flags = flags_of(from);
  to.src_qp = from.src_qp;
  if (from.with_inv) {
    to.invalidated_rkey = from.imm;
  } else if (from.with_imm) {
    to.imm_data = htonl(from.imm);
  }
}

bool convert_access(unsigned from, std::uint32_t& to) {
  constexpr unsigned kKnown = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
                              IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC |
                              IBV_ACCESS_MW_BIND | IBV_ACCESS_ZERO_BASED;
  // Relaxed ordering and huge pages are hints that the adapter does not need.
  constexpr unsigned kHints = unsigned{IBV_ACCESS_OPTIONAL_RANGE} | unsigned{IBV_ACCESS_HUGETLB};
  if ((from & ~(kKnown | kHints)) != 0) return false;
  to = from & kKnown;  // numbered alike
  return true;
}

// Fields narrower than their attribute take its low bits, as kernel drivers do (docs/verbs.md).
driver::Address address_of(const ibv_ah_attr& from) {
  constexpr unsigned kPriorityBits = 7;
  constexpr std::uint32_t kFlowLabelBits = 0xFFFFF;
  driver::Address to;
  to.sl = from.sl & kPriorityBits;
  to.sgid_index = from.grh.sgid_index;
  to.hop_limit = from.grh.hop_limit;
  to.traffic_class = from.grh.traffic_class;
  to.flow_label = from.grh.flow_label & kFlowLabelBits;
  std::memcpy(to.dgid.data(), from.grh.dgid.raw, to.dgid.size());
  return to;
}

void convert(const ibv_qp_attr& from, int mask, driver::QpAttributes& to) {
  constexpr unsigned kTimerBits = 0x1F, kRetryBits = 7;
  constexpr std::uint32_t kNumberBits = 0xFFFFFF;
  to.state = static_cast<driver::QpState>(from.qp_state);
  to.cur_state = static_cast<driver::QpState>(from.cur_qp_state);
  to.path_mtu = static_cast<std::uint8_t>(from.path_mtu);
  if ((mask & IBV_QP_ACCESS_FLAGS) != 0) to.access = from.qp_access_flags;
  to.pkey_index = from.pkey_index;
  to.port = from.port_num;
  to.timeout = from.timeout & kTimerBits;
  to.retry_cnt = from.retry_cnt & kRetryBits;
  to.rnr_retry = from.rnr_retry & kRetryBits;
  to.min_rnr_timer = from.min_rnr_timer & kTimerBits;
  to.max_rd_atomic = from.max_rd_atomic;
  to.max_dest_rd_atomic = from.max_dest_rd_atomic;
  to.dest_qpn = from.dest_qp_num & kNumberBits;
  to.sq_psn = from.sq_psn & kNumberBits;
  to.rq_psn = from.rq_psn & kNumberBits;
  to.sqd_notify = from.en_sqd_async_notify != 0;
  to.qkey = from.qkey;
  const driver::Address address = address_of(from.ah_attr);
  to.sl = address.sl;
  to.sgid_index = address.sgid_index;
  to.hop_limit = address.hop_limit;
  to.traffic_class = address.traffic_class;
  to.flow_label = address.flow_label;
  to.dgid = address.dgid;
}

void convert(const driver::QpAttributes& from, ibv_qp_attr& to) {
  std::memset(&to, 0, sizeof to);
  to.qp_state = static_cast<ibv_qp_state>(from.state);
  to.cur_qp_state = to.qp_state;
  to.path_mtu = static_cast<ibv_mtu>(from.path_mtu);
  to.path_mig_state = IBV_MIG_MIGRATED;
  to.qp_access_flags = from.access;
  to.pkey_index = from.pkey_index;
  to.port_num = from.port;
  to.timeout = from.timeout;
  to.retry_cnt = from.retry_cnt;
  to.rnr_retry = from.rnr_retry;
  to.min_rnr_timer = from.min_rnr_timer;
  to.max_rd_atomic = from.max_rd_atomic;
  to.max_dest_rd_atomic = from.max_dest_rd_atomic;
  to.dest_qp_num = from.dest_qpn;
  to.sq_psn = from.sq_psn;
  to.rq_psn = from.rq_psn;
  to.qkey = from.qkey;
  to.sq_draining = from.sq_draining ? 1 : 0;
  ibv_ah_attr& ah = to.ah_attr;
  ah.is_global = 1;
  ah.port_num = from.port;
  ah.sl = from.sl;
  ah.grh.sgid_index = from.sgid_index;
  ah.grh.hop_limit = from.hop_limit;
  ah.grh.traffic_class = from.traffic_class;
  ah.grh.flow_label = from.flow_label;
  std::memcpy(ah.grh.dgid.raw, from.dgid.data(), from.dgid.size());
}

}  // namespace roci::verbs
