// SPDX-License-Identifier: Apache-2.0
// A schedule: messages, faults on the link, and the expected outcome.
#pragma once

#include <functional>
#include <vector>

#include "testbench/link/syndromes.hpp"
#include "testbench/verify/cases/pair.hpp"

namespace roci::testbench::faults {

using driver::Opcode;
using driver::Status;
using namespace syndromes;

inline constexpr std::uint32_t kPmtu = 256;

struct Message {
  Opcode op = Opcode::kWrite;
  std::uint32_t bytes = 0;

  bool read() const { return op == Opcode::kRead; }
  bool atomic() const { return op == Opcode::kFetchAdd || op == Opcode::kCmpSwap; }
  bool send() const { return op == Opcode::kSend || op == Opcode::kSendImm; }
  bool receives() const { return send() || op == Opcode::kWriteImm; }
  /// Number of PSNs of the message.
  std::uint32_t packets() const { return atomic() ? 1 : transport::packets_of(bytes, kPmtu); }
};

/// Which frames of the connection: those with requests, or those with responses.
enum class Way { kRequests, kResponses };

struct Fault {
  Way way = Way::kRequests;
  FaultRule rule;
  unsigned hits = 0;  ///< exact number of hits; 0: at least one
};

/// How a loss is repaired, as seen on the link and in the counters of the queue pair.
enum class Path {
  kAny,
  kNone,    ///< nothing is sent twice, no retry is counted
  kNak,     ///< a sequence NAK, retransmission, and no timeout
  kTimer,   ///< a timeout between T and 4 T after the fault, and retransmitting
  kReread,  ///< a READ is requested again from the gap on, without a timeout
  kRnr,     ///< RNR NAKs, waiting and retransmitting, and no timeout
};

/// Counts of packets on the link for one connection.
struct Seen {
  unsigned requests = 0, repeats = 0;  ///< packets; `repeats` of PSNs that were sent before
  unsigned rereads = 0;                ///< READ requests among the repeats
  unsigned acks = 0, sequence_naks = 0, rnr_naks = 0, fatal_naks = 0;
  unsigned responses = 0, replays = 0;  ///< READ responses and atomic responses; those sent before
  std::uint64_t first_fault_ns = kNever, first_repeat_ns = kNever;
};

class ActiveSchedule;

struct SchedulePlan {
  std::vector<Message> messages;
  std::vector<Fault> faults;
  Path path = Path::kAny;
  /// Statuses of the messages in order; the last one holds for all that follow. Empty: all succeed.
  std::vector<Status> statuses;
  unsigned from = 0;             ///< node of the requester
  std::uint32_t psn = 0x3A5F10;  ///< first PSN, both ways
  driver::ConnectOptions connect = fast();
  unsigned rounds = 1;   ///< times that all retries may be used between completions
  unsigned window = 32;  ///< messages outstanding at once
  bool receives = true;  ///< receives are posted before the messages; else by `during`
  bool hostile = false;  ///< a packet is forged: statuses and data are open
  unsigned others = 0;   ///< further queue pairs that `during` may use
  /// Called after the messages were posted, in the thread of the requester.
  std::function<void(ActiveSchedule&)> during;
  /// Called when all have completed.
  std::function<void(ActiveSchedule&)> after;

  static driver::ConnectOptions fast() {
    driver::ConnectOptions options;
    options.path_mtu = 1;
    options.timeout = 6;  // 262 us
    options.retry_cnt = 3;
    options.min_rnr_timer = 5;  // 60 us
    return options;
  }
};

inline const char* name_of(Opcode op) {
  switch (op) {
    case Opcode::kSend:
      return "SEND";
    case Opcode::kSendImm:
      return "SEND with immediate";
    case Opcode::kWrite:
      return "WRITE";
    case Opcode::kWriteImm:
      return "WRITE with immediate";
    case Opcode::kRead:
      return "READ";
    case Opcode::kFetchAdd:
      return "fetch-and-add";
    case Opcode::kCmpSwap:
      return "compare-and-swap";
    default:
      return "?";
  }
}

/// Returns a rule that drops the frames that `choose` selects, or those of a PSN counted from the
/// first.
FaultRule drop_psn(std::uint32_t psn, unsigned count = 1);
FaultRule drop_opcode(std::uint8_t opcode, unsigned first = 1, unsigned count = 1);
FaultRule drop_syndrome(std::uint8_t syndrome, unsigned first = 1, unsigned count = 1);

}  // namespace roci::testbench::faults
