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
constexpr Place kRingLog = {0, 4};
constexpr Place kRingPasid = {12, 20};
constexpr uint32_t kIndexMask = 0xFFFF;
constexpr unsigned kMaxLog = 16;  // larger tables than firmware's own limits count as those

uint32_t size_of(uint32_t parameters, Place log) {
  const auto value = static_cast<uint32_t>(get_bits(&parameters, log));
  return mask_of(value < kMaxLog ? value : kMaxLog);
}

/// Where a slot of a ring lies, and the address space.
struct Slot {
  uint64_t address;
  uint32_t pasid;
};

Slot slot_of(Port* port, uint32_t base_register, uint32_t index) {
  const uint32_t size = port->read(layout::kRegAdminSize);
  const uint32_t entries = mask_of(static_cast<uint32_t>(get_bits(&size, kRingLog)));
  return {port->read64(base_register) + uint64_t{index & (entries - 1)} * layout::kCommandBytes,
          static_cast<uint32_t>(get_bits(&size, kRingPasid))};
}

constexpr uint32_t kBlocks = layout::kCommandBytes / layout::kBlockBytes;
constexpr uint32_t kBlockWords = layout::kBlockBytes / 4;

bool read_message(Port* port, const Slot& slot, Message* message) {
  for (uint32_t i = 0; i < kBlocks; ++i) {
    Block block;
    if (!port->dma_read(slot.address + i * layout::kBlockBytes, slot.pasid, &block)) return false;
    for (uint32_t j = 0; j < kBlockWords; ++j) message->word[i * kBlockWords + j] = block.word[j];
  }
  return true;
}

void write_message(Port* port, const Slot& slot, const Message& message) {
  for (uint32_t i = 0; i < kBlocks; ++i) {
    Block block;
    for (uint32_t j = 0; j < kBlockWords; ++j) block.word[j] = message.word[i * kBlockWords + j];
    port->dma_write(slot.address + i * layout::kBlockBytes, slot.pasid, block);
  }
}

}  // namespace

Firmware::Firmware(const Hal& hal, const Config& config)
    : config_(config), device_(hal, config.resolve) {}

void Firmware::start() {
  Port& port = device_.port;
  const uint32_t parameters = port.read(layout::kRegParameters);
  device_.objects.reset(size_of(parameters, kLogQps), size_of(parameters, kLogCqs),
                        size_of(parameters, kLogKeys));
  if (config_.mac != 0) {
    port.write(layout::kRegMacLo, static_cast<uint32_t>(config_.mac));
    port.write(layout::kRegMacHi, static_cast<uint32_t>(config_.mac >> 32));
  }
  device_.neighbours.set_mac(port.read64(layout::kRegMacLo));
}

bool Firmware::poll() {
  const uint32_t attention = device_.port.read(layout::kRegAttention);
  if (deadline() != ~uint64_t{0}) device_.neighbours.tick(device_.port.now());
  const bool frame = poll_frame(attention);
  const bool event = poll_event(attention);
  const bool command = poll_command(attention);
  return frame || event || command;
}

bool Firmware::poll_frame(uint32_t attention) {
  if ((attention & kAttentionFrame) == 0) return false;
  uint8_t frame[kFrameRoom];
  device_.neighbours.receive(frame, device_.port.receive_frame(frame, kFrameRoom));
  return true;
}

bool Firmware::poll_event(uint32_t attention) {
  if ((attention & kAttentionEvent) == 0) return false;
  // The adapter tells the host by itself, and the state of a queue pair is read when it matters.
  uint32_t number = 0;
  uint32_t kind = 0;
  return device_.port.pop_event(&number, &kind);
}

bool Firmware::poll_command(uint32_t attention) {
  if (!waiting_ && (attention & kAttentionCommand) == 0) return false;
  const bool first_time = !waiting_;
  Message reply = {};
  Result result = hardware_error();
  if (first_time) {
    const uint32_t done = device_.port.read(layout::kRegAdminDone);
    command_ = Message();
    const Slot slot = slot_of(&device_.port, layout::kRegAdminBaseLo, done);
    if (!read_message(&device_.port, slot, &command_)) {
      answer(command_, result, &reply);
      return true;
    }
  } else if (device_.neighbours.asking()) {
    return false;
  }
  result = execute(&device_, command_, &reply);
  waiting_ = result.status == kStatusWaiting;
  if (!waiting_) answer(command_, result, &reply);
  return true;
}

void Firmware::answer(const Message& command, const Result& result, Message* reply) {
  Port& port = device_.port;
  if (result.status != layout::kAdminStatusOk) *reply = Message();
  const uint64_t tag = get_bits(command.word, layout::command_header::tag);
  put_bits(reply->word, layout::reply_header::status, result.status);
  put_bits(reply->word, layout::reply_header::tag, tag);
  put_bits(reply->word, layout::reply_header::detail, result.detail);
  const uint32_t done = port.read(layout::kRegAdminDone);
  write_message(&port, slot_of(&port, layout::kRegAdminReplyLo, done), *reply);
  port.write(layout::kRegAdminDone, (done + 1) & kIndexMask);
}

}  // namespace roci::fw
