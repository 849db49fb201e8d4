// SPDX-License-Identifier: Apache-2.0
// Lock-step: the reference adapter runs beside a node's RTL with the same inputs, and the outputs
// of the two are compared. The rules are in README.md.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/nic/nic.hpp"
#include "testbench/link/frame.hpp"

namespace roci::testbench {

class Shadow final : private nic::HostMemory {
 public:
  /// Reads host memory without an access of the bus; false: unmapped or broken.
  using Peek = std::function<bool(std::uint32_t pasid, std::uint64_t address, std::uint8_t* to,
                                  std::size_t bytes)>;
  using Report = std::function<void(const std::string&)>;

  Shadow(std::string node, Peek peek, Report report);

  // Inputs of the RTL, at the time of their arrival.
  void register_written(std::uint64_t now_ns, std::uint32_t offset, std::uint32_t value);
  void frame_received(std::uint64_t now_ns, packet::ByteView frame);

  // Outputs of the RTL.
  void frame_sent(std::uint64_t now_ns, const packet::Parsed& packet);
  void memory_written(std::uint64_t now_ns, std::uint64_t address, const std::uint8_t* host,
                      unsigned bytes);
  /// Reports that the RTL wrote host memory.
  void memory_changed();
  /// Ends a run with nothing outstanding: reports what the model did and the RTL did not.
  void finish(std::uint64_t now_ns);

  struct Counts {
    std::uint64_t requests = 0, responses = 0, completions = 0,
                  writes = 0;    ///< numbers of equal ones
    std::uint64_t late = 0;      ///< equal requests repeated after their ACK
    std::uint64_t full = 0;      ///< gaps caused by a full receive buffer
    std::uint64_t left_out = 0;  ///< generations of queue pairs not compared to their end
    std::uint64_t diverged = 0;  ///< differences reported

    Counts& operator+=(const Counts& more);
  };
  const Counts& counts() const { return counts_; }

 private:
  using Psn = transport::Psn;
  /// A write of the model into host memory that the RTL has yet to do.
  struct Expected {
    std::uint32_t qpn, psn;
    bool response;  ///< data of a response
    std::uint32_t pasid;
    std::uint64_t address;
    packet::Bytes bytes;
    bool shared = false;        ///< for a shared receive, which is known when it completes
    bool acknowledged = false;  ///< acknowledged by a NAK that did not wait for the write
  };
  /// Fields of a completion.
  struct Entry {
    std::uint32_t qpn, index;
    unsigned queue;  ///< 0: sends, 1: receives
    nic::Status status;

    bool flushed() const { return status == nic::Status::kWrFlushErr; }
    bool out_of_retries() const {
      return status == nic::Status::kRetryExcErr || status == nic::Status::kRnrRetryExcErr;
    }
    std::string text() const;
  };
  static Entry entry_of(const std::uint8_t* cqe);
  struct Completion {
    Entry says;
    packet::Bytes cqe;
    std::uint32_t psn = 0;  ///< in the model: PSN of the packet that completed it
  };
  /// The parts of a packet that must be equal.
  struct Sent {
    std::uint32_t digest = 0;
    bool read = false;        ///< a READ request
    std::uint64_t va = 0;     ///< field of a request with RETH
    std::uint32_t bytes = 0;  ///< field of a request with RETH
    std::uint32_t source_pasid = 0;
    std::uint64_t source = 0;  ///< address from which the payload of a READ response was read
    packet::Bytes payload;     ///< payload of a READ response
  };
  /// State of one generation of a queue pair.
  struct Pair {
    std::map<std::uint32_t, Sent> requests, responses;  ///< by PSN
    std::set<std::uint32_t> reads;                      ///< PSNs of READs that the RTL sent
    /// MSN by PSN and syndrome; none when the data of a READ failed, later than its request.
    std::map<std::pair<std::uint32_t, unsigned>, std::optional<std::uint32_t>> naks;
    std::deque<Completion> model[2], rtl[2];  ///< sends, receives
    std::deque<packet::Bytes> early;          ///< RTL requests not yet in the model
    std::deque<std::string> events;           ///< the last events
    std::uint64_t receive_posted_ns = 0;
    std::uint64_t rnr_ns = 0;    ///< last time at which the model had no receive
    std::uint64_t error_ns = 0;  ///< latest time at which the model entered ERR
    std::map<std::uint32_t, std::uint64_t>
        requested_ns;  ///< time of a request's first arrival, by PSN
    bool compared = true, failed = false;
    bool reset = false;  ///< in RESET: writes belong to the former generation
  };

