// SPDX-License-Identifier: Apache-2.0
// The firmware's records of the objects that commands create.
#pragma once

#include <stdint.h>

#include "firmware/net/gid.hpp"
#include "model/spec/layout/codes.hpp"

// Most objects of each kind; the adapter may have fewer. A build for a board sets them
// (firmware/rv32/build.sh): they are most of the firmware's data.
#ifndef ROCI_MAX_QPS
#define ROCI_MAX_QPS 2048
#endif
#ifndef ROCI_MAX_CQS
#define ROCI_MAX_CQS 2048
#endif
#ifndef ROCI_MAX_KEYS
#define ROCI_MAX_KEYS 32768
#endif
#ifndef ROCI_MAX_PDS
#define ROCI_MAX_PDS 4096
#endif
#ifndef ROCI_MAX_SRQS
#define ROCI_MAX_SRQS 256
#endif
#ifndef ROCI_MAX_AHS
#define ROCI_MAX_AHS 2048
#endif
#ifndef ROCI_MAX_ATTACHMENTS
#define ROCI_MAX_ATTACHMENTS 256
#endif

namespace roci::fw {

constexpr uint32_t kMaxQps = ROCI_MAX_QPS;
constexpr uint32_t kMaxCqs = ROCI_MAX_CQS;
constexpr uint32_t kMaxKeys = ROCI_MAX_KEYS;
constexpr uint32_t kMaxPds = ROCI_MAX_PDS;
constexpr uint32_t kMaxSrqs = ROCI_MAX_SRQS;
constexpr uint32_t kMaxAhs = ROCI_MAX_AHS;
constexpr uint32_t kMaxAttachments = ROCI_MAX_ATTACHMENTS;
constexpr uint32_t kMaxPkeys = 16;
constexpr uint16_t kDefaultPkey = 0xFFFF;  ///< entry 0 after the start: full member
constexpr uint32_t kFirstQpn = 2;          ///< numbers 0 and 1 are reserved (QP-19)
constexpr uint32_t kFirstKey = 1;          ///< key 0 is never valid
constexpr uint32_t kFirstPd = 1;
constexpr uint32_t kRowsForWindow =
    4;  ///< one row of so many is for a window, the rest for regions

constexpr bool is_window(uint32_t kind) {
  return kind == static_cast<uint32_t>(layout::KeyKind::kWindowType1) ||
         kind == static_cast<uint32_t>(layout::KeyKind::kWindowType2);
}

/// Free numbers in a queue: the number freed last is allocated last (QP-18).
template <uint32_t kRoom>
class NumberPool {
 public:
  void fill(uint32_t first, uint32_t end) {
    head_ = 0;
    count_ = 0;
    for (uint32_t number = first; number < end; ++number) give(number);
  }
  bool empty() const { return count_ == 0; }
  uint32_t take() {
    const uint32_t number = ring_[head_];
    head_ = (head_ + 1) % kRoom;
    --count_;
    return number;
  }
  void give(uint32_t number) {
    ring_[(head_ + count_) % kRoom] = static_cast<uint16_t>(number);
    ++count_;
  }

