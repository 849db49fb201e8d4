// SPDX-License-Identifier: Apache-2.0
// A small user of libibverbs for the tests here: two queue pairs of one process, connected to one
// another over the switch.
#pragma once

#include <infiniband/verbs.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace roci::user {

template <typename Pointer>
Pointer need(Pointer pointer, const char* what) {
  if (pointer == nullptr) throw std::runtime_error(std::string(what) + ": " + std::strerror(errno));
  return pointer;
}

inline void need_zero(int result, const char* what) {
  if (result != 0) throw std::runtime_error(std::string(what) + ": " + std::strerror(result));
}

/// Whether the test runs on this engine, model or rtl, by the environment variable TEST_ENGINE.
inline bool engine_is(const char* name) {
  const char* engine = std::getenv("TEST_ENGINE");
  return engine != nullptr && std::strcmp(engine, name) == 0;
}

/// A device with a protection domain.
struct Device {
  explicit Device(const std::string& name = "roci0") {
    ibv_device** list = need(ibv_get_device_list(nullptr), "device list");
    ibv_device** found = list;
    while (*found != nullptr && name != ibv_get_device_name(*found)) ++found;
    context = need(ibv_open_device(need(*found, "device")), "open device");
    ibv_free_device_list(list);
    pd = need(ibv_alloc_pd(context), "protection domain");
    need_zero(ibv_query_gid(context, 1, 0, &gid), "GID");
  }
  ~Device() {
    ibv_dealloc_pd(pd);
    ibv_close_device(context);
  }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  ibv_context* context;
  ibv_pd* pd;
  ibv_gid gid{};
};

constexpr int kAllAccess = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
                           IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;

/// Memory with a registration.
struct Region {
  Region(ibv_pd* pd, std::size_t size, int access = kAllAccess) : bytes(size) {
    mr = need(ibv_reg_mr(pd, bytes.data(), size, access), "region");
  }
  ~Region() {
    if (mr != nullptr) ibv_dereg_mr(mr);
  }
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;
  std::uint64_t at(std::size_t offset = 0) const {
    return reinterpret_cast<std::uint64_t>(bytes.data()) + offset;
  }
  /// Deregisters the region and keeps the memory.
  void free() { need_zero(ibv_dereg_mr(std::exchange(mr, nullptr)), "deregister"); }

  std::vector<std::uint8_t> bytes;
  ibv_mr* mr;
};

struct Sizes {
  unsigned send = 16, receive = 16, sges = 4, inlined = 64, completions = 64;
  std::uint8_t reads = 4, rnr_retry = 7, timeout = 14;
  ibv_srq* srq = nullptr;
  ibv_cq* cq = nullptr;  ///< instead of one of its own
};

/// A queue pair, with a completion queue of its own unless `sizes` has one.
struct Queue {
  Queue(Device& device, const Sizes& sizes) : device(device), sizes(sizes) {
    cq = sizes.cq != nullptr
             ? sizes.cq
             : need(ibv_create_cq(device.context, static_cast<int>(sizes.completions), nullptr,
                                  nullptr, 0),
                    "completion queue");
    ibv_qp_init_attr init{};
    init.send_cq = init.recv_cq = cq;
    init.srq = sizes.srq;
    init.cap = {sizes.send, sizes.receive, sizes.sges, sizes.sges, sizes.inlined};
    init.qp_type = IBV_QPT_RC;
    init.sq_sig_all = 1;
    qp = need(ibv_create_qp(device.pd, &init), "queue pair");
    cap = init.cap;
  }
  ~Queue() {
    ibv_destroy_qp(qp);
    if (sizes.cq == nullptr) ibv_destroy_cq(cq);
  }
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  static constexpr int kInitMask =
      IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS;
  static constexpr int kRtrMask = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
                                  IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
  static constexpr int kRtsMask = IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
                                  IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC;

