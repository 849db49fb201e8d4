// SPDX-License-Identifier: Apache-2.0
// The pins of a verilated roci_nic, moved by plain copies.
#pragma once

#include <verilated.h>
#if VM_COVERAGE
#include <unistd.h>
#include <verilated_cov.h>

#include <cstdlib>
#endif

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "model/spec/layout/registers.hpp"
#include "testbench/nic/nic.hpp"

namespace roci::testbench {

/// For models without waveforms.
struct NoTrace {};

/// `Probe` has the signals of roci_nic_probe.sv.
template <typename Model, typename Probe, unsigned kBytes, typename Trace>
class NicModel final : public RtlNic {
 public:
  NicModel(const char* name, const NicConfig& config, LinkDirection& egress, LinkDirection& ingress,
           NicListener& listener)
      : RtlNic(sc_core::sc_module_name(name), config, egress, ingress, listener),
        model_(&context_),
        trace_from_(config.trace_from_ns),
        trace_to_(config.trace_to_ns),
        observed_(config.observed) {
    if constexpr (kTraced) {
      context_.traceEverOn(true);
      constexpr int kAllLevels = 99;
      model_.trace(&trace_, kAllLevels);
      trace_.set_time_unit("1ns");
      trace_.set_time_resolution("1ns");
      trace_.open(config.trace.c_str());
      if (!trace_.isOpen()) throw std::runtime_error("cannot write " + config.trace);
    }
    model_.clk_i = 0;
    model_.rst_ni = 0;
    model_.m_axis_host_tready_i = 1;
    model_.s_axil_wstrb_i = 0xF;
    model_.s_axil_bready_i = 1;
    model_.s_axil_rready_i = 1;
    for (int i = 0; i < 4; ++i) {
      model_.eval();
      model_.clk_i = 1;
      model_.eval();
      model_.clk_i = 0;
    }
    model_.rst_ni = 1;
    Probe(model_).enable(observed_);
  }

  ~NicModel() override {
    // Scopes are erased from the thread's context, which is that of the last model made.
    Verilated::threadContextp(&context_);
    model_.final();
    if constexpr (kTraced) trace_.close();
#if VM_COVERAGE
    // The file for testbench/tools/coverage: one for each adapter of each process.
    static int number = 0;
    if (const char* folder = std::getenv("ROCI_COVERAGE_DIR")) {
      const std::string file = std::string(folder) + "/" + std::to_string(getpid()) + "_" +
                               std::to_string(number++) + ".dat";
      context_.coveragep()->write(file.c_str());
    }
#endif
  }

  void close_trace() override {
    if constexpr (kTraced) {
      trace_to_ = 0;
      trace_.close();
    }
  }

  void clock(std::uint64_t now_ns) override {
    ++clocks_;
    Model& m = model_;
    m.now_i = now_ns;
    drive_registers(now_ns);
    drive_memory(now_ns);
    const bool received = drive_link(now_ns);
    m.clk_i = 0;
    m.eval();
    dump(now_ns);

    // The outputs have settled: transfers that are valid and ready now occur at the edge.
    const bool read_done = m.s_axil_rvalid_o != 0;
    // Words of a post do not wait for their responses, which come in order.
    const bool owed = m.s_axil_bvalid_o != 0 && owed_ != 0;
    if (owed) --owed_;
    const bool write_done = m.s_axil_bvalid_o != 0 && !owed;
    const std::uint32_t read_value = m.s_axil_rdata_o;
    const bool address_taken = m.s_axil_awvalid_i != 0
                                   ? m.s_axil_awready_o != 0
                                   : m.s_axil_arvalid_i != 0 && m.s_axil_arready_o != 0;
    const bool data_taken = m.s_axil_wvalid_i != 0 && m.s_axil_wready_o != 0;
    take_memory(now_ns);
    take_link(now_ns, received);

    m.clk_i = 1;
    m.eval();
    dump(now_ns + kClockNs / 2);
    if (observed_) observe(now_ns);

    address_sent_ |= address_taken;
    data_sent_ |= data_taken;
    if (data_taken && is_queue_doorbell(m.s_axil_awaddr_i)) {
      moments_.doorbell_ns = now_ns;
      moments_.first_tx_ns = kNever;
    }
    const bool post = in_access_ && accesses_.front().write && address_sent_ && data_sent_ &&
                      accesses_.front().offset >= layout::window::kQpPost.offset;
    if (post) ++owed_;
    if (in_access_ && (post || (accesses_.front().write ? write_done : read_done))) {
      address_sent_ = data_sent_ = false;
      finish_access(read_value);
    }
    attention_ = m.attention_o != 0;
    interrupt_ = m.irq_o != 0;
    deadline_ = m.next_deadline_o;
    quiet_ = m.quiescent_o != 0 && !received ? quiet_ + 1 : 0;
  }

