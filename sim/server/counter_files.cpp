// SPDX-License-Identifier: Apache-2.0
#include "sim/server/counter_files.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace roci::sim {

namespace {

constexpr std::uint64_t kNsPerMs = 1'000'000;
constexpr unsigned kLeastShare = 20;  // reading takes at most one part of so many of the time
constexpr mode_t kMode = 0644;

/// "UnknownQp" as "unknown_qp".
std::string snake_case(std::string_view name) {
  std::string text;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isupper(byte) != 0 && !text.empty()) text += '_';
    text += static_cast<char>(std::tolower(byte));
  }
  return text;
}

Descriptor new_file(const std::string& path) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kMode));
  if (!file) throw std::system_error(errno, std::generic_category(), path);
  return file;
}

void put(const Descriptor& file, std::uint64_t value) {
  const std::string text = std::to_string(value) + '\n';
  // A disk that is full must not end the simulator: the file keeps an older value.
  if (pwrite(file.get(), text.data(), text.size(), 0) < 0) return;
}

}  // namespace

PortCounterFiles::PortCounterFiles(const std::string& port) {
  const std::string folder = port + "/";
  for (const auto& [name, value] : values_of({}, 0)) {
    files_.push_back({new_file(folder + name), value});
    put(files_.back().descriptor, value);
  }
  put(new_file(folder + "hw_counters/lifespan"), CounterService::kLifespanMs);
}

void PortCounterFiles::write(const Values& values) {
  for (std::size_t i = 0; i < files_.size(); ++i) {
    if (files_[i].value == values[i].second) continue;
    files_[i].value = values[i].second;
    put(files_[i].descriptor, files_[i].value);
  }
}

PortCounterFiles::Values PortCounterFiles::values_of(const driver::PortCounters& counters,
                                                     std::uint64_t link_downed) {
  constexpr unsigned kWord = 4;  // the kernel's counters of data are in words of 4 bytes
  const auto dropped = [&](layout::DropCause cause) {
    return counters.drops[static_cast<std::size_t>(cause)];
  };
  Values values = {
      {"counters/port_xmit_data", counters.tx_bytes / kWord},
      {"counters/port_xmit_packets", counters.tx_frames},
      {"counters/port_rcv_data", counters.rx_bytes / kWord},
      {"counters/port_rcv_packets", counters.rx_frames},
      {"counters/port_rcv_errors",
       dropped(layout::DropCause::kIcrc) + dropped(layout::DropCause::kMalformed)},
      {"counters/excessive_buffer_overrun_errors", dropped(layout::DropCause::kOverflow)},
      {"counters/link_downed", link_downed},
      {"hw_counters/rx_roce", counters.rx_roce},
      {"hw_counters/rx_ethernet", counters.rx_ethernet},
      {"hw_counters/qkey_violations", counters.qkey_violations},
      {"hw_counters/discards", counters.discards},
  };
  for (std::size_t i = 0; i < counters.drops.size(); ++i) {
    values.emplace_back("hw_counters/drop_" + snake_case(spec::kDropCauses[i].name),
                        counters.drops[i]);
  }
  return values;
}

CounterService::CounterService(Fabric& fabric, const SimulatedTime& time)
    : fabric_(fabric), time_(time), ports_(fabric.adapters()) {}

void CounterService::follow(unsigned adapter, const std::string& port) {
  ports_[adapter].files = std::make_unique<PortCounterFiles>(port);
}

std::uint64_t CounterService::traffic(unsigned adapter) const {
  return fabric_.middle().from(adapter).counts().frames +
         fabric_.middle().to(adapter).counts().delivered + ports_[adapter].link_downed;
}

bool CounterService::has_news(unsigned adapter) const {
  const Port& port = ports_[adapter];
  return port.files && !port.reading && traffic(adapter) != port.seen;
}

std::uint64_t CounterService::deadline() const {
  std::uint64_t first = testbench::kNever;
  for (unsigned i = 0; i < ports_.size(); ++i) {
    if (has_news(i)) first = std::min(first, ports_[i].due_ns);
  }
  return first;
}

void CounterService::refresh(std::uint64_t now) {
  const std::uint64_t first = deadline();
  for (unsigned i = 0; i < ports_.size() && first <= now; ++i) {
    if (!has_news(i) || ports_[i].due_ns > now) continue;
    ports_[i].reading = true;
    fabric_.submit(i, [this, i](driver::Context& context) { read(i, context); });
  }
}

void CounterService::read(unsigned adapter, driver::Context& context) {
  Port& port = ports_[adapter];
  const std::uint64_t start = time_.clock_ns();
  port.seen = traffic(adapter);
  try {
    port.files->write(PortCounterFiles::values_of(context.port_counters(), port.link_downed));
  } catch (
      const driver::Error&) {  // an adapter that does not respond: the next traffic tries again
  }
  const std::uint64_t end = time_.clock_ns();
  port.due_ns = end + std::max(kLifespanMs * kNsPerMs, (end - start) * kLeastShare);
  port.reading = false;
}

}  // namespace roci::sim
