// SPDX-License-Identifier: Apache-2.0
// A process whose simulator exits: run by gone.py, which ends it after this program printed
// "ready". Each verbs call must then return by itself, as when a board is removed.
#include <cerrno>
#include <cstdio>
#include <future>

#include "sim/test/verbs/user.hpp"

namespace roci::user {
namespace {

using std::chrono::seconds;
constexpr std::uint32_t kBytes = 4096, kNobody = 0xFFFFFE;
constexpr seconds kPatience{10};

void check(bool holds, const std::string& text) {
  if (!holds) throw std::runtime_error(text);
}
void check_errno(bool failed, const char* call) {
  check(failed, std::string(call) + " works on a device that is gone");
  check(errno == EIO, std::string(call) + ": " + std::strerror(errno));
}

/// Runs a call that may block; aborts the program when it blocks for too long.
template <typename Call>
auto soon(Call call, const char* what) -> decltype(call()) {
  auto result = std::async(std::launch::async, call);
  if (result.wait_for(kPatience) != std::future_status::ready) {
    std::printf("%s: waits for ever\n", what);
    std::fflush(stdout);
    std::_Exit(1);
  }
  return result.get();
}

/// Polls until there is a completion or an error; the result of ibv_poll_cq.
int poll(ibv_cq* cq, ibv_wc& wc) {
  int got = 0;
  while (got == 0) got = ibv_poll_cq(cq, 1, &wc);
  return got;
}

void flushed(ibv_cq* cq, const ibv_qp* qp, std::uint64_t id, ibv_wc_opcode opcode) {
  ibv_wc wc{};
  check(soon([&] { return poll(cq, wc); }, "poll of what is outstanding") == 1, "poll failed");
  check(wc.status == IBV_WC_WR_FLUSH_ERR, ibv_wc_status_str(wc.status));
  check(wc.wr_id == id, "request " + std::to_string(wc.wr_id) + ", not " + std::to_string(id));
  check(wc.qp_num == qp->qp_num, "other queue pair");
  check((wc.opcode & IBV_WC_RECV) == (opcode & IBV_WC_RECV), "opcode");
}

/// A completion queue with a thread that waits for its events.
struct Waiting {
  explicit Waiting(Device& device) {
    channel = need(ibv_create_comp_channel(device.context), "channel");
    cq = need(ibv_create_cq(device.context, 16, this, channel, 0), "completion queue");
    need_zero(ibv_req_notify_cq(cq, 0), "arm");
  }
  int wait() {
    ibv_cq* signaled = nullptr;
    void* context = nullptr;
    const int result = ibv_get_cq_event(channel, &signaled, &context);
    if (result == 0) {
      check(signaled == cq && context == this, "event of another completion queue");
      ibv_ack_cq_events(signaled, 1);
    }
    return result;
  }
  ibv_comp_channel* channel;
  ibv_cq* cq;
};

ibv_qp_ex* make_extended(Device& device, ibv_cq_ex* cq) {
  ibv_qp_init_attr_ex init{};
  init.send_cq = init.recv_cq = ibv_cq_ex_to_cq(cq);
  init.cap = {4, 4, 1, 1, 0};
  init.qp_type = IBV_QPT_RC;
  init.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
  init.pd = device.pd;
  init.send_ops_flags = IBV_QP_EX_WITH_RDMA_WRITE;
  return ibv_qp_to_qp_ex(need(ibv_create_qp_ex(device.context, &init), "extended queue pair"));
}

void new_calls_fail(Device& device, Queue& queue, Region& region, ibv_srq* srq, ibv_qp_ex* ex,
                    ibv_cq_ex* cq_ex) {
  ibv_device_attr attr{};
  ibv_port_attr port{};
  check(ibv_query_device(device.context, &attr) == EIO, "query device");
  errno = ibv_query_port(device.context, 1, &port);
  check_errno(errno != 0, "query port");
  check_errno(ibv_alloc_pd(device.context) == nullptr, "domain");
  check_errno(ibv_create_cq(device.context, 4, nullptr, nullptr, 0) == nullptr, "queue");
  check_errno(ibv_create_comp_channel(device.context) == nullptr, "channel");
  check_errno(ibv_reg_mr(device.pd, region.bytes.data(), 64, 0) == nullptr, "region");
  check_errno(ibv_alloc_mw(device.pd, IBV_MW_TYPE_1) == nullptr, "window");
  ibv_srq_init_attr shared{};
  shared.attr = {4, 1, 0};
  check_errno(ibv_create_srq(device.pd, &shared) == nullptr, "shared queue");
  check(queue.to(IBV_QPS_ERR) == EIO, "modify");
  check(ibv_resize_cq(queue.cq, 32) == EIO, "resize");
  check(ibv_req_notify_cq(queue.cq, 0) == EIO, "arm");
  check(queue.write(region, region, 8) == EIO, "post send");
  check(queue.receive(region.at(), 8, region.mr->lkey) == EIO, "post receive");
  ibv_recv_wr wr{}, *bad = nullptr;
  check(ibv_post_srq_recv(srq, &wr, &bad) == EIO && bad == &wr, "post to a shared queue");
  ibv_wr_start(ex);
  ibv_wr_rdma_write(ex, region.mr->rkey, region.at());
  ibv_wr_set_sge(ex, region.mr->lkey, region.at(), 8);
  check(ibv_wr_complete(ex) == EIO, "extended post");
  ibv_poll_cq_attr none{};
  check(ibv_start_poll(cq_ex, &none) == EIO, "extended poll");
  check(ibv_open_device(device.context->device) == nullptr, "open");
}

int run() {
  Device device;
  Region region(device.pd, kBytes);
  Sizes sizes;
  sizes.timeout = 20;  // four seconds, seven times: outstanding until the end
  Queue silent(device, sizes);
  need_zero(silent.to_init(), "INIT");
  need_zero(silent.to_rtr(kNobody), "RTR");
  need_zero(silent.to_rts(), "RTS");
  Pair idle(device);
  ibv_srq_init_attr shared{};
  shared.attr = {4, 1, 0};
  ibv_srq* srq = need(ibv_create_srq(device.pd, &shared), "shared queue");
  Waiting waiting(device);
  ibv_cq_init_attr_ex attr_ex{};
  attr_ex.cqe = 8;
  ibv_cq_ex* cq_ex = need(ibv_create_cq_ex(device.context, &attr_ex), "extended queue");
  ibv_qp_ex* ex = make_extended(device, cq_ex);

  for (std::uint64_t id = 1; id <= 3; ++id) {
    need_zero(silent.write(region, region, 64, id), "write");
    need_zero(silent.receive(region.at(), 64, region.mr->lkey), "receive");
  }
  std::printf("ready\n");
  std::fflush(stdout);

  // Three threads: one polls for completions that never come, and two wait for events.
  auto polling = std::async(std::launch::async, [&] {
    ibv_wc wc{};
    return poll(idle.b.cq, wc);
  });
  auto signaled = std::async(std::launch::async, [&] { return waiting.wait(); });
  ibv_async_event event{};
  check(ibv_get_async_event(device.context, &event) == 0, "no event of the device");
  check(event.event_type == IBV_EVENT_DEVICE_FATAL, ibv_event_type_str(event.event_type));
  ibv_ack_async_event(&event);
  check(soon([&] { return polling.get(); }, "poll of an idle queue") < 0, "poll gave something");
  check(soon([&] { return signaled.get(); }, "channel") == 0, "channel: no event first");
  check(soon([&] { return waiting.wait(); }, "channel, second read") == -1,
        "channel: another event");
  check(
      soon([&] { return ibv_get_async_event(device.context, &event); }, "event, second read") == -1,
      "another event of the device");

  for (std::uint64_t id = 1; id <= 3; ++id) flushed(silent.cq, silent.qp, id, IBV_WC_RDMA_WRITE);
  for (int i = 0; i < 3; ++i) flushed(silent.cq, silent.qp, 0, IBV_WC_RECV);
  ibv_wc wc{};
  check(soon([&] { return poll(silent.cq, wc); }, "poll after the last") < 0, "completed twice");
  new_calls_fail(device, silent, region, srq, ex, cq_ex);

  need_zero(ibv_destroy_qp(&ex->qp_base), "destroy queue pair");
  need_zero(ibv_destroy_cq(ibv_cq_ex_to_cq(cq_ex)), "destroy extended queue");
  need_zero(ibv_destroy_cq(waiting.cq), "destroy completion queue");
  need_zero(ibv_destroy_comp_channel(waiting.channel), "destroy channel");
  need_zero(ibv_destroy_srq(srq), "destroy shared queue");
  region.free();
  std::printf("all good\n");
  return 0;
}

}  // namespace
}  // namespace roci::user

int main() {
  try {
    return roci::user::run();
  } catch (const std::exception& error) {
    std::printf("%s\n", error.what());
    std::fflush(stdout);
    std::_Exit(1);  // threads may still wait
  }
}
