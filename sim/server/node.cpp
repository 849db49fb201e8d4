// SPDX-License-Identifier: Apache-2.0
#include "sim/server/node.hpp"

#include <algorithm>

#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/commands.hpp"
#include "testbench/host/registers.hpp"

namespace roci::sim {
namespace {

constexpr std::uint32_t kFirstPasid =
    0x100;  // PASIDs of the simulator itself, one for each adapter
constexpr std::uint64_t kFirstAddress = 1ull << 40;
constexpr std::uint64_t kMac = 0x525400000000;  // locally administered
constexpr std::uint32_t kIpv4 = 0x0A000000;     // 10.0.0.0
constexpr unsigned kNetworkShift = 8;
constexpr unsigned kPortMtu = 4200;  // bytes that an Ethernet frame may carry
constexpr std::uint64_t kPollNs = 1000;
constexpr unsigned kEventLog = 10;  // entries of an event queue, log2

using testbench::time_of;

driver::Gid gid_of_ipv6(const AdapterAddress& address) {
  driver::Gid gid{};
  gid[0] = 0xFD;
  gid[7] = static_cast<std::uint8_t>(address.network);
  gid[15] = static_cast<std::uint8_t>(address.host);
  return gid;
}

/// fe80:: and the EUI-64 of the port.
driver::Gid link_local(std::uint64_t mac) {
  driver::Gid gid{};
  gid[0] = 0xFE;
  gid[1] = 0x80;
  for (unsigned i = 0; i < 3; ++i) {
    gid[8 + i] = static_cast<std::uint8_t>(mac >> (40 - 8 * i));
    gid[13 + i] = static_cast<std::uint8_t>(mac >> (16 - 8 * i));
  }
  gid[8] ^= 2;
  gid[11] = 0xFF;
  gid[12] = 0xFE;
  return gid;
}

}  // namespace

FabricAdapter::FabricAdapter(sc_core::sc_module_name name, unsigned index,
                             const AdapterAddress& address, testbench::Engine engine,
                             unsigned width, testbench::FirmwareOn firmware,
                             const testbench::NicConfig& config, testbench::LinkDirection& egress,
                             testbench::LinkDirection& ingress, testbench::AddressSpaces& processes,
                             OnFault on_fault, testbench::AdapterTap* tap)
    : sc_module(name),
      index_(index),
      address_(address),
      on_fault_(std::move(on_fault)),
      tap_(tap),
      memory_("memory", kFirstAddress * (index + 1), config.axi.seed),
      nic_(testbench::make_nic(engine, width, "nic", config, egress, ingress, *this)),
      port_("port") {
  memory_.attach(&processes);
  port_.bind(nic_->registers);
  nic_->memory.bind(memory_.socket);
  management_ = testbench::make_management(
      firmware, {mac(), kPortMtu,
                 [this](bool write, std::uint32_t offset, std::uint32_t value) {
                   return access(write, offset, value);
                 },
                 [this] { return nic_->attention(); }, [this] { return now_ns(); },
                 [](std::uint64_t ns) { sc_core::wait(time_of(ns)); },
                 [this](const std::string& why) { firmware_stopped(why); }});
}

/// Commands get no reply any more: before the adapter is open the simulator cannot start, later
/// they end with the driver's timeout.
void FabricAdapter::firmware_stopped(const std::string& why) {
  const std::string text = std::string(basename()) + ": firmware: " + why;
  if (!ready_) throw std::runtime_error(text);
  on_fault_(text);
}

std::uint64_t AdapterAddress::mac() const {
  return kMac + (std::uint64_t{network} << kNetworkShift) + host;
}

void FabricAdapter::run_firmware() {
  for (;;) {
    const std::uint64_t again = management_->run();
    if (nic_->attention()) {
      // Its writes have not reached the adapter yet, or a command waits for an address.
      sc_core::wait(time_of(management_->idle() ? kPollNs : testbench::kClockNs));
      continue;
    }
    firmware_sleeps_ = true;
    if (again == testbench::kNever) {
      sc_core::wait(firmware_wakes_);
    } else {
      const std::uint64_t now = now_ns();
      sc_core::wait(time_of(again > now ? again - now : testbench::kClockNs), firmware_wakes_);
    }
    firmware_sleeps_ = false;
  }
}

void FabricAdapter::run_jobs() {
  driver::ContextOptions options;
  options.event_log = kEventLog;
  options.host_resolves = host_resolves();
  context_ = std::make_unique<driver::Context>(*this, options);
  open();
  ready_ = true;
  opened_.notify(sc_core::SC_ZERO_TIME);
  for (;;) {
    while (jobs_.empty()) sc_core::wait(job_came_);
    const Job job = std::move(jobs_.front());
    jobs_.pop_front();
    job(*context_);
  }
}

void FabricAdapter::open() {
  const NodeGid wanted[] = {
      {driver::gid_of_ipv4(kIpv4 + (address_.network << kNetworkShift) + address_.host), false},
      {gid_of_ipv6(address_), false},
      {link_local(mac()), false},
      {link_local(mac()), true}};
  gids_.resize(context_->limits().max_gid);
  const bool ipv4_alone = context_->limits().lacks(driver::Option::kNetworks);
  const std::size_t most = ipv4_alone ? 1 : std::size(wanted);
  for (unsigned i = 0; i < most && i < gids_.size(); ++i) {
    context_->set_gid(i, wanted[i].gid, {}, wanted[i].roce_v1);
    const driver::Body entry = context_->execute(
        layout::AdminOp::kQueryGid, driver::Body().put(layout::query_gid::index, i), "query GID");
    if ((entry.get(layout::query_gid_reply::roce_v1) != 0) == wanted[i].roce_v1) {
      gids_[i] = wanted[i];
    } else {
      context_->set_gid(i, {});  // an adapter without RoCE v1
    }
  }
  try {
    for (unsigned i = 0; i < context_->limits().max_pkeys; ++i) {
      pkeys_.push_back(context_->query_pkey(i));
    }
  } catch (const driver::Error& error) {  // an adapter with one entry has no table
    if (error.status() != driver::AdminStatus::kBadOpcode) throw;
    pkeys_ = {context_->query_port().pkey};
  }
}

void FabricAdapter::run_events() {
  sc_core::wait(opened_);
  for (;;) {
    const auto event = context_->events().wait();
    if (event && on_event_) on_event_(index_, *event);
  }
}

sc_core::sc_event& FabricAdapter::submit(Job job) {
  jobs_.push_back(std::move(job));
  return job_came_;
}

void FabricAdapter::collect_woken(std::vector<sc_core::sc_event*>& woken) {
  if (nic_->memory_changed()) waiters_.collect(woken);
  auto& accesses = nic_->woken();
  woken.insert(woken.end(), accesses.begin(), accesses.end());
  accesses.clear();
  if (nic_->attention() && firmware_sleeps_) {
    firmware_sleeps_ = false;
    woken.push_back(&firmware_wakes_);
  }
}

std::uint32_t FabricAdapter::read32(std::uint32_t offset) { return access(false, offset, 0); }
void FabricAdapter::write32(std::uint32_t offset, std::uint32_t value) {
  access(true, offset, value);
}
driver::DmaMemory FabricAdapter::allocate(std::size_t bytes, std::size_t alignment) {
  return memory_.allocate(pasid(), bytes, alignment);
}
void FabricAdapter::release(const driver::DmaMemory& memory) { memory_.release(pasid(), memory); }
std::uint32_t FabricAdapter::pasid() const { return kFirstPasid + index_; }

std::uint64_t FabricAdapter::now_ns() const {
  static const std::uint64_t kTicks = sc_core::sc_time(1, sc_core::SC_NS).value();
  return sc_core::sc_time_stamp().value() / kTicks;
}

bool FabricAdapter::wait(const std::function<bool()>& ready, std::uint64_t timeout_ns) {
  return waiters_.wait(ready, timeout_ns);
}

void FabricAdapter::wake() { waiters_.wake(); }

void FabricAdapter::bus_fault(const std::string& text) {
  on_fault_(std::string(basename()) + ": " + text);
}

std::uint32_t FabricAdapter::access(bool write, std::uint32_t offset, std::uint32_t value) {
  return testbench::access_register(port_, write, offset, value, sc_core::SC_ZERO_TIME);
}

}  // namespace roci::sim
