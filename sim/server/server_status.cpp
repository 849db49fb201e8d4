// SPDX-License-Identifier: Apache-2.0
// Status of the simulator, for `roci status`.
#include <map>

#include "driver/cm/mad/ip.hpp"
#include "driver/queue_pair.hpp"
#include "sim/server/server.hpp"

namespace roci::sim {
namespace {

nlohmann::json counters_of(driver::Context& context) {
  const driver::PortCounters counters = context.port_counters();
  nlohmann::json drops = nlohmann::json::object();
  for (std::size_t i = 0; i < counters.drops.size(); ++i) {
    drops[std::string(spec::kDropCauses[i].name)] = counters.drops[i];
  }
  return {{"rx_frames", counters.rx_frames},
          {"rx_bytes", counters.rx_bytes},
          {"tx_frames", counters.tx_frames},
          {"tx_bytes", counters.tx_bytes},
          {"rx_roce", counters.rx_roce},
          {"rx_ethernet", counters.rx_ethernet},
          {"qkey_violations", counters.qkey_violations},
          {"discards", counters.discards},
          {"drops", drops}};
}

nlohmann::json counters_of(driver::Context& context, std::uint32_t queue_pair) {
  const driver::QpCounters counters = driver::query_counters(context, queue_pair);
  return {{"tx_packets", counters.tx_packets}, {"tx_bytes", counters.tx_bytes},
          {"rx_packets", counters.rx_packets}, {"rx_bytes", counters.rx_bytes},
          {"retries", counters.retries},       {"timeouts", counters.timeouts},
          {"naks_sent", counters.naks_sent},   {"naks_received", counters.naks_received}};
}

const char* name_of(cm::PortSpace space) {
  switch (space) {
    case cm::PortSpace::kTcp:
      return "tcp";
    case cm::PortSpace::kUdp:
      return "udp";
    case cm::PortSpace::kIb:
      return "ib";
  }
  return "";
}

}  // namespace

void Server::status(const std::shared_ptr<Client>& client, driver::protocol::Header request) {
  const bool each = request.kind == static_cast<std::uint32_t>(driver::protocol::Kind::kQueuePairs);
  // The counters of all adapters first, one after the other.
  auto found = std::make_shared<std::map<unsigned, nlohmann::json>>();
  for (unsigned i = 0; i < fabric_.adapters(); ++i) {
    fabric_.submit(i, [this, client, request, each, found, i](driver::Context& context) {
      nlohmann::json counts;
      try {
        counts["port"] = counters_of(context);
      } catch (const driver::Error&) {
        counts["port"] = nullptr;
      }
      if (each) counts["queue_pairs"] = queue_pairs_of(i, context);
      (*found)[i] = std::move(counts);
      if (found->size() != fabric_.adapters()) return;
      nlohmann::json all = numbers();
      for (const auto& [node, numbers] : *found) all["nodes"][node].update(numbers);
      client->reply_status(request, file_of(all.dump()).get());
    });
  }
}

/// The queue pairs of an adapter with their counters, without those that end meanwhile.
nlohmann::json Server::queue_pairs_of(unsigned adapter, driver::Context& context) {
  nlohmann::json list = nlohmann::json::array();
  for (const faults::QueuePair& pair : faults_.registry().queue_pairs(adapter)) {
    const auto* process = faults_.registry().process_of(pair);
    try {
      const auto state = driver::query_queue_pair(context, pair.number).state;
      list.push_back({{"number", pair.number},
                      {"pid", pair.pid},
                      {"program", process == nullptr ? "" : process->names.back()},
                      {"nth", pair.nth},
                      {"peer", pair.peer},
                      {"counters", nullptr},
                      {"state", spec::name_of(spec::kQpStates, layout::number(state))}});
      list.back()["counters"] = counters_of(context, pair.number);
    } catch (const driver::Error&) {
      continue;  // it was destroyed, or the engine has no such counters
    }
  }
  return list;
}

/// The connection manager of a node, which is shown with its first adapter; null: another one.
nlohmann::json Server::connection_manager_of(unsigned adapter) const {
  if (fabric_.names().place_of(adapter) != 0) return nullptr;
  const unsigned node = fabric_.names().node_of(adapter);
  const cm::Ucm& device = cm_.device(node);
  const cm::ManagerCounts& counts = device.manager().counts();
  nlohmann::json listening = nlohmann::json::array();
  for (const std::uint64_t id : device.manager().services()) {
    if (const auto service = cm::service_of(id)) {
      listening.push_back({{"space", name_of(service->space)}, {"port", service->port}});
    }
  }
  return {{"listening", listening},
          {"channels", device.channels()},
          {"identifiers", device.identifiers()},
          {"connections", device.manager().size()},
          {"received", counts.received},
          {"sent", counts.sent},
          {"malformed", counts.malformed},
          {"unknown", counts.unknown},
          {"unexpected", counts.unexpected},
          {"rejected", counts.rejected},
          {"stale", counts.stale},
          {"dropped", cm_.dropped(node)}};
}

/// Returns null when the adapter has no external port.
nlohmann::json Server::external_port_of(unsigned adapter) const {
  const auto& line = fabric_.lines()[adapter];
  if (!line) return nullptr;
  const ExternalPortPlan& plan = external_ports_.plan(adapter);
  const auto numbers = [](const testbench::ports::ExternalPort* port) -> nlohmann::json {
    if (port == nullptr) return nullptr;
    const testbench::ports::ExternalPort::Counts& counts = port->counts();
    return {{"sent", counts.sent},
            {"received", counts.received},
            {"send_failures", counts.send_failures},
            {"malformed", counts.malformed}};
  };
  nlohmann::json wire = {{"wire", plan.wire}, {"netdev", plan.netdev}};
  wire["port"] = numbers(line->ports().port);
  wire["tap"] = numbers(line->ports().tap);
  return wire;
}

nlohmann::json Server::numbers() const {
  nlohmann::json all = about_;
  const ClientMemory::Counts& dma = memory_.counts();
  all["simulated_ns"] = fabric_.now_ns();
  all["clocks"] = fabric_.clocks();
  all["time"] = time_.status();
  all["dma"] = {{"reads", dma.reads},
                {"calls_to_read", dma.calls_to_read},
                {"writes", dma.writes},
                {"failures", dma.failures}};
  const Switch::Drops& drops = fabric_.middle().drops();
  all["switch_drops"] = {{"unknown_address", drops.unknown},
                         {"congested", drops.congested},
                         {"unplugged", drops.unplugged},
                         {"silenced", drops.silenced}};
  all["faults"] = faults_.scripts().list();
  all["nodes"] = nlohmann::json::array();
  for (unsigned i = 0; i < fabric_.adapters(); ++i) {
    const testbench::LinkDirection::Counts& link = fabric_.middle().from(i).counts();
    nlohmann::json node = {{"name", fabric_.names().name_of(i)},
                           {"node", node_name(fabric_.names().node_of(i))},
                           {"adapter", verbs::device_name(fabric_.names().place_of(i))},
                           {"clocks", fabric_.adapter(i).nic().clocks()},
                           {"link",
                            {{"up", fabric_.middle().linked(i)},
                             {"frames", link.frames},
                             {"lost", link.dropped},
                             {"corrupted", link.corrupted},
                             {"duplicated", link.duplicated},
                             {"delayed", link.delayed}}},
                           {"external_port", external_port_of(i)},
                           {"connection_manager", connection_manager_of(i)},
                           {"processes", nlohmann::json::array()}};
    for (const auto& client : clients_) {
      if (client->pasid() == 0 || client->adapter() != i) continue;
      const auto count = [&](Owned kind) { return client->owned().of(kind).size(); };
      node["processes"].push_back({{"pid", client->pid()},
                                   {"pasid", client->pasid()},
                                   {"ended", client->ended()},
                                   {"queue_pairs", count(Owned::kQueuePair)},
                                   {"completion_queues", count(Owned::kCompletionQueue)},
                                   {"regions", count(Owned::kRegion)},
                                   {"windows", count(Owned::kWindow)},
                                   {"address_handles", count(Owned::kAddressHandle)},
                                   {"shared_receive_queues", count(Owned::kSharedReceiveQueue)},
                                   {"domains", count(Owned::kDomain)}});
    }
    all["nodes"].push_back(std::move(node));
  }
  return all;
}

}  // namespace roci::sim
