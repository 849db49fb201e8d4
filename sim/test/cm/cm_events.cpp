// SPDX-License-Identifier: Apache-2.0
// Connects by rdma_cm and prints every event by its name, those too that Debian's programs do not
// wait for.
//
//   cm_events [OPTIONS] -a ADDRESS -p PORT       client
//   cm_events -s -a ADDRESS -p PORT              server of one connection
//
// -d: nothing special; -o: the queue pair is no part of the identifier; -e: it is in the error
// state before the connection; -w MS: waits before it accepts or establishes. Exit status 0: the
// connection was made, ended, and left TIMEWAIT.
#include <arpa/inet.h>
#include <poll.h>
#include <rdma/rdma_cma.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr int kMilliseconds = 90'000;  // for an event: a peer may use up its retries

struct Options {
  bool server = false, own_queue_pair = false, broken = false;
  unsigned wait_ms = 0;
  sockaddr_in address{};
};

[[noreturn]] void fail(const char* what) {
  std::perror(what);
  std::exit(2);
}

void check(bool good, const char* what) {
  if (!good) fail(what);
}

class Side {
 public:
  explicit Side(const Options& options) : options_(options) {
    channel_ = rdma_create_event_channel();
    check(channel_ != nullptr, "rdma_create_event_channel");
    check(rdma_create_id(channel_, &id_, nullptr, RDMA_PS_TCP) == 0, "rdma_create_id");
  }

  int run() {
    options_.server ? serve() : connect();
    for (;;) {
      const rdma_cm_event_type event = next();
      if (event == RDMA_CM_EVENT_DISCONNECTED) rdma_disconnect(id_);
      if (event == RDMA_CM_EVENT_TIMEWAIT_EXIT) return 0;
      if (event == RDMA_CM_EVENT_ESTABLISHED && !options_.server) disconnect();
      if (event == RDMA_CM_EVENT_CONNECT_RESPONSE) {
        take_time();
        check(rdma_establish(id_) == 0, "rdma_establish");
        disconnect();
      }
      if (event == RDMA_CM_EVENT_CONNECT_ERROR || event == RDMA_CM_EVENT_REJECTED ||
          event == RDMA_CM_EVENT_UNREACHABLE) {
        return 1;
      }
    }
  }

 private:
  /// Prints the next event. That of a request brings the identifier of the connection.
  rdma_cm_event_type next() {
    pollfd ready{channel_->fd, POLLIN, 0};
    if (poll(&ready, 1, kMilliseconds) != 1) {
      std::puts("no event comes");
      std::exit(3);
    }
    rdma_cm_event* event = nullptr;
    check(rdma_get_cm_event(channel_, &event) == 0, "rdma_get_cm_event");
    std::printf("%s, status %d\n", rdma_event_str(event->event), event->status);
    const rdma_cm_event_type type = event->event;
    if (type == RDMA_CM_EVENT_CONNECT_REQUEST) id_ = event->id;
    rdma_ack_cm_event(event);
    return type;
  }

  void expect(rdma_cm_event_type wanted) {
    if (next() != wanted) std::exit(1);
  }

  auto* address() { return reinterpret_cast<sockaddr*>(&options_.address); }

  void make_queue_pair() {
    ibv_qp_init_attr attr{};
    attr.qp_type = IBV_QPT_RC;
    attr.cap = {1, 1, 1, 1, 0};
    check(rdma_create_qp(id_, nullptr, &attr) == 0, "rdma_create_qp");
    parameters_.qp_num = id_->qp->qp_num;
    if (options_.own_queue_pair) id_->qp = nullptr;  // librdmacm leaves it to the program
    if (!options_.broken) return;
    ibv_qp_attr state{};
    state.qp_state = IBV_QPS_ERR;
    check(ibv_modify_qp(id_->qp, &state, IBV_QP_STATE) == 0, "ibv_modify_qp");
  }

  void serve() {
    check(rdma_bind_addr(id_, address()) == 0, "rdma_bind_addr");
    check(rdma_listen(id_, 1) == 0, "rdma_listen");
    expect(RDMA_CM_EVENT_CONNECT_REQUEST);
    make_queue_pair();
    take_time();
    check(rdma_accept(id_, &parameters_) == 0, "rdma_accept");
  }

  void connect() {
    constexpr int kResolve = 2000;  // ms
    check(rdma_resolve_addr(id_, nullptr, address(), kResolve) == 0, "rdma_resolve_addr");
    expect(RDMA_CM_EVENT_ADDR_RESOLVED);
    check(rdma_resolve_route(id_, kResolve) == 0, "rdma_resolve_route");
    expect(RDMA_CM_EVENT_ROUTE_RESOLVED);
    make_queue_pair();
    check(rdma_connect(id_, &parameters_) == 0, "rdma_connect");
  }

  void take_time() const { usleep(options_.wait_ms * 1000); }

  void disconnect() { check(rdma_disconnect(id_) == 0, "rdma_disconnect"); }

  Options options_;
  rdma_event_channel* channel_ = nullptr;
  rdma_cm_id* id_ = nullptr;
  rdma_conn_param parameters_{};
};

}  // namespace

int main(int argc, char** argv) {
  Options options;
  options.address.sin_family = AF_INET;
  for (int letter = 0; (letter = getopt(argc, argv, "sdoew:a:p:")) != -1;) {
    if (letter == 's') options.server = true;
    if (letter == 'o') options.own_queue_pair = true;
    if (letter == 'e') options.broken = true;
    if (letter == 'w') options.wait_ms = static_cast<unsigned>(std::atoi(optarg));
    if (letter == 'a') check(inet_aton(optarg, &options.address.sin_addr) == 1, "address");
    if (letter == 'p') {
      options.address.sin_port = htons(static_cast<std::uint16_t>(std::atoi(optarg)));
    }
    if (letter == '?') return 2;
  }
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  return Side(options).run();
}
