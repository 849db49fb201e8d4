// SPDX-License-Identifier: Apache-2.0
// One process that uses an adapter: its messages, doorbells, events and termination.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "driver/device/protocol.hpp"
#include "model/spec/layout/codes.hpp"
#include "sim/server/client_memory.hpp"
#include "sim/server/cm_service.hpp"
#include "sim/server/descriptor.hpp"
#include "sim/server/doorbells.hpp"
#include "sim/server/external_ports.hpp"
#include "sim/server/fabric.hpp"
#include "sim/server/fault_control.hpp"
#include "sim/server/ownership.hpp"
#include "sim/server/simulated_time.hpp"

namespace roci::sim {

class Client;

/// Functions and objects of the server that clients use.
struct ServerContext {
  Fabric& fabric;
  ClientMemory& memory;
  const ExternalPorts& external_ports;
  CmService& cm;
  FaultControl& faults;
  SimulatedTime& time;
  unsigned width;
  /// A free address space, 0: none.
  std::function<std::uint32_t()> new_pasid;
  /// Replies to kStatus or kQueuePairs when the counters have been read.
  std::function<void(std::shared_ptr<Client>, driver::protocol::Header)> status;
  std::function<void()> shut_down;
  /// Sets the link of an adapter up or down; false: no such adapter.
  std::function<bool(std::uint32_t adapter, bool up)> set_link;
  std::function<void(const std::string&)> log;
};

class Client final : public std::enable_shared_from_this<Client> {
 public:
  Client(Descriptor socket, ServerContext& server);
  ~Client();

  // For the server's poll().
  int socket() const { return socket_.get(); }
  int pidfd() const { return pidfd_.get(); }
  bool wants_messages() const { return !ended_ && commands_ < kMostCommands; }
  /// Where the events of a channel of the connection manager go; -1: another client.
  int cm_events() const { return cm_events_.get(); }
  /// Sockets of full channels with events waiting.
  std::vector<int> full_channels() const;

  /// Handles the messages received.
  void receive();
  /// Ends the client after the connection or the process ended, and destroys its objects.
  void end();
  bool ended() const { return ended_; }
  /// Whether, after end(), all its objects in the adapter are destroyed.
  bool gone() const { return gone_; }

  // Doorbells.
  void sleep(bool asleep);
  bool rung() const { return page_ != nullptr && page_->bell.load(std::memory_order_relaxed) != 0; }
  bool has_posts() const { return !posts_.empty(); }
  /// Passes doorbells to the adapter. Returns whether there were any, and whether a message waits.
  struct Taken {
    bool doorbells, message;
  };
  Taken take(std::uint64_t now_ns);
  void publish(std::uint64_t now_ns) {
    if (page_ != nullptr) page_->now_ns.store(now_ns, std::memory_order_relaxed);
  }

  // Events.
  bool takes(unsigned adapter, const driver::Event& event) const;
  void deliver(const driver::Event& event);
  /// Reports that the port of the adapter went up or down.
  void report_port(bool up);
  /// Reports that the adapter failed; from now on it does nothing for the process.
  void report_fatal();
  void retry_events();

  /// Replies to kStatus or kQueuePairs with a file; -1: there is none.
  void reply_status(driver::protocol::Header request, int fd);

  pid_t pid() const { return pid_; }
  unsigned adapter() const { return adapter_; }
  std::uint32_t pasid() const { return pasid_; }
  const Ownership& owned() const { return owned_; }

  static constexpr unsigned kMostCommands = 16;
  static constexpr std::size_t kMostChannels = 64;
  static constexpr std::size_t kMostWaiting = 8192;  ///< events that a full channel keeps

 private:
  struct EventChannel {
    Descriptor socket;
    driver::protocol::Format format;
    std::uint32_t codes[16];
    std::deque<std::vector<std::uint8_t>> waiting;
  };
  struct Target {
    std::uint32_t channel;
    std::uint64_t cookie;
  };

  bool receive_one();
  void handle(const std::uint8_t* bytes, std::size_t size, Descriptor fd);
  void hello(const driver::protocol::Hello& message);
  void handle_cm(driver::protocol::Kind kind, const std::uint8_t* bytes, std::size_t size,
                 Descriptor fd);
  void open_cm(const driver::protocol::OpenCm& message, Descriptor events);
  bool reject(driver::protocol::Welcome& welcome, driver::protocol::Rejection rejection, int error,
              const std::string& text);
  bool make_page(Descriptor& file);
  void command(const driver::protocol::Command& message);
  void join_time(const driver::protocol::JoinTime& message);
  void handle_faults(const std::uint8_t* bytes, std::size_t size, Descriptor script);
  void add_channel(const driver::protocol::AddChannel& message, Descriptor fd);
  void remove_channel(const driver::protocol::RemoveChannel& message);
  void route(const driver::protocol::Route& message);
  void repeat(const driver::protocol::Repeat& message);
  void share(const driver::protocol::Share& message);
  void end_sharing(const driver::protocol::EndSharing& message);
  void forget_routes(layout::AdminOp opcode, const driver::Body& body);
  void destroy_objects(driver::Context& context);
  void reply_done(driver::protocol::Kind kind, std::uint32_t tag,
                  driver::protocol::Rejection rejection, int error = 0, int fd = -1);
  void reply(const void* message, std::size_t bytes, int fd = -1);
  void write(EventChannel& channel, std::vector<std::uint8_t> bytes);
  /// take() of an adapter that failed.
  Taken take_nothing();

  ServerContext& server_;
  Descriptor socket_, pidfd_;
  pid_t pid_ = 0;
  Descriptor cm_events_;
  CmService::Channel cm_channel_;
  bool joined_ = false, ended_ = false, gone_ = false;
  unsigned adapter_ = 0;
  std::uint32_t pasid_ = 0;
  driver::protocol::Page* page_ = nullptr;
  unsigned commands_ = 0;  ///< in progress
  Ownership owned_;
  Posts posts_;        ///< doorbells not yet passed to the adapter
  bool rang_ = false;  ///< doorbells were passed since the last command
  std::map<std::uint32_t, EventChannel> channels_;
  /// By object, number and format.
  std::map<std::tuple<driver::protocol::Object, std::uint32_t, driver::protocol::Format>, Target>
      routes_;
};

}  // namespace roci::sim
