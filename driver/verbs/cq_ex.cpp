// SPDX-License-Identifier: Apache-2.0
// Extended polling: one completion at a time, read field by field (ibv_start_poll).
#include <arpa/inet.h>

#include "driver/verbs/objects.hpp"

namespace roci::verbs {
namespace {

Cq& of(ibv_cq_ex* cq) { return ours<Cq>(cq); }

/// Takes the next completion; 0, or ENOENT when there is none.
int take(ibv_cq_ex* ibv) {
  Cq& cq = of(ibv);
  const auto completion = cq.queue->poll();
  if (!completion) return ENOENT;
  OpenDevice& device = device_of(ibv->context);
  if (!device.binding.empty()) end_bind(device, *completion);
  cq.current = *completion;
  ibv->wr_id = completion->id;
  ibv->status = status_of(*completion);
  return 0;
}

int start_poll(ibv_cq_ex* cq, ibv_poll_cq_attr* attr) {
  if (attr->comp_mask != 0) {
    errno = EINVAL;
    return EINVAL;
  }
  OpenDevice& device = device_of(cq->context);
  std::unique_lock<std::mutex> lock(device.mutex);
  const int error = guarded([&] { return take(cq); });
  if (error == ENOENT) {
    device.nothing_found(lock);
    return error;
  }
  device.something_found();
  if (error != 0) errno = error;
  return error;
}

int next_poll(ibv_cq_ex* cq) {
  OpenDevice& device = device_of(cq->context);
  const std::lock_guard<std::mutex> lock(device.mutex);
  const int error = guarded([&] { return take(cq); });
  // The completions returned so far stay valid; the next ibv_start_poll reports the loss.
  if (error == EIO && device.remote().gone()) return ENOENT;
  if (error != 0 && error != ENOENT) errno = error;
  return error;
}

}  // namespace

void fill_cq_ex(ibv_cq_ex& cq, std::uint64_t wc_flags) {
  cq.start_poll = start_poll;
  cq.next_poll = next_poll;
  cq.end_poll = [](ibv_cq_ex*) {};
  cq.read_opcode = [](ibv_cq_ex* cq) { return opcode_of(of(cq).current); };
  cq.read_vendor_err = [](ibv_cq_ex* cq) -> std::uint32_t { return of(cq).current.vendor_err; };
  cq.read_wc_flags = [](ibv_cq_ex* cq) { return flags_of(of(cq).current); };
  if ((wc_flags & IBV_WC_EX_WITH_BYTE_LEN) != 0) {
    cq.read_byte_len = [](ibv_cq_ex* cq) { return of(cq).current.byte_len; };
  }
  if ((wc_flags & IBV_WC_EX_WITH_IMM) != 0) {
    // A key that was invalidated is returned here as well, in host order.
    cq.read_imm_data = [](ibv_cq_ex* cq) -> __be32 {
      const driver::Completion& c = of(cq).current;
      return c.with_inv ? c.imm : htonl(c.imm);
    };
  }
  if ((wc_flags & IBV_WC_EX_WITH_QP_NUM) != 0) {
    cq.read_qp_num = [](ibv_cq_ex* cq) { return of(cq).current.qpn; };
  }
  if ((wc_flags & IBV_WC_EX_WITH_SRC_QP) != 0) {
    cq.read_src_qp = [](ibv_cq_ex* cq) { return of(cq).current.src_qp; };
  }
  // The fields below belong to addresses of InfiniBand links.
  if ((wc_flags & IBV_WC_EX_WITH_SLID) != 0) {
    cq.read_slid = [](ibv_cq_ex*) -> std::uint32_t { return 0; };
  }
  if ((wc_flags & IBV_WC_EX_WITH_SL) != 0) {
    cq.read_sl = [](ibv_cq_ex*) -> std::uint8_t { return 0; };
  }
  if ((wc_flags & IBV_WC_EX_WITH_DLID_PATH_BITS) != 0) {
    cq.read_dlid_path_bits = [](ibv_cq_ex*) -> std::uint8_t { return 0; };
  }
}

}  // namespace roci::verbs
