// SPDX-License-Identifier: Apache-2.0
// Reads and writes the memory of a board with the adapter, by any RoCE v2 adapter of this host.
//
//   board [OPTIONS] HOST check    writes a pattern, reads it back and compares
//   board [OPTIONS] HOST write    the writes alone; prints the rate
//   board [OPTIONS] HOST read     the reads alone; prints the rate
//   board [OPTIONS] HOST status   counters of the board
//
//   -d NAME    device (the first)            -s BYTES   of a message (65536)
//   -g INDEX   GID (the last of IPv4)        -n COUNT   messages (1)
//   -m BYTES   path MTU, at most (1024)      -o OFFSET  in the board's region (0)
//   -t TRIES   of a request by UDP, after 0.5, 1, 2 ... 8 s (6)
//   -w CODE    timeout of the queue pair: 4.096 us * 2^CODE (17: 0.5 s)
#include <arpa/inet.h>
#include <infiniband/verbs.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "driver/examples/board/exchange.hpp"

namespace {

constexpr unsigned kDepth = 8, kReads = 4;
constexpr std::uint8_t kRetries = 7, kHops = 64;

struct Options {
  std::string device;
  int gid = -1;
  unsigned mtu = 1024, tries = 6, timeout = 17;
  std::uint64_t size = 65536, count = 1, offset = 0;
};

void check(bool good, const char* what) {
  if (!good) throw std::runtime_error(what);
}

template <typename Object, int (*Close)(Object*)>
struct Closer {
  void operator()(Object* object) const { Close(object); }
};
template <typename Object, int (*Close)(Object*)>
using Owned = std::unique_ptr<Object, Closer<Object, Close>>;

Owned<ibv_context, ibv_close_device> open_device(const std::string& name) {
  int count = 0;
  ibv_device** list = ibv_get_device_list(&count);
  ibv_context* context = nullptr;
  for (int i = 0; list != nullptr && i < count && context == nullptr; ++i) {
    if (name.empty() || name == ibv_get_device_name(list[i])) context = ibv_open_device(list[i]);
  }
  ibv_free_device_list(list);
  check(context != nullptr, "no such RDMA device");
  return Owned<ibv_context, ibv_close_device>(context);
}

bool is_ipv4(const ibv_gid& gid) {
  static const std::uint8_t prefix[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
  return std::memcmp(gid.raw, prefix, sizeof prefix) == 0;
}

/// The GID that the options name, or the last of IPv4: of two, the kernel has RoCE v1 first.
int choose_gid(ibv_context* context, int wanted, ibv_gid* gid) {
  ibv_port_attr port{};
  check(ibv_query_port(context, 1, &port) == 0, "no port 1");
  for (int i = port.gid_tbl_len - 1; i >= 0; --i) {
    if (wanted >= 0 && i != wanted) continue;
    if (ibv_query_gid(context, 1, i, gid) == 0 && is_ipv4(*gid)) return i;
  }
  throw std::runtime_error("no GID of IPv4");
}

unsigned mtu_code(unsigned bytes) {
  unsigned code = 1;
  while (code < 5 && (128u << (code + 1)) <= bytes) ++code;
  return code;
}

class Session {
 public:
  Session(const Options& options, const std::string& host)
      : options_(options), context_(open_device(options.device)) {
    gid_index_ = choose_gid(context_.get(), options.gid, &gid_);
    char from[INET_ADDRSTRLEN];
    inet_ntop(AF_INET, gid_.raw + 12, from, sizeof from);
    exchange_ = std::make_unique<Exchange>(host, from, options.tries);
  }

  Exchange& exchange() { return *exchange_; }
  std::uint8_t* memory() { return memory_.data(); }
  std::uint64_t bytes() const { return options_.size * options_.count; }

  void connect() {
    domain_.reset(ibv_alloc_pd(context_.get()));
    queue_.reset(ibv_create_cq(context_.get(), kDepth, nullptr, nullptr, 0));
    memory_.resize(bytes());
    check(domain_ != nullptr && queue_ != nullptr, "no completion queue");
    region_.reset(ibv_reg_mr(domain_.get(), memory_.data(), bytes(), IBV_ACCESS_LOCAL_WRITE));
    check(region_ != nullptr, "the memory cannot be registered");
    ibv_qp_init_attr init{};
    init.send_cq = init.recv_cq = queue_.get();
    init.cap = {kDepth, 1, 1, 1, 0};
    init.qp_type = IBV_QPT_RC;
    pair_.reset(ibv_create_qp(domain_.get(), &init));
    check(pair_ != nullptr, "no queue pair");
    const std::uint32_t psn = std::random_device()() & 0xFFFFFF;
    granted_ = exchange_->connect(pair_->qp_num, psn, mtu_code(options_.mtu), kReads);
    if (options_.offset + bytes() > granted_.bytes) {
      exchange_->disconnect(pair_->qp_num);
      throw std::runtime_error("the region of the board has " + std::to_string(granted_.bytes) +
                               " bytes");
    }
    to_rts(psn);
  }

  void disconnect() { exchange_->disconnect(pair_->qp_num); }

  /// All messages, `kDepth` in flight; seconds that they took.
  double move(ibv_wr_opcode opcode) {
    const auto start = std::chrono::steady_clock::now();
    std::uint64_t posted = 0, done = 0;
    while (done < options_.count) {
      while (posted < options_.count && posted - done < kDepth) post(opcode, posted++);
      ibv_wc completion{};
      if (ibv_poll_cq(queue_.get(), 1, &completion) == 0) continue;
      check(completion.status == IBV_WC_SUCCESS, ibv_wc_status_str(completion.status));
      ++done;
    }
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

 private:
  void to_rts(std::uint32_t psn) {
    ibv_qp_attr attributes{};
    attributes.qp_state = IBV_QPS_INIT;
    attributes.port_num = 1;
    check(ibv_modify_qp(pair_.get(), &attributes,
                        IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS) == 0,
          "INIT");
    attributes.qp_state = IBV_QPS_RTR;
    attributes.path_mtu = static_cast<ibv_mtu>(granted_.mtu);
    attributes.dest_qp_num = granted_.qpn;
    attributes.rq_psn = granted_.psn;
    attributes.max_dest_rd_atomic = 1;
    attributes.min_rnr_timer = 12;
    attributes.ah_attr.is_global = 1;
    attributes.ah_attr.port_num = 1;
    attributes.ah_attr.grh.sgid_index = static_cast<std::uint8_t>(gid_index_);
    attributes.ah_attr.grh.hop_limit = kHops;
    attributes.ah_attr.grh.dgid = gid_;
    const std::uint32_t board = exchange_->board();
    std::memcpy(attributes.ah_attr.grh.dgid.raw + 12, &board, sizeof board);
    check(ibv_modify_qp(pair_.get(), &attributes,
                        IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
                            IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER) == 0,
          "RTR");
    attributes.qp_state = IBV_QPS_RTS;
    attributes.sq_psn = psn;
    attributes.timeout = static_cast<std::uint8_t>(options_.timeout);
    attributes.retry_cnt = kRetries;
    attributes.rnr_retry = kRetries;
    attributes.max_rd_atomic = static_cast<std::uint8_t>(granted_.reads);
    check(ibv_modify_qp(pair_.get(), &attributes,
                        IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
                            IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC) == 0,
          "RTS");
  }

  void post(ibv_wr_opcode opcode, std::uint64_t number) {
    ibv_sge place{};
    place.addr = reinterpret_cast<std::uintptr_t>(memory_.data() + number * options_.size);
    place.length = static_cast<std::uint32_t>(options_.size);
    place.lkey = region_->lkey;
    ibv_send_wr request{}, *bad = nullptr;
    request.sg_list = &place;
    request.num_sge = 1;
    request.opcode = opcode;
    request.send_flags = IBV_SEND_SIGNALED;
    request.wr.rdma.remote_addr = granted_.address + options_.offset + number * options_.size;
    request.wr.rdma.rkey = granted_.key;
    check(ibv_post_send(pair_.get(), &request, &bad) == 0, "a request is rejected");
  }

  Options options_;
  std::vector<std::uint8_t> memory_;
  ibv_gid gid_{};
  int gid_index_ = 0;
  Granted granted_;
  std::unique_ptr<Exchange> exchange_;
  Owned<ibv_context, ibv_close_device> context_;
  Owned<ibv_pd, ibv_dealloc_pd> domain_;
  Owned<ibv_cq, ibv_destroy_cq> queue_;
  Owned<ibv_mr, ibv_dereg_mr> region_;
  Owned<ibv_qp, ibv_destroy_qp> pair_;
};

void print_rate(const char* what, std::uint64_t bytes, double seconds) {
  std::printf("%s: %llu bytes in %.3f s, %.1f Mb/s\n", what, static_cast<unsigned long long>(bytes),
              seconds, 8e-6 * static_cast<double>(bytes) / seconds);
}

void run(const Options& options, const std::string& host, const std::string& what) {
  Session session(options, host);
  if (what == "status") {
    for (const auto& [name, value] : session.exchange().status()) {
      std::printf("%s %u\n", name.c_str(), value);
    }
    return;
  }
  session.connect();
  std::mt19937 random(static_cast<unsigned>(session.bytes()));
  std::vector<std::uint8_t> pattern(session.bytes());
  for (std::uint8_t& byte : pattern) byte = static_cast<std::uint8_t>(random());
  std::memcpy(session.memory(), pattern.data(), pattern.size());
  if (what != "read") print_rate("write", session.bytes(), session.move(IBV_WR_RDMA_WRITE));
  if (what == "check") std::memset(session.memory(), 0, pattern.size());
  if (what != "write") print_rate("read", session.bytes(), session.move(IBV_WR_RDMA_READ));
  session.disconnect();
  if (what != "check") return;
  check(std::memcmp(session.memory(), pattern.data(), pattern.size()) == 0,
        "what was read is not what was written");
  std::printf("%llu bytes compared\n", static_cast<unsigned long long>(session.bytes()));
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  for (int option; (option = getopt(argc, argv, "d:g:m:t:s:n:o:w:")) != -1;) {
    const auto number = std::strtoull(optarg == nullptr ? "" : optarg, nullptr, 0);
    switch (option) {
      case 'd':
        options.device = optarg;
        break;
      case 'g':
        options.gid = static_cast<int>(number);
        break;
      case 'm':
        options.mtu = static_cast<unsigned>(number);
        break;
      case 't':
        options.tries = static_cast<unsigned>(number);
        break;
      case 's':
        options.size = number;
        break;
      case 'n':
        options.count = number;
        break;
      case 'o':
        options.offset = number;
        break;
      case 'w':
        options.timeout = static_cast<unsigned>(number);
        break;
      default:
        return 2;
    }
  }
  const std::string what = optind + 2 == argc ? argv[optind + 1] : "";
  if (what != "check" && what != "write" && what != "read" && what != "status") {
    std::fprintf(stderr,
                 "usage: %s [-d NAME] [-g INDEX] [-m MTU] [-t TRIES] [-s BYTES] [-n COUNT] "
                 "[-o OFFSET] [-w CODE] HOST check|write|read|status\n",
                 argv[0]);
    return 2;
  }
  try {
    run(options, argv[optind], what);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[optind], error.what());
    return 1;
  }
  return 0;
}
