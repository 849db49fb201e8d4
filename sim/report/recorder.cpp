// SPDX-License-Identifier: Apache-2.0
#include "sim/report/recorder.hpp"

#include <stdexcept>

#include "model/packet/opcode.hpp"
#include "model/packet/parser.hpp"
#include "model/spec/layout/codes.hpp"
#include "model/transport/psn.hpp"
#include "model/transport/rules.hpp"

namespace roci::sim {
namespace {

bool is_response(std::uint8_t opcode) {
  return opcode >= packet::kRcReadRespFirst && opcode <= packet::kRcAtomicAck;
}

/// Whether the packet has a PSN of its own in its flow: it is no ACK or NAK.
bool is_data(std::uint8_t opcode) { return opcode != packet::kRcAck; }

}  // namespace

Recorder::Recorder(const std::string& pcap) {
  if (pcap.empty()) return;
  file_ = std::make_unique<OutputFile>(pcap);
  try {
    pcap_ = std::make_unique<packet::PcapngWriter>(file_->temporary());
    pcap_->add_interface("n0");
    pcap_->add_interface("n1");
  } catch (const std::runtime_error& error) {
    throw UserError(error.what());
  }
}

void Recorder::frame(const testbench::FrameEvent& event) {
  if (pcap_ && failure_.empty()) {
    try {
      pcap_->write(event.node, event.time_ns, event.parsed.frame, event.fault);
    } catch (const std::runtime_error& error) {
      failure_ = error.what();  // not thrown inside the simulation
    }
  }
  ++counts_[event.node].frames;
  if (event.parsed.has_bth) note(event);
}

void Recorder::note(const testbench::FrameEvent& event) {
  WireCounts& counts = counts_[event.node];
  const std::uint8_t opcode = event.parsed.bth().opcode();
  const double us = static_cast<double>(event.time_ns) / 1000;
  const bool lost = event.fault.find("lost") != std::string::npos;
  // An ACK or NAK carries a PSN of the opposite flow and is drawn there.
  const bool response = is_response(opcode);
  const std::uint64_t key = (std::uint64_t{event.node} << 32 | event.parsed.bth().dest_qp()) << 1 |
                            static_cast<std::uint64_t>(response);
  const std::uint32_t psn = event.parsed.bth().psn();
  Flow& flow = flows_[key];
  if (flow.seen.empty()) flow.first = psn;
  const Point point{
      us, static_cast<double>(transport::Psn(psn).steps_from(transport::Psn(flow.first)))};
  if (!is_data(opcode)) {
    if (flow.seen.empty()) flow.seen.insert(psn);
    const std::uint8_t syndrome = event.parsed.aeth().syndrome();
    switch (transport::aeth_kind(syndrome)) {
      case layout::AethKind::kAck:
        ++counts.acks;
        return;
      case layout::AethKind::kRnr:
        ++counts.rnr_naks;
        break;
      default:
        ++(syndrome == layout::syndrome::kNakSequence ? counts.sequence_naks : counts.other_naks);
    }
    naks_.push_back(point);
    return;
  }
  ++counts.requests;
  const bool retransmitted = !flow.seen.insert(psn).second;
  if (retransmitted) ++counts.retransmitted;
  if (lost) {
    lost_.push_back(point);
  } else {
    (retransmitted ? retransmitted_ : sent_).push_back(point);
  }
}

Plot Recorder::sequence_plot(const std::string& title) const {
  Plot plot;
  plot.title = title;
  plot.x_label = "time, us";
  plot.y_label = "PSN, counted from the first";
  auto add = [&](const char* name, Mark mark, const char* colour, const std::vector<Point>& from) {
    Series series{name, mark, colour, {}};
    for (const Point& point : from) series.points.emplace_back(point.us, point.packet);
    plot.series.push_back(std::move(series));
  };
  add("sent", Mark::kDots, "#1f77b4", sent_);
  add("retransmitted", Mark::kRing, "#2ca02c", retransmitted_);
  add("lost", Mark::kCross, "#d62728", lost_);
  add("NAK", Mark::kCross, "#ff7f0e", naks_);
  return plot;
}

void Recorder::commit() {
  if (!pcap_) return;
  if (!failure_.empty()) throw UserError(failure_);
  try {
    pcap_->close();
  } catch (const std::runtime_error& error) {
    throw UserError(error.what());
  }
  file_->commit();
  pcap_.reset();
}

}  // namespace roci::sim
