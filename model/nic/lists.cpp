// SPDX-License-Identifier: Apache-2.0
#include "model/nic/lists.hpp"

#include <algorithm>

#include "model/spec/layout/queues.hpp"

namespace roci::nic {

Segments find_segments(const KeyTable& keys, const Wqe& wqe, std::uint64_t offset,
                       std::uint64_t bytes, std::uint16_t pd, unsigned rights) {
  Segments found;
  for (unsigned i = 0; i < wqe.num_sge && bytes != 0; ++i) {
    const Sge& sge = wqe.sge[i];
    if (offset >= sge.length) {
      offset -= sge.length;
      continue;
    }
    const std::uint64_t count = std::min<std::uint64_t>(bytes, sge.length - offset);
    const Place place = keys.local(sge.lkey, sge.addr + offset, count, pd, rights);
    if (!place.ok) {
      found.status = Status::kLocProtErr;
      found.count = 0;
      return found;
    }
    found.segment[found.count++] = {place.addr, place.pasid, static_cast<std::uint32_t>(count)};
    bytes -= count;
    offset = 0;
  }
  if (bytes != 0) {
    found.status = Status::kLocLenErr;
    found.count = 0;
  }
  return found;
}

bool gather(HostMemory& memory, const Segments& segments, std::uint8_t* to) {
  for (unsigned i = 0; i < segments.count; ++i) {
    const Segment& segment = segments.segment[i];
    if (!memory.read(segment.pasid, segment.addr, to, segment.bytes, MemoryUse::kPayload))
      return false;
    to += segment.bytes;
  }
  return true;
}

bool scatter(HostMemory& memory, const Segments& segments, const std::uint8_t* from,
             MemoryUse use) {
  for (unsigned i = 0; i < segments.count; ++i) {
    const Segment& segment = segments.segment[i];
    if (!memory.write(segment.pasid, segment.addr, from, segment.bytes, use)) return false;
    from += segment.bytes;
  }
  return true;
}

bool read_entry(HostMemory& memory, std::uint32_t pasid, std::uint64_t base, unsigned log,
                unsigned stride_log, std::uint16_t index, Wqe* wqe) {
  const std::uint64_t slot = index & ((1u << log) - 1);
  const std::uint64_t address = base + (slot << stride_log) * layout::kBlockBytes;
  std::array<std::uint8_t, layout::kBlockBytes << layout::kMaxStrideLog> blocks;
  if (!memory.read(pasid, address, blocks.data(), layout::kBlockBytes, MemoryUse::kBlock))
    return false;
  *wqe = decode_wqe(blocks.data());
  wqe->address = address;
  if (wqe->num_sge <= 1 || wqe->num_sge > list_room(stride_log)) return true;
  const std::size_t more = (wqe->num_sge - 1) * layout::kSgeBytes;
  std::uint8_t* rest = blocks.data() + layout::kBlockBytes;
  if (!memory.read(pasid, address + layout::kBlockBytes, rest, more, MemoryUse::kBlock))
    return false;
  decode_list(rest, wqe);
  return true;
}

}  // namespace roci::nic
