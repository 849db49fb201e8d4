// SPDX-License-Identifier: Apache-2.0
#include "firmware/firmware.hpp"

namespace roci::fw {
namespace {

// Bits of Attention, fields of Parameters and AdminSize, see docs/registers.md.
constexpr uint32_t kAttentionCommand = mask_of(0);
constexpr uint32_t kAttentionFrame = mask_of(1);
constexpr uint32_t kAttentionEvent = mask_of(2);
constexpr Place kLogQps = {8, 8};
constexpr Place kLogKeys = {16, 8};
constexpr Place kLogCqs = {24, 8};
namespace parameters2 = layout::reg::parameters2;
namespace parameters3 = layout::reg::parameters3;
constexpr uint64_t kDrainPeriod = 2000;  // ns between two polls of draining queue pairs
constexpr Place kRingLog = {0, 4};
constexpr Place kRingPasid = {12, 20};
constexpr uint32_t kIndexMask = 0xFFFF;
constexpr unsigned kMaxLog = 16;  // larger tables are used up to the firmware's limits

uint32_t size_of(uint32_t parameters, Place log) {
  const auto value = static_cast<uint32_t>(get_bits(&parameters, log));
  return mask_of(value < kMaxLog ? value : kMaxLog);
}

constexpr uint32_t kBlockWords = layout::kBlockBytes / 4;

constexpr uint32_t words_of(uint32_t bytes) { return (bytes + 3) / 4; }
constexpr uint32_t at_most(uint32_t value, uint32_t limit) { return value < limit ? value : limit; }

}  // namespace

Firmware::Firmware(const Hal& hal, const Config& config)
    : config_(config), device_(hal, config.resolve, config.port_mtu) {}

void Firmware::start() {
  Port& port = device_.port;
  const uint32_t parameters = port.read(layout::reg::kParameters);
  const uint32_t more = port.read(layout::reg::kParameters2);
  const uint32_t last = port.read(layout::reg::kParameters3);
  Objects& objects = device_.objects;
  objects.reset(size_of(parameters, kLogQps), size_of(parameters, kLogCqs),
                size_of(parameters, kLogKeys), size_of(more, parameters2::log_srqs),
                layout::get(more, parameters2::ud) ? size_of(more, parameters2::log_ahs) : 0,
                layout::get(last, parameters3::log_attachments) != 0
                    ? size_of(last, parameters3::log_attachments)
                    : 0);
  objects.absent = layout::get(more, parameters2::absent);
  if (layout::get(more, parameters2::uc)) objects.services |= mask_of(number(layout::Service::kUc));
  if (layout::get(more, parameters2::ud)) objects.services |= mask_of(number(layout::Service::kUd));
  if (config_.mac != 0) {
    port.write(layout::reg::kMacLo, static_cast<uint32_t>(config_.mac));
    port.write(layout::reg::kMacHi, static_cast<uint32_t>(config_.mac >> 32));
  }
  device_.neighbours.set_mac(port.read64(layout::reg::kMacLo));
  // The adapter clears its tables after reset and loses rows written during that; it is idle when
  // they are clear.
  port.fence();
}

bool Firmware::poll() {
  const uint32_t attention = device_.port.read(layout::reg::kAttention);
  bool drain = false;
  if (deadline() != ~uint64_t{0}) {
    const uint64_t now = device_.port.now();
    device_.neighbours.tick(now);
    drain = poll_drains(now);
  }
  const bool frame = poll_frame(attention);
  const bool event = poll_event(attention);
  const bool command = poll_command(attention);
  return frame || event || command || drain;
}

bool Firmware::poll_drains(uint64_t now) {
  if (device_.objects.drains == 0 || now < next_drain_) return false;
  check_drains(&device_);
  next_drain_ = now + kDrainPeriod;
  return true;
}

bool Firmware::poll_frame(uint32_t attention) {
  if ((attention & kAttentionFrame) == 0) return false;
  uint8_t frame[kFrameRoom];
  device_.neighbours.receive(frame, device_.port.receive_frame(frame, kFrameRoom));
  return true;
}

bool Firmware::poll_event(uint32_t attention) {
  if ((attention & kAttentionEvent) == 0) return false;
  // The adapter reports to the host, and firmware reads the state of a queue pair when it needs it.
  // Firmware takes all events, so that the adapter does not drop any.
  uint32_t number = 0;
  uint32_t kind = 0;
  bool any = false;
  while (device_.port.pop_event(&number, &kind)) {
    any = true;
    if (kind == layout::number(layout::EventKind::kCqError)) fail_queue_pairs(&device_, number);
  }
  return any;
}

bool Firmware::poll_command(uint32_t attention) {
  if (!waiting_ && (attention & kAttentionCommand) == 0) return false;
  Message reply = {};
  if (!waiting_) {
    if (!read_command()) {
      write_reply(hardware_error(), &reply);
      return true;
    }
  } else if (device_.neighbours.waiting()) {
    return false;
  }
  const Result result = execute(&device_, command_, &reply);
  waiting_ = result.status == kStatusWaiting;
  if (!waiting_) write_reply(result, &reply);
  return true;
}

bool Firmware::read_command() {
  Port& port = device_.port;
  command_ = Message();
  done_ = port.read(layout::reg::kAdminDone);
  const uint32_t size = port.read(layout::reg::kAdminSize);
  const uint32_t entries = mask_of(static_cast<uint32_t>(get_bits(&size, kRingLog)));
  const uint64_t slot = uint64_t{done_ & (entries - 1)} * layout::kCommandBytes;
  pasid_ = static_cast<uint32_t>(get_bits(&size, kRingPasid));
  const uint64_t from = port.read64(layout::reg::kAdminBaseLo) + slot;
  port.dma_read(from, pasid_);
  reply_address_ = port.read64(layout::reg::kAdminReplyLo) + slot;
  if (!port.dma_end()) return false;

  // The length of a command follows from its bytes fetched so far.
  uint32_t have = 0;
  uint32_t need = words_of(layout::command_header::kBytes);
  while (have < need) {
    if (have < kBlockWords) {
      const uint32_t end = at_most(need, kBlockWords);
      port.dma_words(command_.word + have, have, end);
      have = end;
    } else {
      port.dma_read(from + layout::kBlockBytes, pasid_);
      if (!port.dma_end()) return false;
      port.dma_words(command_.word + have, 0, need - have);
      have = need;
    }
    need = words_of(command_bytes(command_));
  }
  return true;
}

void Firmware::write_reply(const Result& result, Message* reply) {
  Port& port = device_.port;
  uint32_t words = words_of(layout::reply_header::kBytes);
  if (result.status == layout::AdminStatus::kOk) {
    words = words_of(reply_bytes(command_));
  } else {
    *reply = Message();
  }
  put_bits(reply->word, layout::reply_header::status, number(result.status));
  put_bits(reply->word, layout::reply_header::tag,
           get_bits(command_.word, layout::command_header::tag));
  put_bits(reply->word, layout::reply_header::detail, result.detail);
  // The header is written last: its tag marks the whole reply as valid.
  if (words > kBlockWords) {
    port.dma_write(reply_address_ + layout::kBlockBytes, pasid_, reply->word + kBlockWords,
                   words - kBlockWords);
    port.dma_end();
  }
  port.dma_write(reply_address_, pasid_, reply->word, at_most(words, kBlockWords));
  port.dma_end();
  port.write(layout::reg::kAdminDone, (done_ + 1) & kIndexMask);
}

}  // namespace roci::fw
