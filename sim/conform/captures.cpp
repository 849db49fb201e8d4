// SPDX-License-Identifier: Apache-2.0
// A capture for each failed test.
#include <algorithm>
#include <cctype>
#include <filesystem>

#include "model/packet/pcapng.hpp"
#include "sim/conform/report.hpp"

namespace roci::sim {
namespace {

using conform::Outcome;

constexpr std::size_t kMostName = 80;

/// Name of the capture of a test: its first statement and its title, in letters and digits.
std::string file_name(const conform::Test& test) {
  std::string name = test.ids.front();
  for (const char c : "-" + test.title) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (plain || name.back() != '-') name += plain ? c : '-';
  }
  return name.substr(0, kMostName) + ".pcapng";
}

void write(const std::string& path, const ConformReport& report, const Outcome& outcome) {
  packet::PcapngWriter file(path, "roci conform " + report.suite);
  const unsigned ends[] = {file.add_interface("adapter"), file.add_interface("peer")};
  for (const conform::Exchanged& frame : outcome.frames) {
    file.write(ends[frame.from_peer ? 1 : 0], frame.time_ns, frame.bytes, frame.note);
  }
  file.close();
}

}  // namespace

void make_captures_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw UserError("cannot make the folder " + folder + ": " + error.message(), 2);
}

void write_captures(const std::string& folder, const ConformReport& report) {
  std::error_code error;
  for (const Outcome& outcome : report.outcomes) {
    const std::string path = (std::filesystem::path(folder) / file_name(*outcome.test)).string();
    if (outcome.passed || outcome.frames.empty()) {
      std::filesystem::remove(path, error);  // an earlier run may have left it
      continue;
    }
    write(path, report, outcome);
  }
}

}  // namespace roci::sim
