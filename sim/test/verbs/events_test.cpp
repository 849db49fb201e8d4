// SPDX-License-Identifier: Apache-2.0
// Events and extended completions as libibverbs specifies them: run by `roci exec` on a node.
#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <map>

#include "sim/test/verbs/user.hpp"

namespace roci::user {
namespace {

constexpr std::uint32_t kBytes = 4096;
constexpr int kPatienceMs = 30000, kQuietMs = 100;

/// A channel that does not block, used with epoll.
struct Channel {
  explicit Channel(Device& device)
      : ibv(need(ibv_create_comp_channel(device.context), "channel")), epoll(epoll_create1(0)) {
    fcntl(ibv->fd, F_SETFL, fcntl(ibv->fd, F_GETFL) | O_NONBLOCK);
    epoll_event event{EPOLLIN, {}};
    need_zero(epoll_ctl(epoll, EPOLL_CTL_ADD, ibv->fd, &event), "epoll");
  }
  ~Channel() {
    close(epoll);
    CHECK(ibv_destroy_comp_channel(ibv) == 0);
  }
  bool readable(int ms) {
    epoll_event event{};
    return epoll_wait(epoll, &event, 1, ms) == 1 && (event.events & EPOLLIN) != 0;
  }
  /// Reads the pending event.
  ibv_cq* take() {
    ibv_cq* cq = nullptr;
    void* context = nullptr;
    REQUIRE(ibv_get_cq_event(ibv, &cq, &context) == 0);
    CHECK(context == this);
    ibv_ack_cq_events(cq, 1);
    return cq;
  }
  void empty() {
    ibv_cq* cq = nullptr;
    void* context = nullptr;
    CHECK_FALSE(readable(kQuietMs));
    errno = 0;
    CHECK(ibv_get_cq_event(ibv, &cq, &context) == -1);
    CHECK(errno == EAGAIN);
  }
  ibv_cq* make_cq(Device& device) {
    return need(ibv_create_cq(device.context, 32, this, ibv, 0), "completion queue");
  }
  ibv_comp_channel* ibv;
  int epoll;
};

ibv_async_event next_event(Device& device) {
  const int fd = device.context->async_fd;
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
  pollfd poller{fd, POLLIN, 0};
  REQUIRE(poll(&poller, 1, kPatienceMs) == 1);
  ibv_async_event event{};
  REQUIRE(ibv_get_async_event(device.context, &event) == 0);
  ibv_ack_async_event(&event);
  ibv_async_event none{};
  errno = 0;
  CHECK(ibv_get_async_event(device.context, &none) == -1);
  CHECK(errno == EAGAIN);
  return event;
}

ibv_send_wr send_of(ibv_wr_opcode opcode, unsigned flags = 0) {
  ibv_send_wr wr{};
  wr.opcode = opcode;
  wr.send_flags = flags;
  return wr;
}

/// A completion as the calls of an extended queue return it.
struct Told {
  std::uint64_t id;
  ibv_wc_status status;
  unsigned flags;
  std::uint32_t bytes, qpn, source, vendor, slid, sl, dlid, imm, key;
};

std::map<ibv_wc_opcode, Told> poll_two(ibv_cq_ex* cq) {
  std::map<ibv_wc_opcode, Told> told;
  ibv_poll_cq_attr attr{};
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (told.size() < 2 && std::chrono::steady_clock::now() < end) {
    int result = ibv_start_poll(cq, &attr);
    if (result == ENOENT) continue;
    REQUIRE(result == 0);
    for (; result == 0; result = ibv_next_poll(cq)) {
      Told& one = told[ibv_wc_read_opcode(cq)];
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
  CHECK(told.size() == 2);
  return told;
}

}  // namespace

TEST_CASE("a channel that does not block, with epoll, for two completion queues") {
  Device device;
  Channel channel(device);
  Sizes near, far;
  near.cq = channel.make_cq(device);
  far.cq = channel.make_cq(device);
  {
    Region from(device.pd, kBytes), into(device.pd, kBytes);
    Pair pair(device, near, far);
    channel.empty();
    CHECK(pair.a.write(from, into, 64) == 0);
    pair.a.next();
    channel.empty();  // the queue is not armed

    need_zero(ibv_req_notify_cq(near.cq, 0), "arm");
    channel.empty();
    CHECK(pair.a.write(from, into, 64) == 0);
    CHECK(channel.readable(kPatienceMs));
    CHECK(channel.readable(0));  // the event is pending until it is read
    CHECK(channel.take() == near.cq);
    pair.a.next();
    channel.empty();
    CHECK(pair.a.write(from, into, 64) == 0);
    pair.a.next();
    channel.empty();  // the arm is for one event

    // Armed for solicited completions: the first message requests no event.
    need_zero(ibv_req_notify_cq(far.cq, 1), "arm");
    for (const unsigned flags : {0u, unsigned{IBV_SEND_SOLICITED}}) {
      CHECK(pair.b.receive(into.at(), 64, into.mr->lkey) == 0);
      CHECK(pair.a.post(send_of(IBV_WR_SEND, flags), from.at(), 64, from.mr->lkey) == 0);
      pair.a.next();
      pair.b.next();
      if (flags == 0) channel.empty();
    }
    CHECK(channel.readable(kPatienceMs));
    CHECK(channel.take() == far.cq);

    // One event for four completions, or after 65 ms: on a slow machine the event may be there
    // already.
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    ibv_modify_cq_attr slow{IBV_CQ_ATTR_MODERATE, {4, 0xFFFF}};
    need_zero(ibv_modify_cq(near.cq, &slow), "moderation");
    need_zero(ibv_req_notify_cq(near.cq, 0), "arm");
    for (int i = 0; i < 3; ++i) CHECK(pair.a.write(from, into, 64) == 0);
    for (int i = 0; i < 3; ++i) pair.a.next();
    const bool early = channel.readable(0);
    CHECK_FALSE((early && Clock::now() - start < std::chrono::milliseconds(60)));
    CHECK(pair.a.write(from, into, 64) == 0);
    CHECK(channel.readable(kPatienceMs));
    CHECK(channel.take() == near.cq);
    channel.empty();
    pair.a.next();

    // An unread event is dropped with its completion queue.
    need_zero(ibv_req_notify_cq(far.cq, 0), "arm");
    CHECK(pair.b.write(into, from, 64) == 0);
    CHECK(channel.readable(kPatienceMs));
    CHECK(ibv_destroy_comp_channel(channel.ibv) == EBUSY);
  }
  CHECK(ibv_destroy_cq(far.cq) == 0);
  channel.empty();
  CHECK(ibv_destroy_cq(near.cq) == 0);
}

TEST_CASE("asynchronous events name their object") {
  Device device;
  Region region(device.pd, kBytes);
  ibv_srq_init_attr init{};
  init.attr = {8, 1, 0};
  ibv_srq* srq = need(ibv_create_srq(device.pd, &init), "shared queue");
  {
    Sizes shared;
    shared.srq = srq;
    Pair pair(device, Sizes{}, shared);
    for (int i = 0; i < 3; ++i) {
      ibv_sge sge{region.at(), 64, region.mr->lkey};
      ibv_recv_wr wr{}, *bad = nullptr;
      wr.sg_list = &sge;
      wr.num_sge = 1;
      need_zero(ibv_post_srq_recv(srq, &wr, &bad), "receive");
    }
    ibv_srq_attr limit{};
    limit.srq_limit = 2;
    need_zero(ibv_modify_srq(srq, &limit, IBV_SRQ_LIMIT), "limit");
    for (int i = 0; i < 2; ++i) {
      CHECK(pair.a.send(region, 64) == 0);
      pair.a.next();
      pair.b.next();
    }
    const ibv_async_event low = next_event(device);
    CHECK(low.event_type == IBV_EVENT_SRQ_LIMIT_REACHED);
    CHECK(low.element.srq == srq);

    need_zero(pair.b.to(IBV_QPS_ERR), "ERR");
    const ibv_async_event last = next_event(device);
    CHECK(last.event_type == IBV_EVENT_QP_LAST_WQE_REACHED);
    CHECK(last.element.qp == pair.b.qp);

    ibv_qp_attr drain{};
    drain.qp_state = IBV_QPS_SQD;
    drain.en_sqd_async_notify = 1;
    need_zero(ibv_modify_qp(pair.a.qp, &drain, IBV_QP_STATE | IBV_QP_EN_SQD_ASYNC_NOTIFY), "SQD");
    const ibv_async_event drained = next_event(device);
    CHECK(drained.event_type == IBV_EVENT_SQ_DRAINED);
    CHECK(drained.element.qp == pair.a.qp);
  }
  CHECK(ibv_destroy_srq(srq) == 0);

  Queue a(device, {}), b(device, {});
  for (Queue* queue : {&a, &b}) {
    need_zero(queue->to_init(), "INIT");
    need_zero(queue->to_rtr(queue == &a ? b.qp->qp_num : a.qp->qp_num), "RTR");
  }
  need_zero(a.to_rts(), "RTS");
  need_zero(b.receive(region.at(), 64, region.mr->lkey), "receive");
  CHECK(a.send(region, 64) == 0);
  const ibv_async_event first = next_event(device);
  CHECK(first.event_type == IBV_EVENT_COMM_EST);
  CHECK(first.element.qp == b.qp);
}

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
    auto told = poll_two(cq);
    const Told sent = told[IBV_WC_SEND], got = told[IBV_WC_RECV];
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
    bind.bind_mw.rkey = ibv_inc_rkey(mw->rkey);
    bind.bind_mw.bind_info = {into.mr, into.at(), 64, IBV_ACCESS_REMOTE_WRITE};
    ibv_sge none{};
    bind.sg_list = &none;
    CHECK(pair.b.post(bind, 0, 0, 0) == 0);
    need_zero(pair.b.receive(into.at(), kBytes, into.mr->lkey), "receive");
    ibv_send_wr free = send_of(IBV_WR_SEND_WITH_INV);
    free.invalidate_rkey = bind.bind_mw.rkey;
    ibv_poll_cq_attr poll{};
    int bound = ENOENT;
    while (bound == ENOENT) bound = ibv_start_poll(cq, &poll);
    REQUIRE(bound == 0);
    CHECK(ibv_wc_read_opcode(cq) == IBV_WC_BIND_MW);
    CHECK(cq->status == IBV_WC_SUCCESS);
    ibv_end_poll(cq);
    CHECK(pair.a.post(free, from.at(), 8, from.mr->lkey) == 0);
    told = poll_two(cq);
    CHECK(told[IBV_WC_RECV].flags == IBV_WC_WITH_INV);
    CHECK(told[IBV_WC_RECV].key == bind.bind_mw.rkey);

    // The window is not bound now: a write through it fails with a remote access error.
    ibv_send_wr write = send_of(IBV_WR_RDMA_WRITE);
    write.wr.rdma = {into.at(), bind.bind_mw.rkey};
    CHECK(pair.a.post(write, from.at(), 8, from.mr->lkey) == 0);
    int refused = ENOENT;
    while (refused == ENOENT) refused = ibv_start_poll(cq, &poll);
    REQUIRE(refused == 0);
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
