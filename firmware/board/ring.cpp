// SPDX-License-Identifier: Apache-2.0
#include "firmware/board/ring.hpp"

namespace roci::fw::board {
namespace {

constexpr uint32_t kLog = 1;  // log2 of the entries: one command at a time
constexpr uint32_t kWords = layout::kCommandBytes / 4;
constexpr uint64_t kPatienceNs = 1'000'000'000;
namespace reg = layout::reg;

uint32_t address_of(volatile uint32_t* page) {
  return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(page));
}

}  // namespace

uint64_t Ring::now() {
  const uint32_t low = read(reg::kTimeLo);
  return low | uint64_t{read(reg::kTimeHi)} << 32;
}

void Ring::start() {
  // The indices are free-running from the reset of the adapter.
  producer_ = static_cast<uint16_t>(read(reg::kAdminDoorbell));
  write(reg::kAdminBaseLo, address_of(commands_));
  write(reg::kAdminBaseHi, 0);
  write(reg::kAdminReplyLo, address_of(replies_));
  write(reg::kAdminReplyHi, 0);
  write(reg::kAdminSize, layout::bits(reg::admin_size::log, kLog));
  write(reg::kControl,
        layout::bits(reg::control::enable, true) | layout::bits(reg::control::neighbours, true));
}

bool Ring::run(const Message& command, Message* reply) {
  const uint32_t at = (producer_ & (mask_of(kLog) - 1)) * kWords;
  const uint32_t tag = (producer_ + 1u) & 0xFFFF;
  Message tagged = command;
  put_bits(tagged.word, layout::command_header::tag, tag);
  for (uint32_t i = 0; i < kWords; ++i) commands_[at + i] = tagged.word[i];
  *reply = Message();
  put_bits(reply->word, layout::reply_header::tag, ~tag);
  replies_[at] = reply->word[0];
  write(reg::kAdminDoorbell, ++producer_);
  const uint64_t end = now() + kPatienceNs;
  do {
    firmware_->poll();
    // The block with the tag is written last.
    reply->word[0] = replies_[at];
    if (get_bits(reply->word, layout::reply_header::tag) == tag) {
      for (uint32_t i = 1; i < kWords; ++i) reply->word[i] = replies_[at + i];
      return true;
    }
  } while (now() < end);
  return false;
}

}  // namespace roci::fw::board
