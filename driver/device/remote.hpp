// SPDX-License-Identifier: Apache-2.0
// The connection to an adapter of a simulator that runs in another process (`roci up`). The
// simulator accesses the memory of this process by its virtual addresses: DMA address = address.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
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
    std::string node;    ///< such as "n0", for its first adapter, or "n0/roci1"
  };
  /// From ROCI_SOCKET and ROCI_NODE, as `roci exec` sets them; `adapter`: name of the adapter of
  /// that node, null for the first. Throws Error when they are not set.
  static Place place_from_environment(const char* adapter = nullptr);

  /// Throws Error with one line of text: no simulator there, no such node, no access by the
  /// simulator to the memory of this process (and what to change) ...
  explicit RemoteDevice(const Place& place);
  /// Closes the connection, upon which the simulator destroys all objects of the process.
  ~RemoteDevice() override;

  /// The simulator's reply to Hello.
  const protocol::Welcome& welcome() const { return welcome_; }
  std::uint64_t mac() const { return welcome_.mac; }
  /// Whether the simulator is running. One system call.
  bool alive() const;

  // Device. Registers: doorbells only, written only, without a system call unless the simulator
  // sleeps. Memory: whole pages, which the simulator maps too.
  std::uint32_t read32(std::uint32_t offset) override;
  void write32(std::uint32_t offset, std::uint32_t value) override;
  /// In the window of posts; the next doorbell of their queue pair hands the words over.
  bool write_words(std::uint32_t offset, const std::uint8_t* words, std::size_t bytes) override;
  DmaMemory allocate(std::size_t bytes, std::size_t alignment) override;
  void release(const DmaMemory& memory) override;
  std::uint32_t pasid() const override { return welcome_.pasid; }
  std::uint64_t now_ns() const override;
  /// `timeout_ns` is wall-clock time here. Throws Error when the simulator is gone.
  bool wait(const std::function<bool()>& ready, std::uint64_t timeout_ns) override;
  void wake() override;
  CommandPort* command_port() override { return this; }
  /// Events that have no route (below). One at a time.
  std::unique_ptr<EventQueue> open_events() override;

  /// Starts a thread that waits for the end of the simulator. It makes gone() true and then calls
  /// `then`; from then on nothing writes the memory of this process.
  void watch(std::function<void()> then);
  /// Ends that thread; not from `then`.
  void unwatch() { hangup_.reset(); }
  [[nodiscard]] bool gone() const override { return gone_.load(std::memory_order_acquire); }

  /// For loops that poll queues: a count that changes when DMA wrote to this process, and a wait
  /// until it differs from `seen`, for at most `timeout_ns` of wall-clock time.
  std::uint32_t written() const;
  void wait_written(std::uint32_t seen, std::uint64_t timeout_ns);

  // CommandPort. Waits for the reply without a limit (`timeout_ns` is not used); throws Error when
  // the simulator exits. The simulator sets `pasid` fields.
  std::optional<CommandReply> exchange(layout::AdminOp opcode, const Body& body,
                                       std::uint64_t timeout_ns = kForever) override;

  /// Opens a channel and returns its read end: a socket on which poll() and O_NONBLOCK work and
  /// each read() returns one event in `format`. The caller closes it after remove_channel. `codes`:
  /// 16 numbers, for kAsync.
  int add_channel(std::uint32_t id, protocol::Format format, const std::uint32_t* codes = nullptr);
  void remove_channel(std::uint32_t id);
  /// Sends events of an object of this process to a channel; see protocol::Route.
  void route(protocol::Object object, std::uint32_t number, std::uint32_t channel,
             std::uint64_t cookie);
  /// Writes an event back to a channel; see protocol::Repeat. When the simulator is gone, this
  /// process writes it.
  void repeat(std::uint32_t channel, std::uint64_t cookie, std::uint32_t code = 0);
  /// Ends a channel that no simulator writes any more: after its last event a read returns 0 bytes.
  void end_channel(std::uint32_t channel);

 private:
  void ring(protocol::Doorbells& doorbells, std::uint32_t number, std::uint32_t value);
  void arm(std::uint32_t number, std::uint32_t value);
  void report(std::uint32_t bell);
  void request(void* message, std::size_t bytes, void* reply, std::size_t reply_bytes, int fd,
               int* reply_fd);
  void done(void* message, std::size_t bytes, int fd);
  bool share(std::uintptr_t first, std::size_t bytes);
  void end_sharing(std::uintptr_t first);

  int socket_ = -1;
  int process_ = 0;  ///< process that opened the device
  protocol::Page* page_ = nullptr;
  protocol::Welcome welcome_{};
  std::mutex exchanging_;
  std::uint32_t tag_ = 0;
  std::mutex sharing_;
  std::set<std::uintptr_t> shared_;  ///< first addresses of memory that the simulator maps
  /// Write ends of the channels for libibverbs, used after the simulator is gone.
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
