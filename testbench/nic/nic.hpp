// SPDX-License-Identifier: Apache-2.0
// An adapter as a SystemC module: TLM-2.0 sockets to the host, frames to the link. It contains the
// verilated RTL or the reference adapter of model/nic.
#pragma once

#include <tlm.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "testbench/host/axi.hpp"
#include "testbench/link/link_direction.hpp"
#include "testbench/nic/engine.hpp"
#include "testbench/nic/engine_work.hpp"
#include "testbench/nic/moments.hpp"

namespace roci::testbench {

inline constexpr std::uint64_t kClockNs = 4;  ///< 250 MHz

struct NicConfig {
  AxiConfig axi;
  std::string trace;  ///< FST file; empty: none
  std::uint64_t trace_from_ns = 0, trace_to_ns = kNever;
  bool observed = false;  ///< its accesses and its work are reported to the listener
};

/// Events of the module, reported at the clock edge where they occur.
class NicListener {
 public:
  virtual ~NicListener() = default;
  /// A write of at most 64 bytes is in host memory (completions and events are such writes).
  virtual void memory_written(std::uint64_t address, const std::uint8_t* host, unsigned bytes) = 0;
  /// The adapter violated a rule of its bus.
  virtual void bus_fault(const std::string& text) = 0;
  /// A frame arrived from the Ethernet path.
  virtual void ethernet_frame(const packet::Bytes& frame) = 0;
  /// Inputs of the adapter: a register write, a frame. Listeners may ignore them.
  virtual void register_written(std::uint32_t, std::uint32_t) {}
  virtual void frame_received(const packet::Bytes&) {}
  /// An access to host memory has its response; called with NicConfig::observed, as the next two.
  virtual void bus_access(const BusAccess&) {}
  /// A block of the engine has work from this edge on, or no more.
  virtual void block_works(EngineBlock, std::uint64_t /*time_ns*/, bool /*works*/) {}
  /// A block handed something on.
  virtual void record_taken(const EngineRecord&) {}
};

/// One adapter. Pins are not signals: clock() evaluates it and moves all transfers of that edge by
/// plain calls, and SystemC sees register accesses and DMA only.
class Nic : public sc_core::sc_module {
 public:
  Nic(sc_core::sc_module_name name, LinkDirection& egress, LinkDirection& ingress,
      NicListener& listener);

  /// Register access of 4 bytes. A write is posted; a read returns with its data. The delay of the
  /// call is the time to the adapter: accesses take effect in order of arrival.
  tlm_utils::simple_target_socket<Nic> registers;
  /// Socket of DMA: direct pointers, or b_transport where the target gives none.
  tlm_utils::simple_initiator_socket<Nic> memory;

  /// Posts a register write from outside SystemC; false: the queue is full, the adapter must run
  /// first.
  bool post_write(std::uint32_t offset, std::uint32_t value, std::uint64_t arrives_ns);

  /// One clock edge at `now_ns`.
  virtual void clock(std::uint64_t now_ns) = 0;

  /// Earliest time at which an edge can change anything: now when work is in progress.
  virtual std::uint64_t wakes_at() const = 0;

  bool attention() const { return attention_; }  ///< firmware has something to do
  bool interrupt() const { return interrupt_; }
  /// Events to notify once SystemC time has caught up.
  std::vector<sc_core::sc_event*>& woken() { return woken_; }
  /// Whether host memory was written since the last call.
  virtual bool memory_changed() = 0;
  /// Sends a frame through the Ethernet path.
  void send_ethernet(packet::Bytes frame) { ethernet_out_.push_back(std::move(frame)); }

  std::uint64_t clocks() const { return clocks_; }  ///< clock edges evaluated
  const Moments& moments() const { return moments_; }
  virtual const AxiHost::Counts& dma() const = 0;
  /// Completes the waveforms: nothing is appended to them after this call.
  virtual void close_trace() {}

 protected:
  struct Access {
    bool write;
    std::uint32_t offset, value;
    std::uint64_t arrives_ns;
    sc_core::sc_event* done;  ///< end of a read
    std::uint32_t* result;
  };

  std::deque<Access> accesses_;
  bool in_access_ = false;  ///< the first access is in progress
  LinkDirection& egress_;
  LinkDirection& ingress_;
  NicListener& listener_;
  std::deque<packet::Bytes> ethernet_out_;
  bool attention_ = false, interrupt_ = false;
  std::uint64_t clocks_ = 0;
  Moments moments_;

  void finish_access(std::uint32_t value);
  void insert(const Access& access);
  static bool is_queue_doorbell(std::uint32_t offset);
  AxiHost::Found look_up(std::uint32_t pasid, std::uint64_t address, DirectRange& range);
  /// Transfers bytes of memory without pointers; `goes_on` as for AddressSpaces::write.
  bool transfer(bool write, std::uint32_t pasid, std::uint64_t address, std::uint8_t* data,
                std::size_t bytes, bool goes_on = false);
  /// Invalidates the pointers from look_up().
  virtual void forget_direct() = 0;

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  void invalidate(sc_dt::uint64, sc_dt::uint64) { forget_direct(); }

  std::vector<sc_core::sc_event*> woken_;
  tlm::tlm_generic_payload access_;  ///< that transfer() makes; it owns its extension
  sc_core::sc_event room_;
};

/// Base of the verilated adapters of all widths.
class RtlNic : public Nic {
 public:
  RtlNic(sc_core::sc_module_name name, const NicConfig& config, LinkDirection& egress,
         LinkDirection& ingress, NicListener& listener);

  std::uint64_t wakes_at() const override;
  bool memory_changed() override { return axi_.wrote(); }
  const AxiHost::Counts& dma() const override { return axi_.counts(); }

 protected:
  void forget_direct() override { axi_.forget_direct(); }

  AxiHost axi_;
  bool address_sent_ = false, data_sent_ = false;  ///< parts of the register access in progress
  unsigned owed_ = 0;                              ///< responses of writes that were not waited for
  std::size_t ethernet_sent_ = 0;
  packet::Bytes ethernet_in_;
  unsigned quiet_ = 0;  ///< edges in a row that found the adapter quiescent
  std::uint64_t deadline_ = kNever;
};

/// Creates the adapter; `width` is one of kWidths, of the data path when it is RTL. With a trace,
/// the slower model that can write it is used. Throws std::invalid_argument for another width or a
/// trace of the model, and std::runtime_error when this build does not have the adapter.
std::unique_ptr<Nic> make_nic(Engine engine, unsigned width, const char* name,
                              const NicConfig& config, LinkDirection& egress,
                              LinkDirection& ingress, NicListener& listener);
/// Whether this build has that adapter.
bool has_nic(unsigned width, bool traced);

}  // namespace roci::testbench
