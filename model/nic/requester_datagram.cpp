// SPDX-License-Identifier: Apache-2.0
// Requester: datagrams. A message is one packet, which is complete when it has been sent (9.8.3).
#include "model/nic/queue_pair.hpp"
#include "model/spec/layout/queues.hpp"

namespace roci::nic {
namespace {

constexpr std::uint32_t kOwnQkey = 1u << 31;  // this bit of a request's Q_Key selects (10.2.5)

}  // namespace

bool Requester::send_datagram(Message* message) {
  const Wqe& wqe = message->wqe;
  const std::vector<AddressHandle>& all = qp_.engine.ahs;
  const AddressHandle* to = wqe.ah < all.size() ? &all[wqe.ah] : nullptr;
  if (message->error == Status::kSuccess && wqe.length > qp_.attr.pmtu) {  // UD-02
    message->fail_with(Status::kLocLenErr, VendorErr::kLocalLength);
  }
  if (message->error == Status::kSuccess &&
      (to == nullptr || !to->ah.valid || to->ah.pd != qp_.attr.pd)) {
    message->fail_with(Status::kLocQpOpErr, VendorErr::kAddressHandle);
  }
  if (message->error == Status::kSuccess) {
    const bool immediate = message->kind == transport::MessageKind::kSendImm;
    PacketHeader header;
    header.opcode = immediate ? packet::kUdSendOnlyImm : packet::kUdSendOnly;
    header.psn = next_;
    header.solicited = wqe.solicited;
    header.dest_qpn = wqe.dest_qpn;
    header.pkey = qp_.av.pkey;
    header.add_deth((wqe.qkey & kOwnQkey) != 0 ? qp_.qkey : wqe.qkey, qp_.number);  // UD-04
    if (immediate) header.add_word(wqe.imm);
    if (send_payload(message, to->frames, header, 0, wqe.length)) una_ = cursor_ = ++next_;
  }
  complete(*message, message->error, message->vendor);
  if (message->error != Status::kSuccess) qp_.fail_sends();
  return true;
}

}  // namespace roci::nic
