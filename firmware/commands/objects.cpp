// SPDX-License-Identifier: Apache-2.0
#include "firmware/commands/objects.hpp"

#include "firmware/hal/bits.hpp"

namespace roci::fw {
namespace {

constexpr uint32_t at_most(uint32_t value, uint32_t limit) { return value < limit ? value : limit; }

}  // namespace

void Objects::reset(uint32_t qps, uint32_t cqs, uint32_t keys, uint32_t srqs, uint32_t ahs,
                    uint32_t attachments) {
  num_qps = at_most(qps, kMaxQps);
  num_cqs = at_most(cqs, kMaxCqs);
  num_keys = at_most(keys, kMaxKeys);
  num_srqs = at_most(srqs, kMaxSrqs);
  num_ahs = at_most(ahs, kMaxAhs);
  num_attachments = at_most(attachments, kMaxAttachments);
  services = mask_of(static_cast<uint32_t>(layout::Service::kRc));
  absent = 0;
  for (QueuePair& one : qp) one = QueuePair();
  for (CompletionQueue& one : cq) one = CompletionQueue();
  for (MemoryKey& one : key) one = MemoryKey();
  for (ProtectionDomain& one : pd) one = ProtectionDomain();
  for (SharedReceiveQueue& one : srq) one = SharedReceiveQueue();
  for (AddressHandle& one : ah) one = AddressHandle();
  for (Attachment& one : attachment) one = Attachment();
  for (uint16_t& one : pkey) one = 0;
  pkey[0] = kDefaultPkey;
  drains = regions = windows = 0;
  free_qps.fill(kFirstQpn, num_qps);
  free_cqs.fill(0, num_cqs);
  free_keys.fill(kFirstKey, num_keys);
  free_pds.fill(kFirstPd, kMaxPds);
  free_srqs.fill(0, num_srqs);
  free_ahs.fill(0, num_ahs);
}

}  // namespace roci::fw
