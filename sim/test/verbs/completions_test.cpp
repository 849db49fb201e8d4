// SPDX-License-Identifier: Apache-2.0
// Extended completions as libibverbs specifies them: run by `roci exec` on a node.
#include <arpa/inet.h>
#include <doctest/doctest.h>

#include <chrono>
#include <map>

#include "sim/test/verbs/user.hpp"

namespace roci::user {
namespace {

constexpr std::uint32_t kBytes = 4096;

/// A completion as the calls of an extended queue return it.
struct Reported {
  std::uint64_t id;
  ibv_wc_status status;
  unsigned flags;
  std::uint32_t bytes, qpn, source, vendor, slid, sl, dlid, imm, key;
};

std::map<ibv_wc_opcode, Reported> poll_two(ibv_cq_ex* cq) {
  std::map<ibv_wc_opcode, Reported> reported;
  ibv_poll_cq_attr attr{};
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (reported.size() < 2 && std::chrono::steady_clock::now() < end) {
    int result = ibv_start_poll(cq, &attr);
    if (result == ENOENT) continue;
    REQUIRE(result == 0);
    for (; result == 0; result = ibv_next_poll(cq)) {
      Reported& one = reported[ibv_wc_read_opcode(cq)];
      one = {cq->wr_id,
             cq->status,
             ibv_wc_read_wc_flags(cq),
             ibv_wc_read_byte_len(cq),
             ibv_wc_read_qp_num(cq),
             ibv_wc_read_src_qp(cq),
             ibv_wc_read_vendor_err(cq),
             ibv_wc_read_slid(cq),
             ibv_wc_read_sl(cq),
             ibv_wc_read_dlid_path_bits(cq),
             ntohl(ibv_wc_read_imm_data(cq)),
             ibv_wc_read_invalidated_rkey(cq)};
    }
    CHECK(result == ENOENT);
    ibv_end_poll(cq);
  }
  CHECK(reported.size() == 2);
  return reported;
}

}  // namespace

TEST_CASE("every field of extended completions") {
  Device device;
  ibv_cq_init_attr_ex attr{};
  attr.cqe = 16;
  attr.wc_flags = IBV_WC_STANDARD_FLAGS;
  ibv_cq_ex* cq = need(ibv_create_cq_ex(device.context, &attr), "extended queue");
  Sizes sizes;
  sizes.cq = ibv_cq_ex_to_cq(cq);
  {
    Pair pair(device, sizes);
    Region from(device.pd, kBytes), into(device.pd, kBytes, kAllAccess | IBV_ACCESS_MW_BIND);
    need_zero(pair.b.receive(into.at(), kBytes, into.mr->lkey), "receive");
    ibv_send_wr wr = send_of(IBV_WR_SEND_WITH_IMM);
    wr.wr_id = 77;
    wr.imm_data = htonl(0x12345678);
    CHECK(pair.a.post(wr, from.at(), 100, from.mr->lkey) == 0);
    auto reported = poll_two(cq);
    const Reported sent = reported[IBV_WC_SEND], got = reported[IBV_WC_RECV];
    CHECK(sent.status == IBV_WC_SUCCESS);
    CHECK(sent.id == 77);
    CHECK(sent.qpn == pair.a.qp->qp_num);
    CHECK(sent.flags == 0);
    CHECK(got.status == IBV_WC_SUCCESS);
    CHECK(got.id == 0);
    CHECK(got.qpn == pair.b.qp->qp_num);
    CHECK(got.flags == IBV_WC_WITH_IMM);
    CHECK(got.imm == 0x12345678);
    CHECK(got.bytes == 100);
    // Fields of datagrams and of addresses of InfiniBand links.
    CHECK((got.source | got.slid | got.sl | got.dlid | got.vendor) == 0);

    ibv_mw* mw = need(ibv_alloc_mw(device.pd, IBV_MW_TYPE_2), "window");
    ibv_send_wr bind = send_of(IBV_WR_BIND_MW);
    bind.bind_mw.mw = mw;
    // Only the lower 8 bits of the key are the program's; rdma-core's providers ignore the others.
    const std::uint32_t old_key = mw->rkey;
    bind.bind_mw.rkey = 0x5A5A5A00 | (ibv_inc_rkey(old_key) & 0xFF);
    bind.bind_mw.bind_info = {into.mr, into.at(), 64, IBV_ACCESS_REMOTE_WRITE};
    ibv_sge none{};
    bind.sg_list = &none;
    CHECK(pair.b.post(bind, 0, 0, 0) == 0);
    const std::uint32_t key = mw->rkey;
    CHECK(key == ibv_inc_rkey(old_key));
    need_zero(pair.b.receive(into.at(), kBytes, into.mr->lkey), "receive");
    ibv_send_wr free = send_of(IBV_WR_SEND_WITH_INV);
    free.invalidate_rkey = key;
    ibv_poll_cq_attr poll{};
    int bound = ENOENT;
    while (bound == ENOENT) bound = ibv_start_poll(cq, &poll);
    REQUIRE(bound == 0);
    CHECK(ibv_wc_read_opcode(cq) == IBV_WC_BIND_MW);
    CHECK(cq->status == IBV_WC_SUCCESS);
    ibv_end_poll(cq);
    CHECK(pair.a.post(free, from.at(), 8, from.mr->lkey) == 0);
    reported = poll_two(cq);
    CHECK(reported[IBV_WC_RECV].flags == IBV_WC_WITH_INV);
    CHECK(reported[IBV_WC_RECV].key == key);

    // The window is not bound now: a write through it fails with a remote access error.
    ibv_send_wr write = send_of(IBV_WR_RDMA_WRITE);
    write.wr.rdma = {into.at(), key};
    CHECK(pair.a.post(write, from.at(), 8, from.mr->lkey) == 0);
    int result = ENOENT;
    while (result == ENOENT) result = ibv_start_poll(cq, &poll);
    REQUIRE(result == 0);
    CHECK(cq->status == IBV_WC_REM_ACCESS_ERR);
    CHECK(ibv_wc_read_qp_num(cq) == pair.a.qp->qp_num);
    ibv_end_poll(cq);
    CHECK(ibv_dealloc_mw(mw) == 0);
  }
  CHECK(ibv_destroy_cq(sizes.cq) == 0);
  for (const std::uint64_t field :
       {IBV_WC_EX_WITH_COMPLETION_TIMESTAMP, IBV_WC_EX_WITH_CVLAN, IBV_WC_EX_WITH_FLOW_TAG,
        IBV_WC_EX_WITH_TM_INFO, IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK}) {
    attr.wc_flags = field;
    errno = 0;
    CHECK(ibv_create_cq_ex(device.context, &attr) == nullptr);
    CHECK(errno == EOPNOTSUPP);
  }
}

}  // namespace roci::user
