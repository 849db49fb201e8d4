// SPDX-License-Identifier: Apache-2.0
#include "sim/report/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "model/packet/describe.hpp"
#include "model/packet/opcode.hpp"
#include "model/spec/codes.hpp"
#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/field.hpp"
#include "model/spec/layout/queues.hpp"
#include "model/spec/layout/registers.hpp"

namespace roci::sim {
namespace {

using testbench::BusUse;

// Threads of an adapter.
constexpr unsigned kWire = 1, kRegisters = 2, kBlocks = 3, kFlows = kBlocks + BlockTracks::kThreads;
constexpr unsigned kWireOverhead = 24;   // preamble, FCS and gap, bytes
constexpr std::uint8_t kReceive = 0x80;  // bit of cqe::opcode

const char* track_of(BusUse use) {
  switch (use) {
    case BusUse::kPayloadRead:
      return "DMA: payload read";
    case BusUse::kBlockRead:
      return "DMA: blocks read";
    case BusUse::kPayloadWrite:
      return "DMA: payload written";
    case BusUse::kCompletionWrite:
      return "DMA: completion written";
    case BusUse::kEventWrite:
      return "DMA: event written";
    case BusUse::kAtomicWrite:
      return "DMA: atomic written";
    case BusUse::kFirmwareWrite:
      break;
  }
  return "DMA: written by firmware";
}

/// Text for a JSON string.
std::string quoted(const std::string& text) { return nlohmann::json(text).dump(); }

}  // namespace

std::unique_ptr<Timeline> Timeline::open(const std::string& path) {
  return path.empty() ? nullptr : std::make_unique<Timeline>(path);
}

void Timeline::begin(const std::vector<std::string>& adapters, double rate_gbps) {
  finish();
  ++simulation_;
  base_ += adapters_;
  adapters_ = static_cast<unsigned>(adapters.size());
  ns_per_byte_ = 8 / rate_gbps;
  table_word_.assign(adapters_, 0);
  for (unsigned i = 0; i < adapters_; ++i) {
    file_.name_process(
        process(i), simulation_ == 1 ? adapters[i]
                                     : fmt::format("{}, simulation {}", adapters[i], simulation_));
    file_.name_thread(process(i), kWire, "wire, sent");
    file_.name_thread(process(i), kRegisters, "doorbells");
    blocks_.emplace_back(file_, process(i), kBlocks);
  }
}

Timeline::Flow& Timeline::flow_of(const testbench::FrameEvent& event, bool response) {
  const std::uint32_t number = event.parsed.bth().dest_qp();
  const auto [at, added] = flows_.try_emplace({event.node, number, response});
  if (added) {
    at->second.thread = kFlows + static_cast<unsigned>(flows_.size());
    file_.name_thread(
        process(event.node), at->second.thread,
        fmt::format("{} to queue pair {}", response ? "responses" : "requests", number));
  }
  return at->second;
}

void Timeline::frame(const testbench::FrameEvent& event) {
  if (event.node >= adapters_) return;  // sent from outside
  now_ns_ = std::max(now_ns_, event.time_ns);
  const packet::Parsed& p = event.parsed;
  std::string name = "Ethernet";
  std::string arguments = fmt::format("\"bytes\": {}", p.frame.size);
  if (!event.fault.empty()) arguments += ", \"fault\": " + quoted(event.fault);
  if (p.has_bth && p.op != nullptr) {
    name = packet::opcode_name(p.bth().opcode());
    arguments += fmt::format(R"(, "psn": {}, "packet": {})", p.bth().psn(),
                             quoted(packet::describe(p.frame)));
    Flow& flow = flow_of(event, p.op->response);
    const transport::Psn psn = p.psn();
    if (p.bth().opcode() == packet::kRcAck) {
      name = ack_name(p.aeth().syndrome());
    } else if (flow.begun && !psn.after(flow.newest)) {
      name += " (retransmitted)";
    } else {
      flow.newest = psn;
      flow.begun = true;
    }
    file_.instant(process(event.node), flow.thread, event.time_ns,
                  event.fault.empty() ? name : name + " (fault)", arguments);
  }
  const auto bytes = static_cast<double>(p.frame.size + kWireOverhead);
  file_.slice(process(event.node), kWire, event.time_ns, bytes * ns_per_byte_, name, arguments,
              !event.fault.empty());
}

void Timeline::bus_access(unsigned adapter, const testbench::BusAccess& access) {
  now_ns_ = std::max(now_ns_, access.to_ns);
  const std::uint64_t id = next_id_++;
  const char* track = track_of(access.use);
  file_.begin(process(adapter), track, id, access.from_ns,
              fmt::format(R"("address": "{:#x}", "bytes": {}, "pasid": {})", access.address,
                          access.bytes, access.pasid));
  file_.end(process(adapter), track, id, access.to_ns, access.failed ? "\"failed\": true" : "");
  if (access.use != BusUse::kCompletionWrite || access.failed) return;
  for (std::size_t at = 0; at + layout::cqe::kBytes <= access.bytes; at += layout::cqe::kBytes) {
    complete(adapter, access.data + at, access.memory_ns);
  }
}

void Timeline::register_written(unsigned adapter, std::uint64_t time_ns, std::uint32_t offset,
                                std::uint32_t value) {
  namespace word = layout::doorbell_word;
  namespace table = layout::reg::table_command;
  now_ns_ = std::max(now_ns_, time_ns);
  const layout::Window& queue_pairs = layout::window::kQpDoorbell;
  const layout::Window& completions = layout::window::kCqDoorbell;
  if (offset == layout::window::kTableData.offset) table_word_[adapter] = value;
  if (offset == layout::reg::kTableCommand) {
    const bool state = get(value, table::write) &&
                       get(value, table::table_id) == layout::number(layout::Table::kQpState);
    if (state && table_word_[adapter] == layout::number(layout::QpState::kReset)) {
      reset(adapter, get(value, table::row), time_ns);
    }
  }
  const bool work = queue_pairs.has(offset);
  if (!work && !completions.has(offset)) return;
  const std::uint32_t at = offset - (work ? queue_pairs : completions).offset;
  const std::uint32_t number = at / word::kStride, which = at % word::kStride;
  const char* name = !work
                         ? (which == word::kCqArm ? "completion queue armed" : "completions polled")
                     : which == word::kSq ? "send queue"
                     : which == word::kRq ? "receive queue"
                                          : "shared receive queue";
  file_.instant(process(adapter), kRegisters, time_ns, name,
                fmt::format(R"("number": {}, "value": {})", number, value));
  if (work && which != word::kSrq) {
    post(adapter, number, which == word::kRq, static_cast<std::uint16_t>(value), time_ns);
  }
}

void Timeline::post(unsigned adapter, std::uint32_t number, bool receives, std::uint16_t producer,
                    std::uint64_t time_ns) {
  Queue& queue = queues_[{adapter, number, receives}];
  if (queue.name.empty()) {
    queue.name = fmt::format("queue pair {}: {}", number, receives ? "receives" : "sends");
  }
  const auto posted = static_cast<std::uint16_t>(queue.oldest + queue.open.size());
  for (std::uint16_t index = posted; index != producer; ++index) {
    queue.open.push_back(next_id_++);
    file_.begin(process(adapter), queue.name, queue.open.back(), time_ns,
                fmt::format("\"index\": {}", index));
  }
}

void Timeline::retire(unsigned adapter, Queue& queue, std::size_t count, std::uint64_t time_ns,
                      const std::string& arguments) {
  for (; count != 0; --count) {
    file_.end(process(adapter), queue.name, queue.open.front(), time_ns,
              count == 1 ? arguments : "");
    queue.open.pop_front();
    ++queue.oldest;
  }
}

void Timeline::mark(const QueueKey& key, std::uint16_t index, unsigned count, std::uint64_t time_ns,
                    const char* step) {
  const auto found = queues_.find(key);
  if (found == queues_.end()) return;
  const Queue& queue = found->second;
  for (; count != 0; --count, ++index) {
    const auto place = static_cast<std::uint16_t>(index - queue.oldest);
    if (place < queue.open.size()) {
      file_.mark(process(std::get<0>(key)), queue.open[place], time_ns, step);
    }
  }
}

void Timeline::block_works(unsigned adapter, testbench::EngineBlock block, std::uint64_t time_ns,
                           bool works) {
  now_ns_ = std::max(now_ns_, time_ns);
  blocks_[adapter].works(block, time_ns, works);
}

void Timeline::record_taken(unsigned adapter, const testbench::EngineRecord& record) {
  using Kind = testbench::EngineRecordKind;
  now_ns_ = std::max(now_ns_, record.to_ns);
  blocks_[adapter].taken(record);
  const auto index = static_cast<std::uint16_t>(record.number);
  const QueueKey sends{adapter, record.queue_pair, false};
  const QueueKey receives{adapter, record.queue_pair, true};
  switch (record.kind) {
    case Kind::kGrant:
      mark(sends, index, record.code, record.to_ns, "fetch begins");
      break;
    case Kind::kPlan:
      if ((record.number & testbench::plan::kFirst) != 0) {
        mark(sends, index, 1, record.to_ns, "first packet planned");
      }
      if ((record.number & testbench::plan::kLast) != 0) {
        mark(sends, index, 1, record.to_ns, "last packet planned");
      }
      break;
    case Kind::kSendCompletion:
      mark(sends, index, 1, record.to_ns, "completed");
      break;
    case Kind::kReceiveCompletion:
      mark(receives, index, 1, record.to_ns, "completed");
      break;
    default:
      break;
  }
}

/// A completion is of the requests before its own too, since a queue completes in order.
void Timeline::complete(unsigned adapter, const std::uint8_t* entry, std::uint64_t time_ns) {
  const bool receives = (get(entry, layout::cqe::opcode) & kReceive) != 0;
  const auto found = queues_.find({adapter, get(entry, layout::cqe::qpn), receives});
  if (found == queues_.end()) return;
  Queue& queue = found->second;
  const auto place = static_cast<std::uint16_t>(get(entry, layout::cqe::wqe_index) - queue.oldest);
  if (place >= queue.open.size()) return;  // a receive of a shared queue
  const std::uint8_t status = get(entry, layout::cqe::status);
  retire(adapter, queue, place + 1U, time_ns,
         fmt::format(R"("status": "{}")", spec::name_of(spec::kStatuses, status)));
}

void Timeline::reset(unsigned adapter, std::uint32_t number, std::uint64_t time_ns) {
  for (const bool receives : {false, true}) {
    const auto found = queues_.find({adapter, number, receives});
    if (found == queues_.end()) continue;
    retire(adapter, found->second, found->second.open.size(), time_ns, "\"reset\": true");
    queues_.erase(found);
  }
}

/// Ends the simulation before the next one, or the file.
void Timeline::finish() {
  for (auto& [key, queue] : queues_) {
    retire(std::get<0>(key), queue, queue.open.size(), now_ns_, "\"end\": true");
  }
  for (BlockTracks& blocks : blocks_) blocks.finish(now_ns_);
  blocks_.clear();
  queues_.clear();
  flows_.clear();
  now_ns_ = 0;
}

void Timeline::commit() {
  finish();
  file_.commit();
}

}  // namespace roci::sim
