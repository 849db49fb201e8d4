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

TEST_CASE("timeline: blocks are busy for a time, and hand on records") {
  using testbench::EngineBlock;
  using testbench::EngineRecordKind;
  Written w;
  w.doorbell(1000, layout::sq_doorbell_offset(5), 2);
  w.timeline.block_works(0, EngineBlock::kSegmenter, 1004, true);
  w.timeline.block_works(0, EngineBlock::kSegmenter, 1008, true);
  w.timeline.record_taken(0, {EngineRecordKind::kGrant, 1004, 1004, 5, 2, 0});
  constexpr unsigned kWrite = 2, kOnly = testbench::plan::kFirst | testbench::plan::kLast;
  w.timeline.record_taken(0, {EngineRecordKind::kPlan, 1020, 1032, 5, kWrite, 1 | kOnly});
  w.timeline.block_works(0, EngineBlock::kSegmenter, 1040, false);
  w.timeline.block_works(0, EngineBlock::kSegmenter, 1044, false);
  w.timeline.block_works(0, EngineBlock::kDma, 1050, true);
  w.timeline.record_taken(0, {EngineRecordKind::kWorkRequestsRead, 1060, 1060, 0, 3, 0x40});
  w.timeline.record_taken(1, {EngineRecordKind::kAck, 1070, 1070, 6, 0x62, 9});
  w.timeline.commit();

  std::map<unsigned, std::string> threads;
  std::vector<std::string> found;
  for (const json& event : w.events()) {
    const std::string kind = event["ph"];
    if (kind == "M" && event["name"] == "thread_name") {
      threads[event["tid"]] = event["args"]["name"];
    } else if (kind == "n") {
      found.push_back("step " + event["name"].get<std::string>() + " " + event["ts"].dump());
    } else if (kind == "X") {
      found.push_back(threads[event["tid"]] + " " + event["name"].get<std::string>() + " " +
                      event["ts"].dump() + " " + event["dur"].dump());
    } else if (kind == "i" && threads[event["tid"]] != "doorbells") {
      found.push_back(threads[event["tid"]] + " " + event["name"].get<std::string>() + " " +
                      event["ts"].dump() + " " + event["args"].dump());
    }
  }
  CHECK(found == Entries{R"(engine: scheduler work requests to fetch 1.004 )"
                         R"({"count":2,"index":0,"queue_pair":5})",
                         "step fetch begins 1.004", "step fetch begins 1.004",
                         R"(engine: segmenter Write, only 1.032 )"
                         R"({"index":1,"operation":2,"queue_pair":5,"waited_ns":12})",
                         "step first packet planned 1.032", "step last packet planned 1.032",
                         "engine: segmenter busy 1.004 0.036",
                         R"(engine: segmenter read of work requests 1.06 )"
                         R"({"address":"0x40","blocks":3})",
                         R"(engine: responder NakAccess 1.07 )"
                         R"({"psn":9,"queue_pair":6,"syndrome":98})",
                         "engine: DMA busy 1.05 0.02"});
}

}  // namespace roci::sim
