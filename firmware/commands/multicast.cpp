// SPDX-License-Identifier: Apache-2.0
// Commands AttachMulticast and DetachMulticast. An attachment takes the first free row from the
// home of its group on, and each row before it says that a search goes on.
#include "firmware/commands/commands.hpp"

namespace roci::fw {
namespace {

bool write_row(Device* device, uint32_t number) {
  namespace row = layout::multicast;
  const Attachment& attachment = device->objects.attachment[number];
  Block block = {};
  block.put({row::gid.offset, 64}, attachment.group.lo);
  block.put({row::gid.offset + 64, 64}, attachment.group.hi);
  block.put(row::qpn, attachment.qpn);
  block.put(row::valid, attachment.used);
  block.put(row::more, attachment.passed != 0);
  return device->port.write_row(layout::Table::kMulticast, number, block);
}

uint32_t home_of(const Objects& objects, const Gid& group) {
  return group.fold() % objects.num_attachments;
}

/// Makes a search from the home of the group go on to a row, or no longer. Rows for which that is a
/// change are written.
bool pass_rows(Device* device, const Gid& group, uint32_t until, bool pass) {
  Objects& objects = device->objects;
  bool done = true;
  for (uint32_t row = home_of(objects, group); row != until;
       row = (row + 1) % objects.num_attachments) {
    uint16_t& passed = objects.attachment[row].passed;
    const uint16_t before = passed;
    passed = static_cast<uint16_t>(pass ? before + 1 : before - 1);
    if ((before == 0 || passed == 0) && !write_row(device, row)) done = false;
  }
  return done;
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
  uint32_t used = 0;
  for (uint32_t number = 0; number < objects.num_attachments; ++number) {
    const Attachment& other = objects.attachment[number];
    if (!other.used) continue;
    ++used;
    if (other.qpn != qpn || other.group != group) continue;
    reply->put(layout::attach_multicast_reply::attachment, number);
    return ok();
  }
  if (used == objects.num_attachments) return no_resource();
  uint32_t number = home_of(objects, group);
  while (objects.attachment[number].used) number = (number + 1) % objects.num_attachments;
  Attachment& attachment = objects.attachment[number];
  attachment = {true, attachment.passed, qpn, group};
  // The row is there before a search comes to it.
  if (!write_row(device, number) || !pass_rows(device, group, number, true)) {
    return hardware_error();
  }
  ++objects.qp[qpn].attachments;
  reply->put(layout::attach_multicast_reply::attachment, number);
  return ok();
}

Result detach_multicast(Device* device, const Command& command, Reply*) {
  namespace body = layout::detach_multicast;
  Objects& objects = device->objects;
  const uint32_t number = command.get32(body::attachment);
  if (!objects.has_attachment(number)) return bad_handle(body::attachment);
  Attachment& attachment = objects.attachment[number];
  const Attachment old = attachment;
  attachment = {false, old.passed, 0, Gid()};
  --objects.qp[old.qpn].attachments;
  if (!write_row(device, number) || !pass_rows(device, old.group, number, false) ||
      !device->port.fence()) {
    return hardware_error();
  }
  return ok();
}

}  // namespace roci::fw
