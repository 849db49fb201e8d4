// SPDX-License-Identifier: Apache-2.0
// A port of DPDK, polled from the simulation's own thread.
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_log.h>
#include <rte_mbuf.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <thread>
#include <vector>

#include "testbench/ports/dpdk_module.hpp"

namespace roci::testbench::ports {
namespace {

constexpr unsigned kBuffers = 2047, kBurst = 32, kRing = 512;
constexpr std::uint16_t kMtu = 4500;
constexpr unsigned kSendTries = 100;

/// Arguments of the EAL unless the user gives some: no huge pages, no files, no other devices, and
/// this thread may run on every processor.
std::vector<std::string> usual_words() {
  const unsigned last = std::max(1u, std::thread::hardware_concurrency()) - 1;
  return {"--no-huge",
          "-m",
          "128",
          "--no-telemetry",
          "--no-shconf",
          "--log-level=4",
          "--lcores=0@(0-" + std::to_string(last) + ")"};
}

/// Collects the messages of DPDK, because its return codes do not identify what is missing.
class Complaints {
 public:
  Complaints() : stream_(open_memstream(&text_, &bytes_)) { rte_openlog_stream(stream_); }
  ~Complaints() {
    rte_openlog_stream(nullptr);
    if (stream_ != nullptr) std::fclose(stream_);
    std::free(text_);
  }
  Complaints(const Complaints&) = delete;
  Complaints& operator=(const Complaints&) = delete;

  /// The first line, in brackets; empty when there is none.
  std::string first() {
    if (stream_ == nullptr || std::fflush(stream_) != 0 || bytes_ == 0) return "";
    const std::string all(text_, bytes_);
    return " (" + all.substr(0, all.find('\n')) + ")";
  }

 private:
  char* text_ = nullptr;
  std::size_t bytes_ = 0;
  FILE* stream_;
};

class DpdkPort final : public ExternalPort {
 public:
  DpdkPort(const std::string& device, const std::string& eal)
      : memif_(device.rfind("net_memif", 0) == 0) {
    std::vector<std::string> words = {"roci"};
    std::istringstream given(eal);
    const std::vector<std::string> usual = usual_words();
    for (std::string word; given >> word;) words.push_back(word);
    if (words.size() == 1) words.insert(words.end(), usual.begin(), usual.end());
    const bool made_up = device.rfind("net_", 0) == 0 || device.rfind("eth_", 0) == 0;
    words.push_back((made_up ? "--vdev=" : "--allow=") + device);
    if (made_up && eal.empty()) words.push_back("--no-pci");
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    Complaints complaints;
    if (rte_eal_init(static_cast<int>(pointers.size()), pointers.data()) < 0) {
      throw PortError("dpdk:" + device + ": " + rte_strerror(rte_errno) + complaints.first());
    }
    try {
      start(device);
    } catch (const PortError& error) {
      rte_eal_cleanup();
      throw PortError(error.what() + complaints.first());
    }
  }
  ~DpdkPort() override {
    for (; taken_ < come_; ++taken_) rte_pktmbuf_free(burst_[taken_]);
    rte_eth_dev_stop(port_);
    rte_eth_dev_close(port_);
    // memif leaves a handler that the EAL's interrupt thread still uses: its memory stays allocated
    // until the process ends, which follows.
    if (!memif_) rte_eal_cleanup();
  }

  bool send(std::uint64_t, const packet::Bytes& frame) override {
    rte_mbuf* buffer = rte_pktmbuf_alloc(pool_);
    char* room = buffer == nullptr
                     ? nullptr
                     : rte_pktmbuf_append(buffer, static_cast<std::uint16_t>(frame.size()));
    if (room == nullptr) {
      rte_pktmbuf_free(buffer);
      ++counts_.send_failures;
      return true;
    }
    std::memcpy(room, frame.data(), frame.size());
    for (unsigned i = 0; i < kSendTries; ++i) {
      if (rte_eth_tx_burst(port_, 0, &buffer, 1) == 1) {
        ++counts_.sent;
        return true;
      }
    }
    rte_pktmbuf_free(buffer);
    ++counts_.send_failures;
    return true;
  }

  bool receive(std::uint64_t, packet::Bytes& frame) override {
    for (;;) {
      if (taken_ == come_) {
        taken_ = 0;
        come_ = rte_eth_rx_burst(port_, 0, burst_.data(), kBurst);
        if (come_ == 0) return false;
      }
      rte_mbuf* buffer = burst_[taken_++];
      frame.clear();
      for (const rte_mbuf* part = buffer; part != nullptr; part = part->next) {
        const auto* bytes = rte_pktmbuf_mtod(part, const std::uint8_t*);
        frame.insert(frame.end(), bytes, bytes + rte_pktmbuf_data_len(part));
      }
      rte_pktmbuf_free(buffer);
      if (!sound(frame.size())) continue;
      ++counts_.received;
      return true;
    }
  }

 private:
  void start(const std::string& device) {
    const auto check = [&](int result, const char* what) {
      if (result < 0)
        throw PortError("dpdk:" + device + ": " + what + ": " + rte_strerror(-result));
    };
    if (rte_eth_dev_count_avail() == 0) {
      throw PortError("dpdk:" + device + ": there is no such port");
    }
    port_ = static_cast<std::uint16_t>(rte_eth_find_next(0));
    pool_ = rte_pktmbuf_pool_create("roci", kBuffers, 0, 0, kMaxFrame + RTE_PKTMBUF_HEADROOM,
                                    static_cast<int>(rte_socket_id()));
    if (pool_ == nullptr) throw PortError("dpdk:" + device + ": " + rte_strerror(rte_errno));
    rte_eth_dev_info info;
    check(rte_eth_dev_info_get(port_, &info), "query");
    rte_eth_conf conf{};
    check(rte_eth_dev_configure(port_, 1, 1, &conf), "configure");
    // Ports without an MTU carry every frame.
    rte_eth_dev_set_mtu(port_, std::min(kMtu, info.max_mtu));
    std::uint16_t receive = kRing, send = kRing;
    check(rte_eth_dev_adjust_nb_rx_tx_desc(port_, &receive, &send), "rings");
    check(rte_eth_rx_queue_setup(port_, 0, receive, rte_socket_id(), nullptr, pool_), "receive");
    check(rte_eth_tx_queue_setup(port_, 0, send, rte_socket_id(), nullptr), "send");
    check(rte_eth_dev_start(port_), "start");
    rte_eth_promiscuous_enable(port_);
  }

  const bool memif_;
  std::uint16_t port_ = 0;
  rte_mempool* pool_ = nullptr;
  std::array<rte_mbuf*, kBurst> burst_{};
  unsigned taken_ = 0, come_ = 0;
};

}  // namespace
}  // namespace roci::testbench::ports

extern "C" roci::testbench::ports::ExternalPort* roci_make_dpdk_port(const char* arguments,
                                                                     const char* eal) {
  static bool made = false;  // the EAL starts once in a process
  if (made) throw roci::testbench::ports::PortError("one dpdk port in a process");
  made = true;
  return new roci::testbench::ports::DpdkPort(arguments, eal);
}
