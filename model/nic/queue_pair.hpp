// SPDX-License-Identifier: Apache-2.0
// One queue pair: what requester and responder share, and its states from RESET to ERR.
#pragma once

#include "model/nic/engine.hpp"
#include "model/nic/frames.hpp"
#include "model/nic/requester.hpp"
#include "model/nic/responder.hpp"

namespace roci::nic {

class QueuePair {
 public:
  QueuePair(std::uint32_t qpn, Engine& shared)
      : number(qpn), engine(shared), requester(*this), responder(*this) {}
  QueuePair(const QueuePair&) = delete;
  QueuePair& operator=(const QueuePair&) = delete;

  const std::uint32_t number;
  Engine& engine;
  Row attr_row{};
  QpAttr attr;
  Av av;
  FrameMaker frames;
  Service service = Service::kRc;
  std::uint32_t qkey = 0;  ///< UD
  QpState state = QpState::kReset;
  std::array<std::uint64_t, 8> counters{};
  Requester requester;
  Responder responder;
  bool requests_queued = false, responses_queued = false;  ///< in the adapter's turn lists

  void set_attr(const Row& row) {
    attr_row = row;
    attr = decode_qp_attr(row);
  }
  void set_service(const Row& row) {
    service = static_cast<Service>(layout::get(row.data(), layout::qp_service::service));
    qkey = layout::get(row.data(), layout::qp_service::qkey);
  }
  bool reliable() const { return service == Service::kRc; }
  void set_av(const Row& row) {
    av = decode_av(row);
    frames = FrameMaker(av);
  }
  /// A state written by firmware.
  void set_state(QpState next);
  /// The adapter moves the queue pair to ERR and reports the event. `closing`: the responses that
  /// are queued are still sent.
  void fail(EventKind kind, bool closing = false);
  /// A send has failed: ERR for RC; SQE for UC and UD, whose receives go on (10.3.1).
  void fail_sends();

  void count(QpCounter counter, std::uint64_t by = 1) {
    counters[static_cast<std::size_t>(counter)] += by;
  }
  /// Writes a completion of this queue pair. A completion queue without room ends the connection.
  void complete(std::uint32_t cqn, Completion completion);

  /// Sends a packet. `fill` writes `payload` bytes to its argument; when it returns false, nothing
  /// is sent.
  template <typename Fill>
  bool send(const PacketHeader& header, std::size_t payload, Fill fill) {
    return send(frames, header, payload, fill);
  }
  /// Does the same with the addresses of `maker`.
  template <typename Fill>
  bool send(const FrameMaker& maker, const PacketHeader& header, std::size_t payload, Fill fill) {
    packet::Bytes frame = maker.open(header, payload, engine.identification);
    if (!fill(frame.data() + maker.payload_at(header))) return false;
    maker.close(&frame);
    ++engine.identification;
    count(QpCounter::kTxPackets);
    count(QpCounter::kTxBytes, payload);
    if (maker.to_group()) engine.looped.push_back(frame);
    engine.transmit(std::move(frame));
    return true;
  }

 private:
  void enter_error(bool closing);
};

}  // namespace roci::nic