  void run(std::uint64_t now_ns);
  void model_sent(const packet::Parsed& packet);
  void table_written(std::uint64_t now_ns, std::uint32_t command);
  void new_generation(std::uint32_t qpn);
  Pair* pair_of(const packet::Parsed& packet, std::uint32_t* qpn);
  void leave_out(std::uint32_t qpn, Pair& pair, const char* why);
  void note(Pair& pair, std::uint64_t now_ns, const std::string& text);
  void diverged(std::uint32_t qpn, const Pair& pair, const std::string& text);

  // In memory.cpp; the first two are nic::HostMemory of the model.
  bool read(std::uint32_t pasid, std::uint64_t address, std::uint8_t* to, std::size_t bytes,
            nic::MemoryUse) override;
  bool write(std::uint32_t pasid, std::uint64_t address, const std::uint8_t* from,
             std::size_t bytes, nic::MemoryUse) override;
  std::uint32_t consumed(std::uint32_t cqn, std::uint32_t index) const;
  bool ring_of(std::uint64_t address, std::uint32_t* cqn) const;
  bool bytes_of(const Sent& response, packet::ByteView payload) const;
  std::optional<std::size_t> missing(std::deque<Expected>::const_iterator at) const;
  std::deque<Expected>::iterator found(std::deque<Expected>::iterator at);
  void await_writes(std::uint32_t qpn, Psn before);
  void check_writes(std::uint32_t qpn, bool response, Psn up_to, bool shared = true);
  void drop_expected(const std::function<bool(const Expected&)>& which);
  void forget_reads(std::uint32_t qpn, Psn up_to);

  // In packets.cpp.
  static std::uint32_t digest_of(const packet::Parsed& packet);
  bool known_request(std::uint32_t qpn, Pair& pair, const packet::Parsed& packet,
                     std::string* fault);
  void request_sent(std::uint32_t qpn, Pair& pair, const packet::Parsed& packet);
  void retry_early(std::uint32_t qpn, Pair& pair);
  static bool receive_was_open(std::uint64_t now_ns, const Pair& pair, bool shared, Psn psn);
  void check_response(std::uint64_t now_ns, std::uint32_t qpn, Pair& pair,
                      const packet::Parsed& packet);
  void ack_sent(std::uint32_t qpn, Pair& pair, const packet::Parsed& packet,
                const nic::QueuePair& model);
  void response_sent(std::uint32_t qpn, Pair& pair, const packet::Parsed& packet);

  // In completions.cpp.
  static bool in_error(const Pair& pair) { return pair.failed || pair.error_ns != 0; }
  bool same(const Pair& pair, const Completion& rtl, const Completion& model,
            std::string* fault) const;
  static void skip_unmatched(Pair& pair);
  void check_data(std::uint32_t qpn, const Pair& pair, const Entry& rtl, const Completion& model);
  void compare_completions(std::uint32_t qpn, Pair& pair, unsigned queue);

  std::string node_;
  Peek peek_;
  Report report_;
  nic::Nic model_;
  std::uint64_t now_ns_ = 0;
  bool silent_ = false;  ///< a divergence was reported: later ones may be its consequences

  std::map<std::uint32_t, Pair> pairs_;
  struct Ring {
    std::uint64_t bytes;
    std::uint32_t cqn;
    std::uint64_t until_ns;  ///< end of its use
  };
  std::map<std::uint64_t, Ring> rings_;  ///< by address
  struct Written {
    std::uint16_t rtl = 0, model = 0;
  };
  std::map<std::uint32_t, Written> written_;  ///< entries of a completion queue, by its number
  std::set<std::uint64_t> copies_;            ///< writes of firmware outstanding
  std::uint64_t dma_address_ = 0;
  bool copying_ = false;
  std::map<std::uint32_t, nic::Av> peers_;
  std::deque<Expected> expected_;
  unsigned acknowledged_ = 0;  ///< how many of these are acknowledged
  std::uint64_t eq_base_ = 0, eq_bytes_ = 0;
  nic::Row table_data_{};
  // Activity of the model while it accesses memory or sends.
  bool in_frame_ = false, frame_is_response_ = false, frame_is_send_ = false;
  std::uint32_t frame_qpn_ = 0, frame_psn_ = 0;
  std::uint64_t last_read_ = 0;
  std::uint32_t last_read_pasid_ = 0;
  Counts counts_;
};

}  // namespace roci::testbench
