// SPDX-License-Identifier: Apache-2.0
// Serves processes on a socket while the fabric runs, and decides how simulated time passes.
#pragma once

#include <poll.h>

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/server/client.hpp"
#include "sim/server/counter_files.hpp"
#include "sim/server/external_ports.hpp"
#include "sim/server/simulated_time.hpp"
#include "testbench/ports/pace.hpp"

namespace roci::sim {

class Server final : public Surroundings {
 public:
  /// `listener`: a socket of kind SOCK_SEQPACKET. `about`: status besides the numbers (kStatus).
  Server(Fabric& fabric, ClientMemory& memory, const ExternalPorts& external_ports, unsigned width,
         faults::Scripts& scripts, const TimeOptions& time, Descriptor listener,
         nlohmann::json about, std::function<void(const std::string&)> log);

  CounterService& counters() { return counters_; }
  FaultControl& faults() { return faults_; }
  /// Sets the function to call when the link of an adapter goes up or down.
  void set_on_link(std::function<void(unsigned adapter, bool up)> call) {
    on_link_ = std::move(call);
  }

  /// Runs until a process sends kShutdown, or SIGTERM or SIGINT is received.
  void run();

  // Surroundings
  void look(std::uint64_t now_ns) override;
  std::uint64_t rest(std::uint64_t now_ns, std::uint64_t until_ns) override;

  static constexpr std::size_t kMostClients = 256;
  /// Wall-clock time between polls of sockets while the simulation runs.
  static constexpr std::uint64_t kPollNs = 1'000'000;

 private:
  bool serve(std::uint64_t now_ns, std::uint64_t real_ns);
  void look_simulated(std::uint64_t now_ns);
  std::uint64_t rest_simulated(std::uint64_t now_ns, std::uint64_t until_ns);
  void serve_for(std::uint64_t ns);
  bool rung() const;
  bool rings_within(std::uint64_t ns) const;
  void sleep(bool asleep);
  bool take_doorbells(std::uint64_t now_ns);
  void poll_sockets(const timespec* timeout);
  void poll_for(std::uint64_t real_ns);
  nlohmann::json external_port_of(unsigned adapter) const;
  nlohmann::json connection_manager_of(unsigned adapter) const;
  void accept_one();
  void on_event(unsigned adapter, const driver::Event& event);
  void status(const std::shared_ptr<Client>& client, driver::protocol::Header request);
  nlohmann::json queue_pairs_of(unsigned adapter, driver::Context& context);
  nlohmann::json numbers() const;
  bool set_link(std::uint32_t adapter, bool up);
  void kill(unsigned adapter);
  std::uint32_t new_pasid();

  Fabric& fabric_;
  ClientMemory& memory_;
  const ExternalPorts& external_ports_;
  bool live_ = false;  ///< an external port is coupled to real time
  testbench::ports::Pace pace_;
  Descriptor listener_, signals_;
  nlohmann::json about_;
  std::function<void(const std::string&)> log_;
  std::function<void(unsigned, bool)> on_link_;
  SimulatedTime time_;
  CmService cm_;
  FaultControl faults_;
  CounterService counters_;
  ServerContext context_;
  std::vector<std::shared_ptr<Client>> clients_;
  std::vector<pollfd> polled_;
  std::uint64_t polled_at_ns_ = 0;
  std::uint64_t accept_from_ns_ = 0;  ///< when descriptors ran out
  bool message_waits_ = false;
  bool frame_waits_ = false;
  bool worked_ = false;  ///< since the simulation rested
  unsigned looks_ = 0;
  bool passed_on_ = false;  ///< adapters received doorbells or frames since the simulation rested
  std::uint32_t next_pasid_;
};

}  // namespace roci::sim
