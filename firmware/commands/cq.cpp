// SPDX-License-Identifier: Apache-2.0
// Commands CreateCq, ModifyCq and DestroyCq.
#include "firmware/commands/commands.hpp"

namespace roci::fw {
namespace {

constexpr uint32_t kMaxLog = 16;

Block row_of(const CompletionQueue& cq, uint32_t count, uint32_t period) {
  namespace row = layout::cq;
  Block block = {};
  block.put(row::valid, cq.used);
  block.put(row::pasid, cq.pasid);
  block.put(row::base, cq.base);
  block.put(row::log, cq.log);
  block.put(row::moderation_count, count);
  block.put(row::moderation_period, period);
  return block;
}

}  // namespace

Result create_cq(Device* device, const Command& command, Reply* reply) {
  namespace body = layout::create_cq;
  Objects& objects = device->objects;
  const uint32_t log = command.get32(body::log_entries);
  const uint64_t base = command.get(body::base);
  const uint32_t pasid = command.get32(body::pasid);
  if (log < 1 || log > kMaxLog) return bad_parameter(body::log_entries);
  if (!is_pasid(pasid)) return bad_parameter(body::pasid);
  if (!is_ring(base, uint64_t{layout::cqe::kBytes} << log)) return bad_parameter(body::base);
  if (objects.free_cqs.empty()) return no_resource();
  const uint32_t cqn = objects.free_cqs.take();
  const CompletionQueue cq = {true, static_cast<uint8_t>(log), 0, pasid, base};
  if (!device->port.write_row(layout::Table::kCq, cqn, row_of(cq, 0, 0))) {
    objects.free_cqs.give(cqn);
    return hardware_error();
  }
  objects.cq[cqn] = cq;
  reply->put(layout::create_cq_reply::cqn, cqn);
  return ok();
}

Result modify_cq(Device* device, const Command& command, Reply*) {
  namespace body = layout::modify_cq;
  const uint32_t cqn = command.get32(body::cqn);
  if (!device->objects.has_cq(cqn)) return bad_handle(body::cqn);
  // The ring continues: only a row that differs in more than moderation restarts it.
  const Block row =
      row_of(device->objects.cq[cqn], command.get32(body::count), command.get32(body::period));
  return device->port.write_row(layout::Table::kCq, cqn, row) ? ok() : hardware_error();
}

Result destroy_cq(Device* device, const Command& command, Reply*) {
  namespace body = layout::destroy_cq;
  Objects& objects = device->objects;
  const uint32_t cqn = command.get32(body::cqn);
  if (!objects.has_cq(cqn)) return bad_handle(body::cqn);
  if (objects.cq[cqn].users != 0) return busy(body::cqn);
  if (!device->port.write_row(layout::Table::kCq, cqn, Block()) || !device->port.fence()) {
    return hardware_error();
  }
  objects.cq[cqn] = CompletionQueue();
  objects.free_cqs.give(cqn);
  return ok();
}

}  // namespace roci::fw