 private:
  static constexpr bool kTraced = !std::is_same_v<Trace, NoTrace>;

  template <typename Port>
  static std::uint8_t* bytes_of(Port& port) {
    static_assert(sizeof(Port) >= kBytes);
    return reinterpret_cast<std::uint8_t*>(&port);
  }
  static std::uint64_t keep_of(unsigned bytes) {
    return bytes >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bytes) - 1;
  }
  static unsigned bytes_kept(std::uint64_t keep) {
    return static_cast<unsigned>(__builtin_popcountll(keep));
  }

  void drive_registers(std::uint64_t now_ns) {
    Model& m = model_;
    if (!in_access_ && !accesses_.empty() && accesses_.front().arrives_ns <= now_ns) {
      in_access_ = true;
    }
    const bool write = in_access_ && accesses_.front().write;
    m.s_axil_awvalid_i = write && !address_sent_;
    m.s_axil_wvalid_i = write && !data_sent_;
    m.s_axil_arvalid_i = in_access_ && !write && !address_sent_;
    if (in_access_) {
      m.s_axil_awaddr_i = accesses_.front().offset;
      m.s_axil_araddr_i = accesses_.front().offset;
      m.s_axil_wdata_i = accesses_.front().value;
    }
  }

  void drive_memory(std::uint64_t now_ns) {
    Model& m = model_;
    axi_.prepare(now_ns);
    m.m_axi_arready_i = axi_.ar_ready;
    m.m_axi_awready_i = axi_.aw_ready;
    m.m_axi_wready_i = axi_.w_ready;
    m.m_axi_rvalid_i = axi_.r_valid;
    if (axi_.r_valid) {
      m.m_axi_rid_i = axi_.r_id;
      m.m_axi_rresp_i = axi_.r_resp;
      m.m_axi_rlast_i = axi_.r_last;
      std::memcpy(bytes_of(m.m_axi_rdata_i), axi_.r_data, kBytes);
    }
    m.m_axi_bvalid_i = axi_.b_valid;
    m.m_axi_bid_i = axi_.b_id;
    m.m_axi_bresp_i = axi_.b_resp;
  }

  void take_memory(std::uint64_t now_ns) {
    Model& m = model_;
    if (m.m_axi_rvalid_i && m.m_axi_rready_o) axi_.read_taken();
    if (m.m_axi_bvalid_i && m.m_axi_bready_o) axi_.response_taken();
    if (m.m_axi_arvalid_o && m.m_axi_arready_i) {
      axi_.address_read(now_ns, m.m_axi_arid_o, m.m_axi_araddr_o, m.m_axi_arlen_o,
                        m.m_axi_aruser_o);
    }
    if (m.m_axi_awvalid_o && m.m_axi_awready_i) {
      axi_.address_write(now_ns, m.m_axi_awid_o, m.m_axi_awaddr_o, m.m_axi_awlen_o,
                         m.m_axi_awuser_o);
    }
    if (m.m_axi_wvalid_o && m.m_axi_wready_i) {
      if (moments_.first_write_ns == kNever) moments_.first_write_ns = now_ns;
      axi_.write_data(now_ns, bytes_of(m.m_axi_wdata_o), m.m_axi_wstrb_o, m.m_axi_wlast_o != 0);
    }
  }

