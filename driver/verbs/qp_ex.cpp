// SPDX-License-Identifier: Apache-2.0
// Extended posting: requests are built by calls and posted together (ibv_wr_*).
#include <arpa/inet.h>

#include <cstring>

#include "driver/verbs/objects.hpp"

namespace roci::verbs {

/// The requests built since ibv_wr_start.
struct Building {
  std::mutex mutex;  ///< held from start to complete or abort
  std::vector<driver::SendRequest> requests;
  std::vector<std::vector<std::uint8_t>> inlined;  ///< by request
  std::vector<Window*> windows;                    ///< bound by the request, or null
  std::size_t count = 0;
  int error = 0;
};

namespace {

using driver::Opcode;

QueuePair& of(ibv_qp_ex* qp) { return ours<QueuePair>(qp); }

/// The request that ibv_wr_set_* completes; only between start and complete.
driver::SendRequest& last(ibv_qp_ex* qp) {
  Building& building = *of(qp).building;
  return building.requests[building.count - 1];
}

driver::SendRequest& begin(ibv_qp_ex* qp, Opcode opcode) {
  Building& building = *of(qp).building;
  if (building.count == building.requests.size()) {
    building.requests.emplace_back();
    building.inlined.emplace_back();
    building.windows.push_back(nullptr);
  }
  building.inlined[building.count].clear();
  building.windows[building.count] = nullptr;
  driver::SendRequest& request = building.requests[building.count++];
  request = {};
  request.id = qp->wr_id;
  request.opcode = opcode;
  request.signaled = of(qp).signal_all || (qp->wr_flags & IBV_SEND_SIGNALED) != 0;
  request.solicited = (qp->wr_flags & IBV_SEND_SOLICITED) != 0;
  request.fence = (qp->wr_flags & IBV_SEND_FENCE) != 0;
  return request;
}

void begin_remote(ibv_qp_ex* qp, Opcode opcode, std::uint32_t key, std::uint64_t address) {
  driver::SendRequest& request = begin(qp, opcode);
  request.remote_key = key;
  request.remote_address = address;
}

void add_inline(ibv_qp_ex* qp, const void* data, std::size_t bytes) {
  QueuePair& pair = of(qp);
  Building& building = *pair.building;
  std::vector<std::uint8_t>& to = building.inlined[building.count - 1];
  if (bytes > pair.cap.max_inline_data - to.size()) {
    building.error = EINVAL;
    return;
  }
  const auto* from = static_cast<const std::uint8_t*>(data);
  to.insert(to.end(), from, from + bytes);
}

void set_list(ibv_qp_ex* qp, std::size_t count, const ibv_sge* list) {
  std::vector<driver::Sge>& to = last(qp).sges;
  to.clear();
  for (std::size_t i = 0; i < count; ++i) {
    to.push_back({list[i].addr, list[i].length, list[i].lkey});
  }
}

void bind(ibv_qp_ex* qp, ibv_mw* mw, std::uint32_t key, const ibv_mw_bind_info* info) {
  Building& building = *of(qp).building;
  driver::SendRequest& request = begin(qp, Opcode::kBindMw);
  const int error = fill_bind(*mw, key, *info, request);
  if (error != 0) building.error = error;
  building.windows[building.count - 1] = &ours<Window>(mw);
}

/// Posts all requests, or none when one is wrong.
int complete(ibv_qp_ex* qp) {
  QueuePair& pair = of(qp);
  Building& building = *pair.building;
  std::unique_lock<std::mutex> device(device_of(qp->qp_base.context).mutex);
  int error = building.error;
  if (error == 0 && building.count > pair.pair->send_room()) error = ENOMEM;
  for (std::size_t i = 0; i < building.count && error == 0; ++i) {
    driver::SendRequest& request = building.requests[i];
    if (!building.inlined[i].empty()) {
      request.inline_data = building.inlined[i].data();
      request.inline_bytes = static_cast<std::uint32_t>(building.inlined[i].size());
    }
    error = errno_of(pair.pair->check(request));
  }
  if (error == 0) {
    error = errno_of(pair.pair->post_send(building.requests.data(), building.count).error);
    for (std::size_t i = 0; i < building.count && error == 0; ++i) {
      if (building.windows[i] != nullptr) {
        record_bind(device_of(qp->qp_base.context), *building.windows[i], building.requests[i],
                    pair.pair->number());
      }
    }
  }
  device.unlock();
  device_of(qp->qp_base.context).posted();
  building.count = 0;
  building.mutex.unlock();
  return error;
}

}  // namespace

bool fill_qp_ex(QueuePair& pair, std::uint64_t operations) {
  constexpr std::uint64_t kOfUd = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM;
  constexpr std::uint64_t kOfUc = kOfUd | IBV_QP_EX_WITH_RDMA_WRITE |
                                  IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM | IBV_QP_EX_WITH_LOCAL_INV |
                                  IBV_QP_EX_WITH_BIND_MW;
  constexpr std::uint64_t kOfRc =
      kOfUc | IBV_QP_EX_WITH_RDMA_READ | IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP |
      IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD | IBV_QP_EX_WITH_SEND_WITH_INV;
  const driver::Service service = pair.pair->service();
  const std::uint64_t known = service == driver::Service::kUd   ? kOfUd
                              : service == driver::Service::kUc ? kOfUc
                                                                : kOfRc;
  if ((operations & ~known) != 0) return false;
  pair.building = std::make_shared<Building>();
  pair.qp.comp_mask |= Qp::kExtended;
  ibv_qp_ex& qp = pair.qp.qp_ex;

  // The device is not locked meanwhile: a program may allocate a window between start and complete.
  qp.wr_start = [](ibv_qp_ex* qp) {
    of(qp).building->mutex.lock();
    of(qp).building->count = 0;
    of(qp).building->error = 0;
  };
  qp.wr_complete = reporting<complete>;
  qp.wr_abort = [](ibv_qp_ex* qp) {
    of(qp).building->count = 0;
    of(qp).building->mutex.unlock();
  };

  qp.wr_send = [](ibv_qp_ex* qp) { begin(qp, Opcode::kSend); };
  qp.wr_send_imm = [](ibv_qp_ex* qp, __be32 imm) { begin(qp, Opcode::kSendImm).imm = ntohl(imm); };
  qp.wr_send_inv = [](ibv_qp_ex* qp, std::uint32_t key) { begin(qp, Opcode::kSendInv).imm = key; };
  qp.wr_rdma_write = [](ibv_qp_ex* qp, std::uint32_t key, std::uint64_t address) {
    begin_remote(qp, Opcode::kWrite, key, address);
  };
  qp.wr_rdma_write_imm = [](ibv_qp_ex* qp, std::uint32_t key, std::uint64_t address, __be32 imm) {
    begin_remote(qp, Opcode::kWriteImm, key, address);
    last(qp).imm = ntohl(imm);
  };
  qp.wr_rdma_read = [](ibv_qp_ex* qp, std::uint32_t key, std::uint64_t address) {
    begin_remote(qp, Opcode::kRead, key, address);
  };
  qp.wr_atomic_cmp_swp = [](ibv_qp_ex* qp, std::uint32_t key, std::uint64_t address,
                            std::uint64_t compare, std::uint64_t swap) {
    begin_remote(qp, Opcode::kCmpSwap, key, address);
    last(qp).compare = compare;
    last(qp).swap_add = swap;
  };
  qp.wr_atomic_fetch_add = [](ibv_qp_ex* qp, std::uint32_t key, std::uint64_t address,
                              std::uint64_t add) {
    begin_remote(qp, Opcode::kFetchAdd, key, address);
    last(qp).swap_add = add;
  };
  qp.wr_local_inv = [](ibv_qp_ex* qp, std::uint32_t key) {
    begin(qp, Opcode::kLocalInv).remote_key = key;
  };
  qp.wr_bind_mw = bind;

  qp.wr_set_sge = [](ibv_qp_ex* qp, std::uint32_t key, std::uint64_t address,
                     std::uint32_t length) {
    const ibv_sge one{address, length, key};
    set_list(qp, 1, &one);
  };
  qp.wr_set_sge_list = set_list;
  qp.wr_set_ud_addr = [](ibv_qp_ex* qp, ibv_ah* ah, std::uint32_t qpn, std::uint32_t qkey) {
    const int error = fill_destination(ah, qpn, qkey, last(qp));
    if (error != 0) of(qp).building->error = error;
  };
  qp.wr_set_inline_data = [](ibv_qp_ex* qp, void* data, std::size_t bytes) {
    add_inline(qp, data, bytes);
  };
  qp.wr_set_inline_data_list = [](ibv_qp_ex* qp, std::size_t count, const ibv_data_buf* list) {
    for (std::size_t i = 0; i < count; ++i) add_inline(qp, list[i].addr, list[i].length);
  };
  return true;
}

}  // namespace roci::verbs
