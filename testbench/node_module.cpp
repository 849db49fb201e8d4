// SPDX-License-Identifier: Apache-2.0
#include "testbench/node_module.hpp"

#include "model/spec/layout/registers.hpp"
#include "testbench/host/registers.hpp"

namespace roci::testbench {
namespace {

constexpr std::uint32_t kPasid = 0x00101;            // node 0; node 1 has the next
constexpr std::uint64_t kFirstAddress = 1ull << 40;  // node 0; node 1 at twice that
constexpr std::uint32_t kIpv4 = 0x0A000000;          // 10.0.0.0, and the host

driver::Gid ipv4_of(unsigned host) { return driver::gid_of_ipv4(kIpv4 + host); }
driver::Gid ipv6_of(unsigned host) {
  driver::Gid gid{};
  gid[0] = 0xFD;
  gid[15] = static_cast<std::uint8_t>(host);
  return gid;
}

}  // namespace

NodeModule::NodeModule(sc_core::sc_module_name name, unsigned index, const Config& config,
                       LinkDirection& egress, LinkDirection& ingress, Report report,
                       Report lockstep)
    : sc_module(name),
      port("port"),
      work(basename(), report),
      index_(index),
      config_(config),
      report_(std::move(report)),
      memory_("memory", kFirstAddress << index, config.seed + index) {
  NicConfig nic;
  nic.axi.bytes = config.width / 8;
  nic.axi.latency_ns = config.memory_ns;
  nic.axi.out_of_order = config.out_of_order;
  nic.axi.stall = config.stall;
  nic.axi.seed = config.seed * 2 + index;
  const bool traceable = !config.lockstep || config.engines[index] == Engine::kRtl;
  if (!config.trace.empty() && traceable) nic.trace = config.trace + "." + basename() + ".fst";
  nic.trace_from_ns = config.trace_from_ns;
  nic.trace_to_ns = config.trace_to_ns;
  nic.observed = config.tap != nullptr;
  nic_ = make_nic(config.engines[index], config.width, "nic", nic, egress, ingress, *this);
  if (config.lockstep && config.engines[index] == Engine::kRtl) {
    shadow_ = std::make_unique<Shadow>(
        basename(),
        [this](std::uint32_t space, std::uint64_t address, std::uint8_t* to, std::size_t bytes) {
          return memory_.peek(space, address, to, bytes);
        },
        std::move(lockstep));
  }
  port.bind(nic_->registers);
  nic_->memory.bind(memory_.socket);
  management_ = make_management(config.firmware,
                                {mac(), config.port_mtu,
                                 [this](bool write, std::uint32_t offset, std::uint32_t value) {
                                   return access(write, offset, value, sc_core::SC_ZERO_TIME);
                                 },
                                 [this] { return nic_->attention(); }, [this] { return now_ns(); },
                                 [](std::uint64_t ns) { sc_core::wait(time_of(ns)); },
                                 [this](const std::string& why) {
                                   report_(std::string(basename()) + ": firmware: " + why);
                                 }});
}

PortCounterValues NodeModule::port_counters() {
  constexpr std::uint32_t kSelect = layout::reg::kCounterSelect;
  constexpr std::uint32_t kLow = layout::reg::kCounterLo;
  constexpr std::uint32_t kHigh = layout::reg::kCounterHi;
  PortCounterValues values{};
  for (unsigned i = 0; i < values.size(); ++i) {
    access(true, kSelect, i, sc_core::SC_ZERO_TIME);
    const std::uint64_t low = access(false, kLow, 0, sc_core::SC_ZERO_TIME);
    values[i] = low | std::uint64_t{access(false, kHigh, 0, sc_core::SC_ZERO_TIME)} << 32;
  }
  return values;
}

void NodeModule::open() {
  driver::ContextOptions options;
  options.host_resolves = config_.node_ports.tap != nullptr;
  context_ = std::make_unique<driver::Context>(*this, options);
  context_->set_observer(&work);
  context_->set_gid(0, gid(), config_.vlan);
  if (context_->limits().lacks(driver::Option::kNetworks)) return;
  context_->set_gid(1, config_.ipv6 ? ipv4_of(host()) : ipv6_of(host()), config_.vlan);
}

driver::Gid NodeModule::gid() const { return config_.ipv6 ? ipv6_of(host()) : ipv4_of(host()); }

Node::Counts NodeModule::counts() const {
  const AxiHost::Counts& dma = nic_->dma();
  return {nic_->clocks(),  dma.reads,      dma.read_bytes,  dma.writes,
          dma.write_bytes, dma.most_reads, dma.most_writes, work.completions()};
}

std::uint32_t NodeModule::pasid() const { return kPasid + index_; }

std::uint32_t NodeModule::read32(std::uint32_t offset) {
  const std::uint32_t value = access(false, offset, 0, time_of(config_.register_ns));
  if (config_.register_ns != 0) sc_core::wait(time_of(config_.register_ns));
  return value;
}

void NodeModule::write32(std::uint32_t offset, std::uint32_t value) {
  access(true, offset, value, time_of(config_.register_ns));
}

bool NodeModule::write_words(std::uint32_t offset, const std::uint8_t* words, std::size_t bytes) {
  each_word(offset, words, bytes,
            [this](std::uint32_t at, std::uint32_t value) { write32(at, value); });
  return true;
}

void NodeModule::memory_written(std::uint64_t address, const std::uint8_t* host, unsigned bytes) {
  work.memory_written(edge_ns, address, host, bytes);
  if (shadow_) shadow_->memory_written(edge_ns, address, host, bytes);
}

void NodeModule::register_written(std::uint32_t offset, std::uint32_t value) {
  if (shadow_) shadow_->register_written(edge_ns, offset, value);
  if (config_.tap != nullptr) config_.tap->register_written(index_, edge_ns, offset, value);
}

void NodeModule::frame_received(const packet::Bytes& frame) {
  if (shadow_) shadow_->frame_received(edge_ns, frame);
}

void NodeModule::bus_fault(const std::string& text) {
  report_("I6: " + std::string(basename()) + ": " + text);
}

void NodeModule::ethernet_frame(const packet::Bytes& frame) {
  constexpr std::size_t kMost = 4096;  // bounds the memory for frames of an external peer
  if (bridge_ != nullptr && bridge_->from_ethernet(edge_ns, frame)) return;
  if (bridge_ == nullptr || ethernet_.size() < kMost) ethernet_.push_back(frame);
}

std::uint32_t NodeModule::access(bool write, std::uint32_t offset, std::uint32_t value,
                                 sc_core::sc_time delay) {
  return access_register(port, write, offset, value, delay);
}

}  // namespace roci::testbench
