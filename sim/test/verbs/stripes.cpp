// SPDX-License-Identifier: Apache-2.0
// A program that stripes over two adapters: a queue pair on each, and stripes of memory that the
// client writes over both in turn. When one fails, the client goes on with the other. Run by
// sim/test/adapters.py, which passes the lines "stripes: ADAPTER QPN GID ADDRESS RKEY" of each side
// to the other.
//
// usage: verbs_stripes client|server
#include <fcntl.h>

#include <cstdio>
#include <iostream>
#include <sstream>

#include "sim/test/verbs/user.hpp"

namespace roci::user {
namespace {

constexpr std::size_t kStripe = 4096, kSlots = 64;
constexpr unsigned kAfterLoss = 200;   ///< stripes that the client writes over the other path
constexpr std::uint8_t kTimeout = 14;  ///< 67 ms

/// What stripe `number` contains.
std::uint8_t content(std::uint64_t number, std::size_t at) {
  return static_cast<std::uint8_t>(number * 31 + at * 7 + (at >> 8));
}

/// One adapter, with the whole memory registered.
struct Path {
  Path(const std::string& name, std::vector<std::uint8_t>& memory)
      : name(name), device(name), queue(device, sizes()) {
    mr = need(ibv_reg_mr(device.pd, memory.data(), memory.size(), kAllAccess), "region");
    const int flags = fcntl(device.context->async_fd, F_GETFL);
    need_zero(fcntl(device.context->async_fd, F_SETFL, flags | O_NONBLOCK), "O_NONBLOCK");
    need_zero(queue.to_init(), "INIT");
    std::ostringstream gid;
    for (const std::uint8_t byte : device.gid.raw) {
      gid << std::hex << (byte >> 4) << (byte & 0xF);
    }
    std::cout << "stripes: " << name << ' ' << queue.qp->qp_num << ' ' << gid.str() << ' '
              << reinterpret_cast<std::uint64_t>(memory.data()) << ' ' << mr->rkey << std::endl;
  }
  ~Path() { ibv_dereg_mr(mr); }

  static Sizes sizes() {
    Sizes sizes;
    sizes.timeout = kTimeout;
    return sizes;
  }
  void connect() {
    std::string word, adapter, gid;
    std::uint32_t qpn = 0;
    std::cin >> word >> adapter >> qpn >> gid >> address >> rkey;
    if (adapter != name) throw std::runtime_error("lines of the peer are missing");
    ibv_qp_attr attr = queue.rtr_attributes(qpn);
    for (unsigned i = 0; i < 16; ++i) {
      attr.ah_attr.grh.dgid.raw[i] =
          static_cast<std::uint8_t>(std::stoul(gid.substr(2 * i, 2), nullptr, 16));
    }
    need_zero(ibv_modify_qp(queue.qp, &attr, Queue::kRtrMask), "RTR");
    need_zero(queue.to_rts(), "RTS");
  }
  /// Writes a stripe; false: the path has failed.
  bool write(std::vector<std::uint8_t>& memory, std::uint64_t number) {
    const std::size_t offset = number % kSlots * kStripe;
    for (std::size_t i = 0; i < kStripe; ++i) memory[offset + i] = content(number, i);
    ibv_send_wr wr = send_of(IBV_WR_RDMA_WRITE);
    wr.wr.rdma.remote_addr = address + offset;
    wr.wr.rdma.rkey = rkey;
    const auto at = reinterpret_cast<std::uint64_t>(memory.data() + offset);
    need_zero(queue.post(wr, at, kStripe, mr->lkey), "post");
    const ibv_wc wc = queue.next();
    if (wc.status == IBV_WC_SUCCESS) return true;
    if (wc.status != IBV_WC_RETRY_EXC_ERR) throw std::runtime_error(ibv_wc_status_str(wc.status));
    return false;
  }
  /// The asynchronous events that wait.
  std::string events() {
    std::string text;
    ibv_async_event event{};
    while (ibv_get_async_event(device.context, &event) == 0) {
      text += std::string(" ") + ibv_event_type_str(event.event_type);
      ibv_ack_async_event(&event);
    }
    return text;
  }

  std::string name;
  Device device;
  Queue queue;
  ibv_mr* mr;
  std::uint64_t address = 0;
  std::uint32_t rkey = 0;
};

void be_client(std::vector<Path*> paths, std::vector<std::uint8_t>& memory) {
  const std::vector<Path*> all = paths;
  std::uint64_t number = 0, last = ~std::uint64_t{0};
  for (; number < last; ++number) {
    Path* path = paths[number % paths.size()];
    if (!path->write(memory, number)) {
      if (paths.size() == 1) throw std::runtime_error("the other path has failed too");
      std::cout << "lost " << path->name << std::endl;
      paths = {path == all[0] ? all[1] : all[0]};
      last = number + kAfterLoss;
      if (!paths[0]->write(memory, number)) throw std::runtime_error("both paths have failed");
    }
    if (number == kSlots) std::cout << "running" << std::endl;
  }
  for (Path* path : all) std::cout << path->name << ':' << path->events() << std::endl;
  std::cout << "wrote " << number << std::endl;
}

void be_server(const std::vector<std::uint8_t>& memory) {
  std::uint64_t count = 0;
  std::cin >> count;
  for (std::uint64_t number = count - kSlots; number < count; ++number) {
    for (std::size_t i = 0; i < kStripe; ++i) {
      if (memory[number % kSlots * kStripe + i] != content(number, i)) {
        throw std::runtime_error("stripe " + std::to_string(number) + " differs");
      }
    }
  }
  std::cout << "all stripes are there" << std::endl;
}

}  // namespace
}  // namespace roci::user

int main(int count, char** words) {
  using namespace roci::user;
  const bool client = count == 2 && std::string(words[1]) == "client";
  std::vector<std::uint8_t> memory(kSlots * kStripe);
  try {
    Path first("roci0", memory), second("roci1", memory);
    first.connect();
    second.connect();
    std::cout << "connected" << std::endl;
    if (client) {
      be_client({&first, &second}, memory);
      std::string line;
      std::cin >> line;
    } else {
      be_server(memory);
    }
  } catch (const std::exception& error) {
    std::cout << "failed: " << error.what() << std::endl;
    return 1;
  }
  return 0;
}
