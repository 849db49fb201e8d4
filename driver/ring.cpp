// SPDX-License-Identifier: Apache-2.0
#include "driver/ring.hpp"

#include <algorithm>
#include <cstring>

#include "driver/layout.hpp"
#include "model/spec/layout/queues.hpp"

namespace roci::driver {

unsigned stride_log(unsigned sges, unsigned inline_bytes) {
  const unsigned by_list = 1 + (sges > 1 ? (sges + 2) / 4 : 0);
  const unsigned by_inline = 1 + (inline_bytes + layout::kBlockBytes - 1) / layout::kBlockBytes;
  const unsigned blocks = std::max(by_list, by_inline);
  return blocks == 1 ? 0 : blocks == 2 ? 1 : 2;
}

unsigned entries_log(unsigned entries) {
  unsigned log = 1;
  while (1u << log < entries) ++log;
  return log;
}

void put_list(std::uint8_t* wqe, const std::vector<Sge>& sges) {
  for (std::size_t i = 0; i < sges.size(); ++i) {
    constexpr unsigned kFirst = layout::wqe::sge0_addr.offset / 8;
    std::uint8_t* at =
        i == 0 ? wqe + kFirst : wqe + layout::kBlockBytes + layout::kSgeBytes * (i - 1);
    put(at, layout::sge::addr, sges[i].address);
    put(at, layout::sge::length, sges[i].length);
    put(at, layout::sge::lkey, sges[i].key);
  }
}

std::uint64_t list_bytes(const std::vector<Sge>& sges) {
  std::uint64_t sum = 0;
  for (const Sge& sge : sges) sum += sge.length;
  return sum;
}

void put_receive(std::uint8_t* wqe, const ReceiveRequest& request, std::uint32_t tag) {
  std::memset(wqe, 0, layout::kBlockBytes);
  put(wqe, layout::wqe::num_sge, request.sges.size());
  put(wqe, layout::wqe::length, list_bytes(request.sges));
  put(wqe, layout::wqe::imm, tag);
  put_list(wqe, request.sges);
}

const char* text_of(PostError error) {
  switch (error) {
    case PostError::kNone:
      return "posted";
    case PostError::kState:
      return "post: not permitted in this state of the queue pair";
    case PostError::kQueueFull:
      return "post: queue full";
    case PostError::kSges:
      return "post: too many scatter/gather entries";
    case PostError::kInline:
      return "post: inline data not possible";
    case PostError::kOpcode:
      return "post: operation not supported";
    case PostError::kLength:
      return "post: message longer than 2^31 bytes";
    case PostError::kShared:
      return "post: the queue pair uses a shared receive queue";
    case PostError::kAtomic:
      return "post: an atomic moves 8 bytes";
    case PostError::kGone:
      return "post: the adapter is gone";
    case PostError::kUnsupported:
      return "post: the engine does not have this operation";
  }
  return "?";
}

void Ring::allocate(Device& device) {
  const std::size_t blocks = std::size_t{1} << (log + stride_log);
  memory = device.allocate(blocks * layout::kBlockBytes, 4096);
  ids.resize(std::size_t{1} << log);
}

}  // namespace roci::driver
