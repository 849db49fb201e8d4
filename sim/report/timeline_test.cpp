// SPDX-License-Identifier: Apache-2.0
// The timeline of events made by hand.
#include "sim/report/timeline.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/field.hpp"
#include "model/spec/layout/queues.hpp"
#include "model/spec/layout/registers.hpp"

namespace roci::sim {
namespace {

using nlohmann::json;
using testbench::BusUse;

/// A timeline of two adapters; entries() completes it.
struct Written {
  std::string path = std::filesystem::temp_directory_path() /
                     ("roci-timeline-" + std::to_string(getpid()) + ".json");
  Timeline timeline{path};

  Written() { timeline.begin({"n0", "n1"}, 100); }
  ~Written() { std::filesystem::remove(path); }

  void doorbell(std::uint64_t ns, std::uint32_t offset, std::uint32_t producer) {
    timeline.register_written(0, ns, offset, producer);
  }
  void completion(std::uint64_t ns, std::uint32_t qpn, std::uint16_t index, std::uint8_t opcode,
                  layout::Status status = layout::Status::kSuccess) {
    std::uint8_t entry[layout::cqe::kBytes] = {};
    put(entry, layout::cqe::qpn, qpn);
    put(entry, layout::cqe::wqe_index, index);
    put(entry, layout::cqe::opcode, opcode);
    put(entry, layout::cqe::status, layout::number(status));
    timeline.bus_access(
        0, {BusUse::kCompletionWrite, 1, 0x1000, sizeof entry, ns - 10, ns, ns + 10, entry, false});
  }
  void state(std::uint64_t ns, std::uint32_t qpn, layout::QpState state) {
    namespace table = layout::reg::table_command;
    timeline.register_written(0, ns, layout::window::kTableData.offset, layout::number(state));
    timeline.register_written(0, ns, layout::reg::kTableCommand,
                              layout::bits(table::row, qpn) |
                                  layout::bits(table::table_id, layout::Table::kQpState) |
                                  layout::bits(table::write, true) | layout::mask(table::go));
  }

  /// All events of the completed file.
  json events() const { return json::parse(std::ifstream(path))["traceEvents"]; }

  /// "track begin end arguments" of each entry that lasts, except for those of DMA, in their order.
  std::vector<std::string> entries() {
    timeline.commit();
    std::vector<std::string> found;
    std::map<std::uint64_t, json> open;
    for (const json& event : events()) {
      if (event["ph"] == "b") open[event["id"]] = event;
      if (event["ph"] != "e" || event["name"].get<std::string>().substr(0, 3) == "DMA") continue;
      found.push_back(event["name"].get<std::string>() + " " + open.at(event["id"])["ts"].dump() +
                      " " + event["ts"].dump() + " " + event["args"].dump());
    }
    return found;
  }
};

constexpr std::uint8_t kReceive = 0x80;
using Entries = std::vector<std::string>;

}  // namespace

TEST_CASE("timeline: a completion ends its work request and those before it") {
  Written w;
  w.doorbell(1000, layout::sq_doorbell_offset(5), 1);
  w.doorbell(2000, layout::sq_doorbell_offset(5), 3);
  w.doorbell(2500, layout::rq_doorbell_offset(5), 1);
  w.completion(4000, 5, 1, 0);
  w.completion(5000, 5, 2, 0, layout::Status::kRetryExcErr);
  CHECK(w.entries() == Entries{R"(queue pair 5: sends 1.0 4.0 {})",
                               R"(queue pair 5: sends 2.0 4.0 {"status":"Success"})",
                               R"(queue pair 5: sends 2.0 5.0 {"status":"RetryExcErr"})",
                               R"(queue pair 5: receives 2.5 5.01 {"end":true})"});
}

TEST_CASE("timeline: a queue pair that was reset begins at index 0 again") {
  Written w;
  w.doorbell(1000, layout::sq_doorbell_offset(5), 2);
  w.completion(2000, 5, 0, 0);
  w.state(3000, 5, layout::QpState::kErr);
  w.state(3500, 6, layout::QpState::kReset);
  w.state(4000, 5, layout::QpState::kReset);
  w.doorbell(5000, layout::sq_doorbell_offset(5), 1);
  w.completion(6000, 5, 0, 0);
  CHECK(w.entries() == Entries{R"(queue pair 5: sends 1.0 2.0 {"status":"Success"})",
                               R"(queue pair 5: sends 1.0 4.0 {"reset":true})",
                               R"(queue pair 5: sends 5.0 6.0 {"status":"Success"})"});
}

TEST_CASE("timeline: receives of a shared queue are not taken for others") {
  Written w;
  w.doorbell(1000, layout::rq_doorbell_offset(7), 1);
  w.completion(6000, 7, 77, kReceive);  // no such index is open
  w.completion(6000, 8, 0, kReceive);   // no doorbell of its own
  w.completion(7000, 7, 0, kReceive);
  CHECK(w.entries() == Entries{R"(queue pair 7: receives 1.0 7.0 {"status":"Success"})"});
}

TEST_CASE("timeline: each simulation has adapters of its own, and ends what was open") {
  Written w;
  w.doorbell(1000, layout::sq_doorbell_offset(5), 1);
  w.timeline.begin({"n0", "n1"}, 100);
  w.doorbell(500, layout::sq_doorbell_offset(5), 1);
  w.completion(900, 5, 0, 0);
  CHECK(w.entries() == Entries{R"(queue pair 5: sends 1.0 1.0 {"end":true})",
                               R"(queue pair 5: sends 0.5 0.9 {"status":"Success"})"});
  std::vector<std::string> names;
  for (const json& event : w.events()) {
    if (event["name"] == "process_name") names.push_back(event["args"]["name"]);
  }
  CHECK(names == Entries{"n0", "n1", "n0, simulation 2", "n1, simulation 2"});
}

}  // namespace roci::sim
