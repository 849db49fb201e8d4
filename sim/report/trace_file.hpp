// SPDX-License-Identifier: Apache-2.0
// A file of trace events in the JSON format of Chrome, which Perfetto (ui.perfetto.dev) shows.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sim/report/files.hpp"

namespace roci::sim {

/// Writes events as they come. Times are in ns; `arguments` is the text of a JSON object's members,
/// such as `"psn": 5`. An error of writing is kept for commit().
class TraceFile {
 public:
  /// Throws UserError when the file cannot be written.
  explicit TraceFile(const std::string& path);

  void name_process(unsigned process, std::string_view name);
  void name_thread(unsigned process, unsigned thread, std::string_view name);
  /// Something that lasts, alone on its thread at that time. `wrong`: shown in red.
  void slice(unsigned process, unsigned thread, std::uint64_t from_ns, double duration_ns,
             std::string_view name, std::string_view arguments, bool wrong = false);
  void instant(unsigned process, unsigned thread, std::uint64_t time_ns, std::string_view name,
               std::string_view arguments);
  /// Something that may last while others of its `track` do; begin and end have the same `id`,
  /// which no other event of the file has.
  void begin(unsigned process, std::string_view track, std::uint64_t id, std::uint64_t time_ns,
             std::string_view arguments);
  void end(unsigned process, std::string_view track, std::uint64_t id, std::uint64_t time_ns,
           std::string_view arguments);

  /// A moment of what begin() began, in its track.
  void mark(unsigned process, std::uint64_t id, std::uint64_t time_ns, std::string_view name);

  /// Completes the file. Throws UserError when a write failed.
  void commit();

 private:
  void event(const std::string& text);
  void flush();

  OutputFile file_;
  std::string pending_;
  std::string failure_;
};

}  // namespace roci::sim
