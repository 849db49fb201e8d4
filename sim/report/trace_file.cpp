// SPDX-License-Identifier: Apache-2.0
#include "sim/report/trace_file.hpp"

#include <fmt/format.h>

namespace roci::sim {
namespace {

constexpr std::size_t kBlock = 1 << 16;

/// Times of the format are in us.
std::string us(std::uint64_t ns) { return fmt::format("{}.{:03}", ns / 1000, ns % 1000); }

}  // namespace

TraceFile::TraceFile(const std::string& path) : file_(path) {
  pending_ = R"({"displayTimeUnit": "ns", "traceEvents": [)";
}

void TraceFile::event(const std::string& text) {
  pending_ += pending_.back() == '[' ? "\n" : ",\n";
  pending_ += text;
  if (pending_.size() >= kBlock) flush();
}

/// The last character stays, because the next event depends on it.
void TraceFile::flush() {
  if (failure_.empty()) {
    try {
      file_.write(std::string_view(pending_).substr(0, pending_.size() - 1));
    } catch (const UserError& error) {
      failure_ = error.what();  // not thrown inside the simulation
    }
  }
  pending_.erase(0, pending_.size() - 1);
}

void TraceFile::name_process(unsigned process, std::string_view name) {
  event(fmt::format(R"({{"ph": "M", "pid": {}, "name": "process_name", "args": {{"name": "{}"}}}})",
                    process, name));
}

void TraceFile::name_thread(unsigned process, unsigned thread, std::string_view name) {
  event(fmt::format(
      R"({{"ph": "M", "pid": {}, "tid": {}, "name": "thread_name", "args": {{"name": "{}"}}}})",
      process, thread, name));
}

void TraceFile::slice(unsigned process, unsigned thread, std::uint64_t from_ns, double duration_ns,
                      std::string_view name, std::string_view arguments, bool wrong) {
  event(fmt::format(R"({{"ph": "X", "pid": {}, "tid": {}, "ts": {}, "dur": {:.5f}, "name": "{}",)"
                    R"({} "args": {{{}}}}})",
                    process, thread, us(from_ns), duration_ns / 1000, name,
                    wrong ? R"( "cname": "terrible",)" : "", arguments));
}

void TraceFile::instant(unsigned process, unsigned thread, std::uint64_t time_ns,
                        std::string_view name, std::string_view arguments) {
  event(fmt::format(R"({{"ph": "i", "s": "t", "pid": {}, "tid": {}, "ts": {}, "name": "{}",)"
                    R"( "args": {{{}}}}})",
                    process, thread, us(time_ns), name, arguments));
}

void TraceFile::begin(unsigned process, std::string_view track, std::uint64_t id,
                      std::uint64_t time_ns, std::string_view arguments) {
  event(fmt::format(R"({{"ph": "b", "pid": {}, "cat": "roci", "id": {}, "ts": {}, "name": "{}",)"
                    R"( "args": {{{}}}}})",
                    process, id, us(time_ns), track, arguments));
}

void TraceFile::end(unsigned process, std::string_view track, std::uint64_t id,
                    std::uint64_t time_ns, std::string_view arguments) {
  event(fmt::format(R"({{"ph": "e", "pid": {}, "cat": "roci", "id": {}, "ts": {}, "name": "{}",)"
                    R"( "args": {{{}}}}})",
                    process, id, us(time_ns), track, arguments));
}

/// An event of the kind `n` belongs to the entry with its id.
void TraceFile::mark(unsigned process, std::uint64_t id, std::uint64_t time_ns,
                     std::string_view name) {
  event(fmt::format(R"({{"ph": "n", "pid": {}, "cat": "roci", "id": {}, "ts": {}, "name": "{}"}})",
                    process, id, us(time_ns), name));
}

void TraceFile::commit() {
  pending_ += "\n]}\n ";
  flush();
  if (!failure_.empty()) throw UserError(failure_);
  file_.commit();
}

}  // namespace roci::sim