  int to_init() {
    ibv_qp_attr attr{};
    attr.qp_state = IBV_QPS_INIT;
    attr.port_num = 1;
    attr.qp_access_flags = kAllAccess;
    return ibv_modify_qp(qp, &attr, kInitMask);
  }
  ibv_qp_attr rtr_attributes(std::uint32_t peer) const {
    ibv_qp_attr attr{};
    attr.qp_state = IBV_QPS_RTR;
    attr.path_mtu = IBV_MTU_1024;
    attr.dest_qp_num = peer;
    attr.max_dest_rd_atomic = sizes.reads;
    attr.min_rnr_timer = 1;
    attr.ah_attr.is_global = 1;
    attr.ah_attr.port_num = 1;
    attr.ah_attr.grh.dgid = device.gid;
    attr.ah_attr.grh.hop_limit = 64;
    return attr;
  }
  int to_rtr(std::uint32_t peer) {
    ibv_qp_attr attr = rtr_attributes(peer);
    return ibv_modify_qp(qp, &attr, kRtrMask);
  }
  ibv_qp_attr rts_attributes() const {
    ibv_qp_attr attr{};
    attr.qp_state = IBV_QPS_RTS;
    attr.timeout = sizes.timeout;
    attr.retry_cnt = 7;
    attr.rnr_retry = sizes.rnr_retry;
    attr.max_rd_atomic = sizes.reads;
    return attr;
  }
  int to_rts() {
    ibv_qp_attr attr = rts_attributes();
    return ibv_modify_qp(qp, &attr, kRtsMask);
  }
  int to(ibv_qp_state state) {
    ibv_qp_attr attr{};
    attr.qp_state = state;
    return ibv_modify_qp(qp, &attr, IBV_QP_STATE);
  }
  ibv_qp_state state() {
    ibv_qp_attr attr{};
    ibv_qp_init_attr init{};
    need_zero(ibv_query_qp(qp, &attr, IBV_QP_STATE, &init), "query");
    return attr.qp_state;
  }

  /// The result of ibv_post_send.
  int post(ibv_send_wr wr, std::uint64_t address, std::uint32_t length, std::uint32_t lkey) {
    ibv_sge sge{address, length, lkey};
    if (wr.sg_list == nullptr) {
      wr.sg_list = &sge;
      wr.num_sge = 1;
    }
    ibv_send_wr* bad = nullptr;
    const int error = ibv_post_send(qp, &wr, &bad);
    if (error != 0 && bad != &wr) throw std::runtime_error("bad_wr is not the rejected request");
    return error;
  }
  int write(const Region& from, const Region& into, std::uint32_t length, std::uint64_t id = 0) {
    ibv_send_wr wr{};
    wr.wr_id = id;
    wr.opcode = IBV_WR_RDMA_WRITE;
    wr.wr.rdma.remote_addr = into.at();
    wr.wr.rdma.rkey = into.mr->rkey;
    return post(wr, from.at(), length, from.mr->lkey);
  }
  int send(const Region& from, std::uint32_t length) {
    ibv_send_wr wr{};
    wr.opcode = IBV_WR_SEND;
    return post(wr, from.at(), length, from.mr->lkey);
  }
  int receive(std::uint64_t address, std::uint32_t length, std::uint32_t lkey) {
    ibv_sge sge{address, length, lkey};
    ibv_recv_wr wr{}, *bad = nullptr;
    wr.sg_list = &sge;
    wr.num_sge = 1;
    return ibv_post_recv(qp, &wr, &bad);
  }
  /// The next completion; throws when none comes. The limit is far above what it takes on a machine
  /// whose other programs leave the simulator a tenth of a processor.
  ibv_wc next(unsigned seconds = 300) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
    ibv_wc wc{};
    for (;;) {
      const int got = ibv_poll_cq(cq, 1, &wc);
      if (got < 0) throw std::runtime_error("poll failed");
      if (got == 1) return wc;
      if (std::chrono::steady_clock::now() > end) throw std::runtime_error("no completion comes");
    }
  }

  Device& device;
  const Sizes sizes;
  ibv_cq* cq;
  ibv_qp* qp;
  ibv_qp_cap cap{};
};

/// A send work request with an opcode; the caller adds its list.
inline ibv_send_wr send_of(ibv_wr_opcode opcode, unsigned flags = 0) {
  ibv_send_wr wr{};
  wr.opcode = opcode;
  wr.send_flags = flags;
  return wr;
}

/// Two queue pairs, ready to send.
struct Pair {
  explicit Pair(Device& device, const Sizes& sizes = {}) : Pair(device, sizes, sizes) {}
  Pair(Device& device, const Sizes& near, const Sizes& far) : a(device, near), b(device, far) {
    for (Queue* queue : {&a, &b}) {
      need_zero(queue->to_init(), "INIT");
      need_zero(queue->to_rtr(queue == &a ? b.qp->qp_num : a.qp->qp_num), "RTR");
      need_zero(queue->to_rts(), "RTS");
    }
  }
  Queue a, b;
};

}  // namespace roci::user
