// SPDX-License-Identifier: Apache-2.0
// Commands AttachMulticast and DetachMulticast.
#include "firmware/commands/commands.hpp"

namespace roci::fw {
namespace {

Block attachment_row(const Attachment& attachment) {
  namespace row = layout::multicast;
  Block block = {};
  block.put({row::gid.offset, 64}, attachment.group.lo);
  block.put({row::gid.offset + 64, 64}, attachment.group.hi);
  block.put(row::qpn, attachment.qpn);
  block.put(row::valid, attachment.used);
  return block;
}

}  // namespace

Result attach_multicast(Device* device, const Command& command, Reply* reply) {
  namespace body = layout::attach_multicast;
  Objects& objects = device->objects;
  const uint32_t qpn = command.get32(body::qpn);
  const Gid group = {command.get(body::gid_hi), command.get(body::gid_lo)};
  if (objects.num_attachments == 0) return unsupported();
  if (!objects.has_qp(qpn)) return bad_handle(body::qpn);
  if (objects.qp[qpn].service != layout::Service::kUd) return bad_parameter(body::qpn);
  if (!group.is_group()) return bad_parameter(body::gid_hi);
  for (uint32_t number = 0; number < objects.num_attachments; ++number) {
    const Attachment& other = objects.attachment[number];
    if (!other.used || other.qpn != qpn || other.group != group) continue;
    reply->put(layout::attach_multicast_reply::attachment, number);
    return ok();
  }
  if (objects.free_attachments.empty()) return no_resource();
  const uint32_t number = objects.free_attachments.take();
  const Attachment attachment = {true, qpn, group};
  if (!device->port.write_row(layout::Table::kMulticast, number, attachment_row(attachment))) {
    objects.free_attachments.give(number);
    return hardware_error();
  }
  objects.attachment[number] = attachment;
  ++objects.qp[qpn].attachments;
  reply->put(layout::attach_multicast_reply::attachment, number);
  return ok();
}

Result detach_multicast(Device* device, const Command& command, Reply*) {
  namespace body = layout::detach_multicast;
  Objects& objects = device->objects;
  const uint32_t number = command.get32(body::attachment);
  if (!objects.has_attachment(number)) return bad_handle(body::attachment);
  if (!device->port.write_row(layout::Table::kMulticast, number, Block()) ||
      !device->port.fence()) {
    return hardware_error();
  }
  --objects.qp[objects.attachment[number].qpn].attachments;
  objects.attachment[number] = Attachment();
  objects.free_attachments.give(number);
  return ok();
}

}  // namespace roci::fw
