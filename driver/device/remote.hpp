// SPDX-License-Identifier: Apache-2.0
// The way to an adapter of a simulator that runs in another process (`roci up`). The simulator
// reads and writes the memory of this process by its own addresses: DMA address = address.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "driver/device/command_port.hpp"
#include "driver/device/hangup.hpp"
#include "driver/device/protocol.hpp"
#include "driver/error.hpp"
#include "model/spec/layout/codes.hpp"

namespace roci::driver {

/// Every method may be called from any thread at any time. A child made by fork() must not use the
/// device of its parent: methods that talk to the simulator throw there.
class RemoteDevice final : public Device, public CommandPort {
 public:
  /// Which adapter.
  struct Place {
    std::string socket;  ///< path
    std::string node;    ///< such as "n0"
  };
  /// From ROCI_SOCKET and ROCI_NODE, as `roci exec` sets them. Throws Error when they are not set.
  static Place place_from_environment();

  /// Throws Error with one line for people: no simulator there, no such node, the simulator cannot
  /// reach this process's memory (and what to change) ...
  explicit RemoteDevice(const Place& place);
  /// All that the process made through this device is destroyed by the simulator.
  ~RemoteDevice() override;

  /// What the simulator said of itself.
  const protocol::Welcome& welcome() const { return welcome_; }
  std::uint64_t mac() const { return welcome_.mac; }
  /// The simulator is there. One system call.
  bool alive() const;

  // Device. Registers: only doorbells, written. They take no system call while the simulator works,
  // one when it sleeps. Memory: pages of their own.
  std::uint32_t read32(std::uint32_t offset) override;
  void write32(std::uint32_t offset, std::uint32_t value) override;
  DmaMemory allocate(std::size_t bytes, std::size_t alignment) override;
  void release(const DmaMemory& memory) override;
  std::uint32_t pasid() const override { return welcome_.pasid; }
  std::uint64_t now_ns() const override;
  /// Here `timeout_ns` is time of this machine. Throws Error when the simulator has gone.
  bool wait(const std::function<bool()>& ready, std::uint64_t timeout_ns) override;
  void wake() override;
  CommandPort* command_port() override { return this; }
  /// Events that have no route (below). One at a time.
  std::unique_ptr<EventQueue> open_events() override;

  /// From here on a thread waits for the end of the simulator. It makes gone() true, and then calls
  /// `then`; nothing writes the memory of this process any more.
  void watch(std::function<void()> then);
  /// Ends that thread; not from `then`.
  void unwatch() { hangup_.reset(); }
  [[nodiscard]] bool gone() const override { return gone_.load(std::memory_order_acquire); }

  /// For loops that poll queues by themselves: a count that changes when DMA wrote to this process,
  /// and a way to give up the processor until it is not `seen` any more, for `timeout_ns` at most.
  std::uint32_t written() const;
  void wait_written(std::uint32_t seen, std::uint64_t timeout_ns);

  // CommandPort. Waits for the answer as long as the simulator lives (`timeout_ns` is not used);
  // then throws Error. `pasid` fields are set by the simulator.
  std::optional<CommandReply> exchange(layout::AdminOp opcode, const Body& body,
                                       std::uint64_t timeout_ns = kForever) override;

  /// Opens a channel and gives the end to read events from: a socket that poll() and O_NONBLOCK
  /// work on; each read() gives one event as `format` says. The caller closes it after
  /// remove_channel. `codes`: 16 numbers, for kAsync.
  int add_channel(std::uint32_t id, protocol::Format format, const std::uint32_t* codes = nullptr);
  void remove_channel(std::uint32_t id);
  /// Sends events of an object of this process to a channel; see protocol::Route.
  void route(protocol::Object object, std::uint32_t number, std::uint32_t channel,
             std::uint64_t cookie);
  /// Puts an event back into a channel; see protocol::Repeat. When the simulator has gone, it comes
  /// from here.
  void repeat(std::uint32_t channel, std::uint64_t cookie, std::uint32_t code = 0);
  /// Whoever has read a channel empty reads its end from now on. For one that no simulator writes.
  void end_channel(std::uint32_t channel);

 private:
  void ring(protocol::Doorbells& doorbells, std::uint32_t number, std::uint32_t value);
  void arm(std::uint32_t number, std::uint32_t value);
  void report(std::uint32_t bell);
  void request(void* message, std::size_t bytes, void* reply, std::size_t reply_bytes, int fd,
               int* reply_fd);
  void done(void* message, std::size_t bytes, int fd);

  int socket_ = -1;
  int process_ = 0;  ///< the one that opened it
  protocol::Page* page_ = nullptr;
  protocol::Welcome welcome_{};
  std::mutex exchanging_;
  std::uint32_t tag_ = 0;
  /// The simulator's ends of channels, for when it has gone; of those for libibverbs.
  struct Writer {
    int fd;
    protocol::Format format;
  };
  std::mutex writing_;
  std::map<std::uint32_t, Writer> writers_;
  std::atomic<bool> gone_{false};
  std::unique_ptr<Hangup> hangup_;
};

}  // namespace roci::driver
