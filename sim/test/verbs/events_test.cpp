// SPDX-License-Identifier: Apache-2.0
// Events and extended completions as libibverbs specifies them: run by `roci exec` on a node.
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

TEST_CASE("a shared receive queue is resized with receives in it") {
  Device device;
  Region region(device.pd, kBytes);
  ibv_srq_init_attr init{};
  init.attr = {8, 1, 0};
  ibv_srq* srq = need(ibv_create_srq(device.pd, &init), "shared queue");
  const auto post = [&](std::uint64_t id) {
    ibv_sge sge{region.at(), 64, region.mr->lkey};
    ibv_recv_wr wr{}, *bad = nullptr;
    wr.wr_id = id;
    wr.sg_list = &sge;
    wr.num_sge = 1;
    return ibv_post_srq_recv(srq, &wr, &bad);
  };
  const auto resize = [&](unsigned entries) {
    ibv_srq_attr attr{};
    attr.max_wr = entries;
    return ibv_modify_srq(srq, &attr, IBV_SRQ_MAX_WR);
  };
  {
    Sizes shared;
    shared.srq = srq;
    Pair pair(device, Sizes{}, shared);
    std::uint64_t posted = 0, taken = 0;
    while (post(posted) == 0) ++posted;
    CHECK(posted == init.attr.max_wr);
    ibv_device_attr limits{};
    REQUIRE(ibv_query_device(device.context, &limits) == 0);
    CHECK((limits.device_cap_flags & IBV_DEVICE_SRQ_RESIZE) != 0);
    CHECK(resize(static_cast<unsigned>(limits.max_srq_wr) + 2) == EINVAL);
    CHECK(resize(4) == EINVAL);  // fewer than there are
    CHECK(resize(64) == 0);
    while (post(posted) == 0) ++posted;
    CHECK(posted == 64);
    ibv_srq_attr now{};
    CHECK(ibv_query_srq(srq, &now) == 0);
    CHECK(now.max_wr == 64);
    for (; taken < 60; ++taken) {
      REQUIRE(pair.a.send(region, 64) == 0);
      CHECK(pair.a.next().status == IBV_WC_SUCCESS);
      CHECK(pair.b.next().wr_id == taken);  // in the order of posting
    }
    now.srq_limit = 5;
    now.max_wr = 4;
    CHECK(ibv_modify_srq(srq, &now, IBV_SRQ_MAX_WR | IBV_SRQ_LIMIT) == EINVAL);
    CHECK(resize(4) == 0);
    CHECK(post(posted) == ENOMEM);
    REQUIRE(pair.a.send(region, 64) == 0);
    CHECK(pair.a.next().status == IBV_WC_SUCCESS);
    CHECK(pair.b.next().wr_id == taken);
    CHECK(post(posted) == 0);
  }
  CHECK(ibv_destroy_srq(srq) == 0);
}

}  // namespace roci::user
