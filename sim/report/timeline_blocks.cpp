// SPDX-License-Identifier: Apache-2.0
#include "sim/report/timeline_blocks.hpp"

#include <fmt/format.h>

#include "model/packet/opcode.hpp"
#include "model/spec/codes.hpp"

namespace roci::sim {
namespace {

using testbench::EngineBlock;
using testbench::EngineRecord;
using testbench::EngineRecordKind;

// By EngineBlock.
constexpr const char* kBlockNames[testbench::kEngineBlocks] = {"engine: scheduler",
                                                               "engine: segmenter",
                                                               "engine: requester",
                                                               "engine: transmit order",
                                                               "engine: transmit",
                                                               "engine: receive",
                                                               "engine: posted receives",
                                                               "engine: responder",
                                                               "engine: memory operations",
                                                               "engine: keys",
                                                               "engine: DMA",
                                                               "engine: timer",
                                                               "engine: completions",
                                                               "engine: events",
                                                               "engine: management"};

/// What a record is and the names of its code and number.
struct Form {
  EngineBlock block;
  const char* name;  ///< "": that of its code
  const char* code;
  const char* number;
};

// By EngineRecordKind.
constexpr Form kForms[testbench::kEngineRecordKinds] = {
    {EngineBlock::kScheduler, "work requests to fetch", "count", "index"},
    {EngineBlock::kSegmenter, "", "operation", "index"},
    {EngineBlock::kRequester, "", "opcode", "psn"},
    {EngineBlock::kReceive, "", "opcode", "psn"},
    {EngineBlock::kReceive, "", "opcode", "psn"},
    {EngineBlock::kResponder, "", "opcode", "psn"},
    {EngineBlock::kResponder, "", "syndrome", "psn"},
    {EngineBlock::kTransmitOrder, "", "opcode", "psn"},
    {EngineBlock::kTransmit, "packet left", "payload_failed", "psn"},
    {EngineBlock::kRequester, "send completion", "status", "index"},
    {EngineBlock::kResponder, "receive completion", "status", "index"},
    {EngineBlock::kTimer, "", "rnr", nullptr},
    {EngineBlock::kRequester, "failure", "event", nullptr},
    {EngineBlock::kResponder, "failure", "event", nullptr},
    {EngineBlock::kResponder, "event", "event", nullptr},
    {EngineBlock::kSegmenter, "read of work requests", "blocks", "address"},
    {EngineBlock::kPostedReceives, "read of receives", "blocks", "address"},
    {EngineBlock::kRequester, "read of a list", "blocks", "address"},
    {EngineBlock::kMemoryOperations, "read of an operand", "blocks", "address"},
    {EngineBlock::kManagement, "read for firmware", "blocks", "address"},
};

const Form& form_of(EngineRecordKind kind) { return kForms[static_cast<unsigned>(kind)]; }

bool is_read(EngineRecordKind kind) { return kind >= EngineRecordKind::kWorkRequestsRead; }

/// The name of a code, or its number where it has none.
template <std::size_t N>
std::string named(const spec::Code (&group)[N], unsigned value) {
  const std::string_view name = spec::name_of(group, value);
  return name.empty() ? std::to_string(value) : std::string(name);
}

}  // namespace

std::string ack_name(std::uint8_t syndrome) {
  const std::string_view name = spec::name_of(spec::kSyndromes, syndrome);
  return std::string(name.empty() ? packet::opcode_name(packet::kRcAck) : name);
}

EngineBlock block_of(EngineRecordKind kind) { return form_of(kind).block; }

std::string name_of(const EngineRecord& record) {
  const Form& form = form_of(record.kind);
  switch (record.kind) {
    case EngineRecordKind::kPlan: {
      const bool first = (record.number & testbench::plan::kFirst) != 0;
      const bool last = (record.number & testbench::plan::kLast) != 0;
      const char* place = first ? (last ? "only" : "first") : last ? "last" : "middle";
      return fmt::format("{}, {}", named(spec::kWrOps, record.code), place);
    }
    case EngineRecordKind::kAck:
      return ack_name(record.code);
    case EngineRecordKind::kTimer:
      return record.code != 0 ? "RNR wait over" : "timeout";
    default:
      return form.name[0] != 0 ? form.name : std::string(packet::opcode_name(record.code));
  }
}

std::string arguments_of(const EngineRecord& record) {
  const Form& form = form_of(record.kind);
  std::string text;
  if (!is_read(record.kind)) text = fmt::format(R"("queue_pair": {}, )", record.queue_pair);
  switch (record.kind) {
    case EngineRecordKind::kSendCompletion:
    case EngineRecordKind::kReceiveCompletion:
      text += fmt::format(R"("status": "{}")", named(spec::kStatuses, record.code));
      break;
    case EngineRecordKind::kSendFailure:
    case EngineRecordKind::kReceiveFailure:
    case EngineRecordKind::kEvent:
      text += fmt::format(R"("event": "{}")", named(spec::kEvents, record.code));
      break;
    default:
      text += fmt::format(R"("{}": {})", form.code, record.code);
  }
  if (is_read(record.kind)) {
    text += fmt::format(R"(, "address": "{:#x}")", record.number);
  } else if (form.number != nullptr) {
    const bool plan = record.kind == EngineRecordKind::kPlan;
    text += fmt::format(R"(, "{}": {})", form.number,
                        plan ? record.number & testbench::plan::kIndex : record.number);
  }
  return text;
}

unsigned BlockTracks::thread_of(EngineBlock block) {
  const auto at = static_cast<unsigned>(block);
  if (!tracks_[at].named) {
    tracks_[at].named = true;
    file_->name_thread(process_, first_thread_ + at, kBlockNames[at]);
  }
  return first_thread_ + at;
}

void BlockTracks::works(EngineBlock block, std::uint64_t time_ns, bool works) {
  std::optional<std::uint64_t>& since = tracks_[static_cast<unsigned>(block)].since_ns;
  if (works) {
    if (!since) since = time_ns;
  } else if (since) {
    file_->slice(process_, thread_of(block), *since, static_cast<double>(time_ns - *since), "busy",
                 "");
    since.reset();
  }
}

void BlockTracks::taken(const EngineRecord& record) {
  std::string arguments = arguments_of(record);
  if (record.to_ns != record.from_ns) {
    arguments += fmt::format(R"(, "waited_ns": {})", record.to_ns - record.from_ns);
  }
  file_->instant(process_, thread_of(block_of(record.kind)), record.to_ns, name_of(record),
                 arguments);
}

void BlockTracks::finish(std::uint64_t time_ns) {
  for (unsigned i = 0; i < testbench::kEngineBlocks; ++i) {
    works(static_cast<EngineBlock>(i), time_ns, false);
  }
}

}  // namespace roci::sim
