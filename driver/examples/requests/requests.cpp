// SPDX-License-Identifier: Apache-2.0
// A client posts requests to a server and both print every completion and asynchronous event, by
// name: shows what a fault does to a program of libibverbs.
//
//   requests [OPTIONS]           server
//   requests [OPTIONS] HOST      client; exit status 0 when all requests succeeded
#include <arpa/inet.h>
#include <infiniband/verbs.h>
#include <netdb.h>
#include <poll.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

constexpr unsigned kMostQueuePairs = 8;

struct Options {
  std::string operation = "send";
  std::string port = "18600";
  unsigned count = 8, size = 3000, rnr_retry = 7, queue_pairs = 1, cq_entries = 0;
  bool shared = false;
  const char* host = nullptr;
};

/// What a side reports to the other one.
struct Address {
  std::uint32_t qpn[kMostQueuePairs], psn, rkey;
  std::uint64_t memory;
  ibv_gid gid;
};

[[noreturn]] void fail(const char* what) {
  std::perror(what);
  std::exit(2);
}

void check(bool good, const char* what) {
  if (!good) fail(what);
}

int connect_to(const Options& options) {
  addrinfo hints{}, *found = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  if (getaddrinfo(options.host, options.port.c_str(), &hints, &found) != 0) fail("getaddrinfo");
  const int socket_fd = socket(found->ai_family, SOCK_STREAM, 0);
  for (int i = 0; connect(socket_fd, found->ai_addr, found->ai_addrlen) != 0; ++i) {
    if (i == 200) fail("connect");
    usleep(50'000);
  }
  freeaddrinfo(found);
  return socket_fd;
}

int accept_at(const Options& options) {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  const int on = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in here{};
  here.sin_family = AF_INET;
  here.sin_port = htons(static_cast<std::uint16_t>(std::atoi(options.port.c_str())));
  check(bind(listener, reinterpret_cast<sockaddr*>(&here), sizeof here) == 0, "bind");
  check(listen(listener, 1) == 0, "listen");
  return accept(listener, nullptr, nullptr);
}

/// The peer's data for ours.
Address exchange(int peer, const Address& own) {
  Address other{};
  check(write(peer, &own, sizeof own) == sizeof own, "write");
  check(recv(peer, &other, sizeof other, MSG_WAITALL) == sizeof other, "recv");
  return other;
}

struct Side {
  ibv_context* context = nullptr;
  ibv_cq* cq = nullptr;
  ibv_srq* srq = nullptr;
  std::vector<ibv_qp*> qps;  ///< in turn, a request each
  ibv_mr* mr = nullptr;
  std::vector<char> memory;
  Address own{};
};

Side open_side(const Options& options) {
  Side side;
  ibv_device** devices = ibv_get_device_list(nullptr);
  check(devices != nullptr && devices[0] != nullptr, "no device");
  side.context = ibv_open_device(devices[0]);
  check(side.context != nullptr, "ibv_open_device");
  ibv_free_device_list(devices);
  ibv_pd* pd = ibv_alloc_pd(side.context);
  const unsigned entries = options.cq_entries != 0 ? options.cq_entries : 2 * options.count + 2;
  side.cq = ibv_create_cq(side.context, static_cast<int>(entries), nullptr, nullptr, 0);
  check(side.cq != nullptr, "ibv_create_cq");
  side.memory.resize(static_cast<std::size_t>(options.count) * options.size + 8);
  side.mr = ibv_reg_mr(pd, side.memory.data(), side.memory.size(),
                       IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
                           IBV_ACCESS_REMOTE_ATOMIC);
  check(side.mr != nullptr, "ibv_reg_mr");
  ibv_srq_init_attr shared{};
  shared.attr = {options.count, 1, 0};
  if (options.shared) side.srq = ibv_create_srq(pd, &shared);
  ibv_qp_init_attr init{};
  init.send_cq = init.recv_cq = side.cq;
  init.srq = side.srq;
  init.cap = {options.count, options.count, 1, 1, 0};
  init.qp_type = IBV_QPT_RC;
  side.own.psn = 0x1000;
  side.own.rkey = side.mr->rkey;
  side.own.memory = reinterpret_cast<std::uint64_t>(side.memory.data());
  for (unsigned i = 0; i < options.queue_pairs; ++i) {
    side.qps.push_back(ibv_create_qp(pd, &init));
    check(side.qps.back() != nullptr, "ibv_create_qp");
    side.own.qpn[i] = side.qps.back()->qp_num;
  }
  check(ibv_query_gid(side.context, 1, 0, &side.own.gid) == 0, "ibv_query_gid");
  return side;
}

void connect_queue_pair(const Options& options, Side& side, const Address& peer, unsigned i) {
  ibv_qp* qp = side.qps[i];
  ibv_qp_attr attr{};
  attr.qp_state = IBV_QPS_INIT;
  attr.port_num = 1;
  attr.qp_access_flags =
      IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;
  check(ibv_modify_qp(qp, &attr,
                      IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS) == 0,
        "INIT");
  attr = {};
  attr.qp_state = IBV_QPS_RTR;
  attr.path_mtu = IBV_MTU_1024;
  attr.dest_qp_num = peer.qpn[i];
  attr.rq_psn = peer.psn;
  attr.max_dest_rd_atomic = 1;
  attr.min_rnr_timer = 1;
  attr.ah_attr.is_global = 1;
  attr.ah_attr.grh.dgid = peer.gid;
  attr.ah_attr.grh.hop_limit = 64;
  attr.ah_attr.port_num = 1;
  check(ibv_modify_qp(qp, &attr,
                      IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                          IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER) == 0,
        "RTR");
  attr = {};
  attr.qp_state = IBV_QPS_RTS;
  attr.timeout = 8;
  attr.retry_cnt = 7;
  attr.rnr_retry = static_cast<std::uint8_t>(options.rnr_retry);
  attr.sq_psn = side.own.psn;
  attr.max_rd_atomic = 1;
  check(ibv_modify_qp(qp, &attr,
                      IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
                          IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC) == 0,
        "RTS");
}

void post_receives(const Options& options, Side& side) {
  for (unsigned i = 0; i < options.count; ++i) {
    ibv_sge sge{side.own.memory + std::uint64_t{i} * options.size, options.size, side.mr->lkey};
    ibv_recv_wr request{i, nullptr, &sge, 1}, *bad = nullptr;
    const int error = side.srq != nullptr
                          ? ibv_post_srq_recv(side.srq, &request, &bad)
                          : ibv_post_recv(side.qps[i % side.qps.size()], &request, &bad);
    check(error == 0, "post receive");
  }
}

void post_request(const Options& options, Side& side, const Address& peer, unsigned number) {
  const std::uint64_t at = std::uint64_t{number} * options.size;
  ibv_sge sge{side.own.memory + at, options.size, side.mr->lkey};
  ibv_send_wr request{}, *bad = nullptr;
  request.wr_id = number;
  request.sg_list = &sge;
  request.num_sge = 1;
  request.send_flags = IBV_SEND_SIGNALED;
  request.wr.rdma.remote_addr = peer.memory + at;
  request.wr.rdma.rkey = peer.rkey;
  if (options.operation == "send") request.opcode = IBV_WR_SEND;
  if (options.operation == "write") request.opcode = IBV_WR_RDMA_WRITE;
  if (options.operation == "write_imm") request.opcode = IBV_WR_RDMA_WRITE_WITH_IMM;
  if (options.operation == "read") request.opcode = IBV_WR_RDMA_READ;
  if (options.operation == "atomic") {
    request.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD;
    sge.length = 8;
    request.wr.atomic.remote_addr = peer.memory;
    request.wr.atomic.rkey = peer.rkey;
    request.wr.atomic.compare_add = 1;
  }
  check(ibv_post_send(side.qps[number % side.qps.size()], &request, &bad) == 0, "ibv_post_send");
}

/// Prints what has completed. Returns the number of completions, and counts errors.
unsigned print_completions(Side& side, unsigned& errors) {
  ibv_wc done{};
  unsigned count = 0;
  for (; ibv_poll_cq(side.cq, 1, &done) > 0; ++count) {
    errors += done.status != IBV_WC_SUCCESS;
    std::printf("completion %u: %s (%d)\n", static_cast<unsigned>(done.wr_id),
                ibv_wc_status_str(done.status), done.status);
  }
  return count;
}

void print_events(Side& side, int milliseconds) {
  pollfd ready{side.context->async_fd, POLLIN, 0};
  while (poll(&ready, 1, milliseconds) == 1) {
    ibv_async_event event{};
    if (ibv_get_async_event(side.context, &event) != 0) return;
    std::printf("event %d: %s\n", event.event_type, ibv_event_type_str(event.event_type));
    ibv_ack_async_event(&event);
    milliseconds = 0;
  }
}

/// One request after the other until all are done or one failed; then the others follow. Gives up
/// when no completion comes for 15 s.
unsigned run_client(const Options& options, Side& side, const Address& peer) {
  unsigned errors = 0, done = 0, posted = 0;
  constexpr unsigned kPatience = 15'000;  // ms
  for (unsigned waited = 0; done < options.count && waited < kPatience;) {
    if (posted < options.count && (posted == done || errors != 0)) {
      post_request(options, side, peer, posted++);
    }
    const unsigned more = print_completions(side, errors);
    done += more;
    if (more != 0) {
      waited = 0;
    } else {
      usleep(1000);
      ++waited;
      print_events(side, 0);
    }
  }
  print_events(side, 50);
  std::printf("%u requests, %u completions, %u errors\n", posted, done, errors);
  return done == options.count ? errors : 1;
}

void run_server(Side& side, int peer) {
  unsigned errors = 0;
  pollfd gone{peer, POLLIN, 0};
  while (poll(&gone, 1, 5) == 0) {
    print_completions(side, errors);
    print_events(side, 0);
  }
  print_events(side, 50);
  print_completions(side, errors);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  std::string device;
  for (int letter = 0; (letter = getopt(argc, argv, "o:n:s:r:q:c:p:d:S")) != -1;) {
    if (letter == 'o') options.operation = optarg;
    if (letter == 'n') options.count = static_cast<unsigned>(std::atoi(optarg));
    if (letter == 's') options.size = static_cast<unsigned>(std::atoi(optarg));
    if (letter == 'r') options.rnr_retry = static_cast<unsigned>(std::atoi(optarg));
    if (letter == 'q') options.queue_pairs = static_cast<unsigned>(std::atoi(optarg));
    if (letter == 'c') options.cq_entries = static_cast<unsigned>(std::atoi(optarg));
    if (letter == 'p') options.port = optarg;
    if (letter == 'S') options.shared = true;
    if (letter == '?') return 2;
  }
  if (options.queue_pairs < 1 || options.queue_pairs > kMostQueuePairs) return 2;
  if (optind < argc) options.host = argv[optind];
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  Side side = open_side(options);
  const int socket_fd = options.host != nullptr ? connect_to(options) : accept_at(options);
  const Address peer = exchange(socket_fd, side.own);
  for (unsigned i = 0; i < options.queue_pairs; ++i) connect_queue_pair(options, side, peer, i);
  if (options.host == nullptr && options.operation != "write" && options.operation != "read") {
    post_receives(options, side);
  }
  exchange(socket_fd, side.own);  // both are ready
  unsigned errors = 0;
  if (options.host != nullptr) {
    errors = run_client(options, side, peer);
  } else {
    run_server(side, socket_fd);
  }
  close(socket_fd);
  // The end of the process destroys the objects.
  return errors == 0 ? 0 : 1;
}
