// SPDX-License-Identifier: Apache-2.0
// Writer of pcapng files: an interface per port, timestamps in ns, a comment per packet.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "model/packet/bytes.hpp"

namespace roci::packet {

/// Errors (file not writable, disk full) are thrown as std::runtime_error with one line; the
/// incomplete file is removed.
class PcapngWriter {
 public:
  /// Creates the file. `application` is noted in it.
  explicit PcapngWriter(const std::string& path, std::string_view application = "roci");
  PcapngWriter(const PcapngWriter&) = delete;
  PcapngWriter& operator=(const PcapngWriter&) = delete;
  /// Closes the file; call `close` before to get errors.
  ~PcapngWriter();

  /// Adds a port of the simulation. Returns its number, 0 for the first.
  unsigned add_interface(std::string_view name);
  /// Adds a frame without FCS seen at `time_ns`. An empty comment is omitted.
  void write(unsigned interface_id, std::uint64_t time_ns, ByteView frame,
             std::string_view comment = {});
  /// Writes out everything and closes.
  void close();

 private:
  void put(const Bytes& block);
  [[noreturn]] void fail(int error);

  std::string path_;
  std::FILE* file_;
  unsigned interfaces_ = 0;
};

}  // namespace roci::packet