  bool drive_link(std::uint64_t now_ns) {
    Model& m = model_;
    m.m_axis_tx_tready_i = egress_.ready(now_ns);
    LinkDirection::Beat beat{};
    const bool received = ingress_.beat(now_ns, beat);
    m.s_axis_rx_tvalid_i = received;
    if (received) {
      std::uint8_t* to = bytes_of(m.s_axis_rx_tdata_i);
      std::memcpy(to, beat.data, beat.bytes);
      std::memset(to + beat.bytes, 0, kBytes - beat.bytes);
      m.s_axis_rx_tkeep_i = keep_of(beat.bytes);
      m.s_axis_rx_tlast_i = beat.last;
    }
    const bool ethernet = !ethernet_out_.empty();
    m.s_axis_host_tvalid_i = ethernet;
    if (ethernet) {
      const packet::Bytes& frame = ethernet_out_.front();
      const std::size_t left = frame.size() - ethernet_sent_;
      const unsigned bytes = static_cast<unsigned>(std::min<std::size_t>(left, kBytes));
      std::uint8_t* to = bytes_of(m.s_axis_host_tdata_i);
      std::memcpy(to, frame.data() + ethernet_sent_, bytes);
      std::memset(to + bytes, 0, kBytes - bytes);
      m.s_axis_host_tkeep_i = keep_of(bytes);
      m.s_axis_host_tlast_i = left <= kBytes;
    }
    return received;
  }

  void take_link(std::uint64_t now_ns, bool received) {
    Model& m = model_;
    if (received) {
      if (!m.s_axis_rx_tready_o)
        listener_.bus_fault("s_axis_rx_tready_o is 0: the MAC cannot wait");
      if (m.s_axis_rx_tlast_i) listener_.frame_received(ingress_.receiving());
      ingress_.pop();
      if (m.s_axis_rx_tlast_i) {
        moments_.last_rx_ns = now_ns;
        moments_.first_write_ns = kNever;
      }
    }
    if (m.m_axis_tx_tvalid_o && m.m_axis_tx_tready_i) {
      if (moments_.first_tx_ns == kNever) moments_.first_tx_ns = now_ns;
      egress_.take(now_ns, bytes_of(m.m_axis_tx_tdata_o), bytes_kept(m.m_axis_tx_tkeep_o),
                   m.m_axis_tx_tlast_o != 0);
    }
    if (m.s_axis_host_tvalid_i && m.s_axis_host_tready_o) {
      ethernet_sent_ += kBytes;
      if (ethernet_sent_ >= ethernet_out_.front().size()) {
        ethernet_out_.pop_front();
        ethernet_sent_ = 0;
      }
    }
    if (m.m_axis_host_tvalid_o) {
      const std::uint8_t* from = bytes_of(m.m_axis_host_tdata_o);
      ethernet_in_.insert(ethernet_in_.end(), from, from + bytes_kept(m.m_axis_host_tkeep_o));
      if (m.m_axis_host_tlast_o) {
        listener_.ethernet_frame(ethernet_in_);
        ethernet_in_.clear();
      }
    }
  }

  /// Reports what the probe sampled at this edge.
  void observe(std::uint64_t now_ns) {
    const Probe probe(model_);
    const std::uint32_t busy = probe.busy();
    for (std::uint32_t changed = busy ^ busy_; changed != 0; changed &= changed - 1) {
      const auto block = static_cast<unsigned>(__builtin_ctz(changed));
      listener_.block_works(static_cast<EngineBlock>(block), now_ns, (busy >> block & 1) != 0);
    }
    busy_ = busy;
    const std::uint32_t offered = probe.offered(), taken = probe.taken();
    for (std::uint32_t left = offered & ~waiting_; left != 0; left &= left - 1) {
      offered_ns_[static_cast<unsigned>(__builtin_ctz(left))] = now_ns;
    }
    for (std::uint32_t left = taken; left != 0; left &= left - 1) {
      const auto kind = static_cast<unsigned>(__builtin_ctz(left));
      const std::uint32_t who = probe.who(kind);
      listener_.record_taken({static_cast<EngineRecordKind>(kind), offered_ns_[kind], now_ns,
                              who & 0xFFFFFF, static_cast<std::uint8_t>(who >> 24),
                              probe.number(kind)});
    }
    waiting_ = offered & ~taken;
  }

  void dump(std::uint64_t time_ns) {
    if constexpr (kTraced) {
      if (time_ns >= trace_from_ && time_ns < trace_to_) trace_.dump(time_ns);
    }
  }

  VerilatedContext context_;
  Model model_;
  Trace trace_;
  std::uint64_t trace_from_, trace_to_;
  const bool observed_;
  std::uint32_t busy_ = 0, waiting_ = 0;  ///< by block; records offered and not taken
  std::uint64_t offered_ns_[kEngineRecordKinds] = {};
};

}  // namespace roci::testbench