 private:
  uint16_t ring_[kRoom];
  uint32_t head_ = 0;
  uint32_t count_ = 0;
};

/// Attributes as ModifyQp set them.
struct QpAttributes {
  uint8_t path_mtu;
  uint8_t access;
  uint16_t pkey_index;
  uint8_t port;
  uint8_t timeout;
  uint8_t retry_cnt;
  uint8_t rnr_retry;
  uint8_t min_rnr_timer;
  uint8_t max_rd_atomic;
  uint8_t max_dest_rd_atomic;
  uint8_t sgid_index;
  uint8_t hop_limit;
  uint8_t traffic_class;
  uint8_t sl;
  uint32_t dest_qpn;
  uint32_t sq_psn;
  uint32_t rq_psn;
  uint32_t flow_label;
  uint32_t qkey;
  Gid dgid;
  Mac dst_mac;
};

struct QueuePair {
  bool used;
  bool has_av;  ///< reached RTR since RESET; sgid_index is a use of the GID
  bool has_sq;  ///< reached RTS since RESET
  bool srq;     ///< receives come from `srqn`
  bool credits;
  layout::Service service;
  bool notify;  ///< SqDrained is to be raised
  uint16_t attachments;
  uint8_t sq_log;
  uint8_t sq_stride_log;
  uint8_t rq_log;
  uint8_t rq_stride_log;
  uint16_t pd;
  uint16_t send_cqn;
  uint16_t recv_cqn;
  uint16_t srqn;
  uint32_t pasid;
  uint64_t sq_base;
  uint64_t rq_base;
  QpAttributes attributes;
};

/// A row of the table Multicast: a queue pair of a group, and the rows of other groups around it.
struct Attachment {
  bool used;
  uint16_t passed;  ///< attachments that stand after this row and are searched from before it
  uint32_t qpn;
  Gid group;
};

struct CompletionQueue {
  bool used;
  uint8_t log;
  uint32_t users;  ///< queue pairs; one that uses it for both queues counts twice
  uint32_t pasid;
  uint64_t base;
};

struct SharedReceiveQueue {
  bool used;
  uint8_t log;
  uint8_t stride_log;
  uint16_t pd;
  uint32_t users;  ///< queue pairs
  uint32_t pasid;
  uint64_t base;
};

/// Address of UD work requests; the adapter has the rest.
struct AddressHandle {
  bool used;
  uint8_t sgid_index;
  uint16_t pd;
};

/// A region or a window. Binds and registrations by work requests are in the adapter only.
struct MemoryKey {
  bool used;
  uint8_t variant;  ///< variant as allocated; when free, that of the last key
  uint16_t pd;
  uint8_t kind;  ///< KeyKind
};

struct ProtectionDomain {
  bool used;
  uint32_t users;  ///< queue pairs, SRQs, regions, windows and address handles
};

/// All objects. `key` is indexed by key index, `qp` by queue pair number.
struct Objects {
  uint32_t num_qps;
  uint32_t num_cqs;
  uint32_t num_keys;
  uint32_t num_srqs;
  uint32_t num_ahs;          ///< 0 without UD
  uint32_t num_attachments;  ///< 0 without multicast
  uint32_t services;         ///< bits by Service: which the adapter has
  uint32_t absent;           ///< bits by Option: what the adapter does not have
  QueuePair qp[kMaxQps];
  CompletionQueue cq[kMaxCqs];
  MemoryKey key[kMaxKeys];
  ProtectionDomain pd[kMaxPds];
  SharedReceiveQueue srq[kMaxSrqs];
  AddressHandle ah[kMaxAhs];
  Attachment attachment[kMaxAttachments];
  uint16_t pkey[kMaxPkeys];  ///< 0: empty
  uint32_t drains;           ///< queue pairs with `notify`
  uint32_t regions;          ///< rows of `key` in use
  uint32_t windows;          ///< likewise
  NumberPool<kMaxQps> free_qps;
  NumberPool<kMaxCqs> free_cqs;
  NumberPool<kMaxKeys> free_keys;
  NumberPool<kMaxPds> free_pds;
  NumberPool<kMaxSrqs> free_srqs;
  NumberPool<kMaxAhs> free_ahs;

  void reset(uint32_t qps, uint32_t cqs, uint32_t keys, uint32_t srqs, uint32_t ahs,
             uint32_t attachments);

  bool has_qp(uint32_t qpn) const { return qpn < kMaxQps && qp[qpn].used; }
  bool has_cq(uint32_t cqn) const { return cqn < kMaxCqs && cq[cqn].used; }
  bool has_srq(uint32_t srqn) const { return srqn < kMaxSrqs && srq[srqn].used; }
  bool has_ah(uint32_t number) const { return number < kMaxAhs && ah[number].used; }
  bool has_attachment(uint32_t number) const {
    return number < kMaxAttachments && attachment[number].used;
  }
  bool has_service(layout::Service service) const {
    return (services >> static_cast<uint32_t>(service) & 1) != 0;
  }
  bool lacks(layout::Option option) const {
    return (absent >> static_cast<uint32_t>(option) & 1) != 0;
  }
  uint32_t max_windows() const {
    return lacks(layout::Option::kKeyOps) ? 0 : num_keys / kRowsForWindow;
  }
  /// All regions and all windows fit at once.
  uint32_t max_regions() const { return num_keys - kFirstKey - max_windows(); }
  bool has_pd(uint32_t number) const { return number < kMaxPds && pd[number].used; }
};

}  // namespace roci::fw
