// SPDX-License-Identifier: Apache-2.0
// The verilated roci_processor beside the adapter. It runs ahead of simulated time between two
// register accesses: nothing else reaches it before it sleeps.
#include <Vroci_processor.h>
#include <dlfcn.h>
#include <verilated.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include "testbench/firmware/rv32/fault_text.hpp"
#include "testbench/firmware/rv32/processor_module.hpp"

namespace roci::testbench {
namespace {

constexpr std::uint64_t kNever = ~std::uint64_t{0};
constexpr std::uint64_t kClockNs = 4;  // the adapter's
// Firmware waits up to 2^20 polls for hardware that does not respond.
constexpr std::uint32_t kWatchdogClocks = std::uint32_t{1} << 27;
constexpr std::uint64_t kMostAheadNs = 16384;
constexpr int kResetClocks = 4;

/// The text beside this module.
std::string text_file() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&text_file), &info) == 0) {
    throw std::runtime_error("the folder of the module of the firmware is not known");
  }
  const auto file = std::filesystem::path(info.dli_fname).parent_path() / "roci-firmware-rv32.hex";
  if (!std::filesystem::exists(file)) {
    throw std::runtime_error("the firmware for RV32 is not there: " + file.string());
  }
  return file.string();
}

class Processor final : public Management {
 public:
  explicit Processor(ManagementPlace place) : place_(std::move(place)), model_(load(), "") {
    Vroci_processor& m = model_;
    m.mac_i = place_.mac;
    m.mtu_i = static_cast<std::uint16_t>(place_.port_mtu);
    m.watchdog_i = kWatchdogClocks;
    m.rst_ni = 0;
    for (int i = 0; i < kResetClocks; ++i) {
      settle();
      edge();
    }
    m.rst_ni = 1;
  }
  ~Processor() override {
    // Scopes are erased from the thread's context, which is that of the last model made.
    Verilated::threadContextp(&context_);
    model_.final();
  }

  std::uint64_t run() override {
    idle_ = true;
    if (stopped_) return kNever;
    Vroci_processor& m = model_;
    for (;;) {
      if (ahead_ns_ >= kMostAheadNs) catch_up();
      settle();
      if (m.fault_o != 0) {
        catch_up();
        stopped_ = true;
        place_.stopped(text_of_fault(m.fault_o, m.fault_pc_o, m.fault_value_o));
        return kNever;
      }
      if (m.sleeping_o) {
        if (ahead_ns_ == 0) return m.wake_o;
        catch_up();  // and look again: there may be work by now
        continue;
      }
      idle_ = false;
      access();
      edge();
    }
  }
  bool idle() const override { return idle_; }

 private:
  /// The context, with the place of the text among its arguments.
  VerilatedContext* load() {
    const std::string text = "+text=" + text_file();
    const char* words[] = {"roci", text.c_str()};
    context_.commandArgs(2, words);
    return &context_;
  }
  void settle() {
    Vroci_processor& m = model_;
    m.now_i = now_ns_ + ahead_ns_;
    if (ahead_ns_ == 0) {
      m.now_i = now_ns_ = place_.now_ns();
      m.attention_i = place_.attention();
    }
    m.clk_i = 0;
    m.eval();
  }
  void edge() {
    model_.clk_i = 1;
    model_.eval();
    ahead_ns_ += kClockNs;
  }
  void catch_up() {
    if (ahead_ns_ != 0) place_.pass(ahead_ns_);
    ahead_ns_ = 0;
  }
  /// The slave side of the processor's AXI4-Lite: address and data are taken in the clock in which
  /// they are valid, the response follows in the next.
  void access() {
    Vroci_processor& m = model_;
    const bool write = m.m_axil_awvalid_o != 0 && m.m_axil_wvalid_o != 0;
    const bool read = m.m_axil_arvalid_o != 0;
    m.m_axil_bvalid_i = write_taken_;
    m.m_axil_rvalid_i = read_taken_;
    m.m_axil_awready_i = m.m_axil_wready_i = write;
    m.m_axil_arready_i = read;
    write_taken_ = read_taken_ = false;
    if (write || read) {
      catch_up();
      const std::uint32_t value = place_.access(
          write, write ? m.m_axil_awaddr_o : m.m_axil_araddr_o, write ? m.m_axil_wdata_o : 0);
      if (read) m.m_axil_rdata_i = value;
      write_taken_ = write;
      read_taken_ = read;
      now_ns_ = place_.now_ns();
      m.attention_i = place_.attention();
    }
    m.eval();
  }

  ManagementPlace place_;
  VerilatedContext context_;
  Vroci_processor model_;
  std::uint64_t now_ns_ = 0, ahead_ns_ = 0;
  bool idle_ = false, stopped_ = false, write_taken_ = false, read_taken_ = false;
};

std::unique_ptr<Management> make(ManagementPlace place) {
  return std::make_unique<Processor>(std::move(place));
}

}  // namespace

extern "C" const ProcessorModule roci_processor_module{sizeof(ManagementPlace), make};

}  // namespace roci::testbench
