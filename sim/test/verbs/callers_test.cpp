// SPDX-License-Identifier: Apache-2.0
// Errors of callers, reported as libibverbs specifies: run by `roci exec` on a node.
#include <doctest/doctest.h>
#include <poll.h>
#include <sys/mman.h>

#include "sim/test/verbs/user.hpp"

namespace roci::user {
namespace {

constexpr std::uint32_t kBytes = 4096;

ibv_send_wr request(ibv_wr_opcode opcode, std::uint64_t address = 0, std::uint32_t rkey = 0) {
  ibv_send_wr wr{};
  wr.opcode = opcode;
  wr.wr.rdma.remote_addr = address;
  wr.wr.rdma.rkey = rkey;
  return wr;
}

/// A pair with memory on both sides.
struct World {
  explicit World(const Sizes& sizes = {})
      : pair(device, sizes), near(device.pd, kBytes), far(device.pd, kBytes) {}
  /// Checks that the request fails with `status`, the queue pair enters ERR and the next request is
  /// flushed.
  void fails(const ibv_send_wr& wr, std::uint64_t address, std::uint32_t length, std::uint32_t lkey,
             ibv_wc_status status) {
    CHECK(pair.a.post(wr, address, length, lkey) == 0);
    CHECK(pair.a.write(near, far, 8, 7) == 0);
    CHECK(pair.a.next().status == status);
    const ibv_wc flushed = pair.a.next();
    CHECK(flushed.status == IBV_WC_WR_FLUSH_ERR);
    CHECK(flushed.wr_id == 7);
    CHECK(pair.a.state() == IBV_QPS_ERR);
  }
  Device device;
  Pair pair;
  Region near, far;
};

}  // namespace

TEST_CASE("a full send queue rejects requests, and accepts them again after polling") {
  World w;
  const unsigned size = w.pair.a.cap.max_send_wr;
  for (unsigned round = 0; round < 3; ++round) {
    for (unsigned i = 0; i < size; ++i) CHECK(w.pair.a.write(w.near, w.far, 64, i) == 0);
    CHECK(w.pair.a.write(w.near, w.far, 64) == ENOMEM);
    for (unsigned i = 0; i < size; ++i) {
      const ibv_wc wc = w.pair.a.next();
      CHECK(wc.status == IBV_WC_SUCCESS);
      CHECK(wc.wr_id == i);
    }
  }
}

TEST_CASE("a full receive queue and a full shared one reject requests") {
  World w;
  for (unsigned i = 0; i < w.pair.b.cap.max_recv_wr; ++i) {
    CHECK(w.pair.b.receive(w.far.at(), kBytes, w.far.mr->lkey) == 0);
  }
  CHECK(w.pair.b.receive(w.far.at(), kBytes, w.far.mr->lkey) == ENOMEM);
  ibv_srq_init_attr init{};
  init.attr = {16, 1, 0};
  ibv_srq* srq = need(ibv_create_srq(w.device.pd, &init), "SRQ");
  ibv_sge sge{w.far.at(), kBytes, w.far.mr->lkey};
  ibv_recv_wr wr{}, *bad = nullptr;
  wr.sg_list = &sge;
  wr.num_sge = 1;
  for (unsigned i = 0; i < init.attr.max_wr; ++i) CHECK(ibv_post_srq_recv(srq, &wr, &bad) == 0);
  CHECK(ibv_post_srq_recv(srq, &wr, &bad) == ENOMEM);
  CHECK(bad == &wr);
  CHECK(ibv_destroy_srq(srq) == 0);
}

TEST_CASE("a wrong local key") {
  World w;
  w.fails(request(IBV_WR_SEND), w.near.at(), 64, w.near.mr->lkey ^ 0x155, IBV_WC_LOC_PROT_ERR);
}

TEST_CASE("a deregistered local region") {
  World w;
  Region gone(w.device.pd, kBytes);
  const std::uint32_t key = gone.mr->lkey;
  gone.free();
  w.fails(request(IBV_WR_SEND), gone.at(), 64, key, IBV_WC_LOC_PROT_ERR);
}

TEST_CASE("a deregistered remote region, for WRITE, READ and atomics") {
  for (const ibv_wr_opcode opcode :
       {IBV_WR_RDMA_WRITE, IBV_WR_RDMA_READ, IBV_WR_ATOMIC_FETCH_AND_ADD}) {
    World w;
    Region gone(w.device.pd, kBytes);
    ibv_send_wr wr = request(opcode, gone.at(), gone.mr->rkey);
    if (opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
      wr.wr.atomic = {gone.at(), 1, 0, gone.mr->rkey};
    }
    gone.free();
    w.fails(wr, w.near.at(), 8, w.near.mr->lkey, IBV_WC_REM_ACCESS_ERR);
    CHECK(w.pair.b.state() == IBV_QPS_ERR);
    CHECK(gone.bytes == std::vector<std::uint8_t>(kBytes, 0));
  }
}

TEST_CASE("beyond the end of a region, local and remote") {
  {
    World w;
    w.fails(request(IBV_WR_RDMA_WRITE, w.far.at(), w.far.mr->rkey), w.near.at(kBytes - 8), 16,
            w.near.mr->lkey, IBV_WC_LOC_PROT_ERR);
  }
  World w;
  w.fails(request(IBV_WR_RDMA_WRITE, w.far.at(kBytes - 8), w.far.mr->rkey), w.near.at(), 16,
          w.near.mr->lkey, IBV_WC_REM_ACCESS_ERR);
  CHECK(w.far.bytes == std::vector<std::uint8_t>(kBytes, 0));
}

TEST_CASE("a region without the right, or of another domain") {
  {
    World w;
    Region reader(w.device.pd, kBytes, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ);
    w.fails(request(IBV_WR_RDMA_WRITE, reader.at(), reader.mr->rkey), w.near.at(), 16,
            w.near.mr->lkey, IBV_WC_REM_ACCESS_ERR);
  }
  World w;
  ibv_pd* other = need(ibv_alloc_pd(w.device.context), "domain");
  {
    Region foreign(other, kBytes);
    CHECK(ibv_dealloc_pd(other) == EBUSY);
    w.fails(request(IBV_WR_SEND), foreign.at(), 16, foreign.mr->lkey, IBV_WC_LOC_PROT_ERR);
  }
  CHECK(ibv_dealloc_pd(other) == 0);
  CHECK(ibv_reg_mr(w.device.pd, w.near.bytes.data(), 64, IBV_ACCESS_REMOTE_WRITE) == nullptr);
  CHECK(errno == EINVAL);
}

TEST_CASE("a receive with a wrong key, and one that is too short") {
  {
    World w;
    CHECK(w.pair.b.receive(w.far.at(), kBytes, w.far.mr->lkey ^ 0x155) == 0);
    CHECK(w.pair.a.send(w.near, 64) == 0);
    CHECK(w.pair.b.next().status == IBV_WC_LOC_PROT_ERR);
    CHECK(w.pair.a.next().status == IBV_WC_REM_OP_ERR);
  }
  World w;
  CHECK(w.pair.b.receive(w.far.at(), 63, w.far.mr->lkey) == 0);
  CHECK(w.pair.a.send(w.near, 64) == 0);
  CHECK(w.pair.b.next().status == IBV_WC_LOC_LEN_ERR);
  CHECK(w.pair.a.next().status == IBV_WC_REM_INV_REQ_ERR);
}

TEST_CASE("no receive is posted") {
  Sizes sizes;
  sizes.rnr_retry = 0;
  World w(sizes);
  w.fails(request(IBV_WR_SEND), w.near.at(), 64, w.near.mr->lkey, IBV_WC_RNR_RETRY_EXC_ERR);
}

TEST_CASE("the responder is in RESET") {
  Sizes sizes;
  sizes.timeout = 8;
  World w(sizes);
  CHECK(w.pair.b.to(IBV_QPS_RESET) == 0);
  w.fails(request(IBV_WR_RDMA_WRITE, w.far.at(), w.far.mr->rkey), w.near.at(), 64, w.near.mr->lkey,
          IBV_WC_RETRY_EXC_ERR);
}

TEST_CASE("an atomic that is not aligned, and a READ where none may be outstanding") {
  {
    World w;
    ibv_send_wr wr = request(IBV_WR_ATOMIC_CMP_AND_SWP);
    wr.wr.atomic = {w.far.at(4), 0, 1, w.far.mr->rkey};
    w.fails(wr, w.near.at(), 8, w.near.mr->lkey, IBV_WC_REM_INV_REQ_ERR);
  }
  Sizes sizes;
  sizes.reads = 0;
  World w(sizes);
  w.fails(request(IBV_WR_RDMA_READ, w.far.at(), w.far.mr->rkey), w.near.at(), 8, w.near.mr->lkey,
          IBV_WC_LOC_QP_OP_ERR);
}

TEST_CASE("states in which a queue pair accepts no requests, and transitions that do not exist") {
  Device device;
  Region region(device.pd, kBytes);
  Queue queue(device, {});
  CHECK(queue.receive(region.at(), 64, region.mr->lkey) == EINVAL);
  CHECK(queue.send(region, 64) == EINVAL);
  CHECK(queue.to_rtr(queue.qp->qp_num) == EINVAL);
  CHECK(queue.to_rts() == EINVAL);
  CHECK(queue.to_init() == 0);
  CHECK(queue.receive(region.at(), 64, region.mr->lkey) == 0);
  CHECK(queue.send(region, 64) == EINVAL);
  CHECK(queue.to_rts() == EINVAL);
  CHECK(queue.to_rtr(queue.qp->qp_num) == 0);
  CHECK(queue.send(region, 64) == EINVAL);
  CHECK(queue.to_rts() == 0);
  CHECK(queue.to(IBV_QPS_ERR) == 0);
  CHECK(queue.next().status == IBV_WC_WR_FLUSH_ERR);
  CHECK(queue.send(region, 64) == 0);  // accepted and flushed
  CHECK(queue.next().status == IBV_WC_WR_FLUSH_ERR);
  CHECK(queue.receive(region.at(), 64, region.mr->lkey) == 0);
  CHECK(queue.next().status == IBV_WC_WR_FLUSH_ERR);
}

TEST_CASE("malformed requests") {
  World w;
  std::vector<ibv_sge> many(w.pair.a.cap.max_send_sge + 1, {w.near.at(), 8, w.near.mr->lkey});
  ibv_send_wr wr = request(IBV_WR_SEND);
  wr.sg_list = many.data();
  wr.num_sge = static_cast<int>(many.size());
  CHECK(w.pair.a.post(wr, 0, 0, 0) == EINVAL);
  wr = request(IBV_WR_SEND);
  wr.send_flags = IBV_SEND_INLINE;
  CHECK(w.pair.a.post(wr, w.near.at(), w.pair.a.cap.max_inline_data + 1, 0) == EINVAL);
  CHECK(w.pair.a.post(request(static_cast<ibv_wr_opcode>(99)), w.near.at(), 8, w.near.mr->lkey) ==
        EINVAL);
  CHECK(w.pair.a.write(w.near, w.far, 64) == 0);  // nothing was posted
  CHECK(w.pair.a.next().status == IBV_WC_SUCCESS);
}

TEST_CASE("an atomic of other than 8 bytes fails and changes nothing") {
  for (const std::uint32_t bytes : {4u, 9u}) {
    for (const ibv_wr_opcode opcode : {IBV_WR_ATOMIC_FETCH_AND_ADD, IBV_WR_ATOMIC_CMP_AND_SWP}) {
      World w;
      ibv_send_wr wr = request(opcode);
      wr.wr.atomic = {w.far.at(), opcode == IBV_WR_ATOMIC_CMP_AND_SWP ? 0u : 1u, 7, w.far.mr->rkey};
      w.fails(wr, w.near.at(), bytes, w.near.mr->lkey, IBV_WC_LOC_LEN_ERR);
      CHECK(w.far.bytes == std::vector<std::uint8_t>(kBytes, 0));
    }
  }
}

TEST_CASE("objects in use cannot be destroyed, and invalid ones cannot be created") {
  World w;
  CHECK(ibv_dealloc_pd(w.device.pd) == EBUSY);
  CHECK(ibv_destroy_cq(w.pair.a.cq) == EBUSY);
  ibv_qp_init_attr init{};
  init.send_cq = init.recv_cq = w.pair.a.cq;
  init.cap = {1u << 20, 1, 1, 1, 0};
  init.qp_type = IBV_QPT_RC;
  CHECK(ibv_create_qp(w.device.pd, &init) == nullptr);
  CHECK(errno == EINVAL);
  init.cap.max_send_wr = 1;
  // Transport services that the engine does not have.
  for (const ibv_qp_type type : {IBV_QPT_RAW_PACKET, IBV_QPT_XRC_SEND}) {
    init.qp_type = type;
    CHECK(ibv_create_qp(w.device.pd, &init) == nullptr);
    CHECK(errno == EOPNOTSUPP);
  }
  CHECK(ibv_create_cq(w.device.context, 0, nullptr, nullptr, 0) == nullptr);
  CHECK(errno == EINVAL);
}

TEST_CASE("a completion queue that overflows raises an event, and affects no other") {
  World w;
  Sizes sizes;
  sizes.completions = 1;
  sizes.send = 256;
  Pair pair(w.device, sizes);
  for (unsigned i = 0; i < 200; ++i) CHECK(pair.a.write(w.near, w.far, 8) == 0);
  ibv_async_event event{};
  bool reported = false;
  while (!reported) {
    pollfd poller{w.device.context->async_fd, POLLIN, 0};
    REQUIRE(poll(&poller, 1, 10000) == 1);
    REQUIRE(ibv_get_async_event(w.device.context, &event) == 0);
    ibv_ack_async_event(&event);
    reported = event.event_type == IBV_EVENT_CQ_ERR && event.element.cq == pair.a.cq;
  }
  CHECK(w.pair.a.write(w.near, w.far, 64) == 0);
  CHECK(w.pair.a.next().status == IBV_WC_SUCCESS);
}

TEST_CASE("memory that is unmapped while registered, local and remote") {
  for (const bool near : {true, false}) {
    World w;
    void* at = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(at != MAP_FAILED);
    ibv_mr* mr = need(ibv_reg_mr(w.device.pd, at, kBytes, kAllAccess), "region");
    munmap(at, kBytes);
    const auto address = reinterpret_cast<std::uint64_t>(at);
    const ibv_send_wr wr = near ? request(IBV_WR_RDMA_WRITE, w.far.at(), w.far.mr->rkey)
                                : request(IBV_WR_RDMA_WRITE, address, mr->rkey);
    CHECK(w.pair.a.post(wr, near ? address : w.near.at(), 64, near ? mr->lkey : w.near.mr->lkey) ==
          0);
    const ibv_wc_status status = w.pair.a.next().status;
    CHECK(status == (near ? IBV_WC_LOC_PROT_ERR : IBV_WC_REM_OP_ERR));
    CHECK(w.pair.a.state() == IBV_QPS_ERR);
    CHECK(ibv_dereg_mr(mr) == 0);
    Pair other(w.device);
    CHECK(other.a.write(w.near, w.far, 64) == 0);
    CHECK(other.a.next().status == IBV_WC_SUCCESS);
  }
}

}  // namespace roci::user
