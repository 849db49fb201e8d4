// SPDX-License-Identifier: Apache-2.0
// Admin commands of a client, and the destruction of its objects after its end.
#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/commands.hpp"
#include "sim/server/client.hpp"
#include "sim/server/next_hop.hpp"

namespace roci::sim {
namespace {

using namespace driver::protocol;
using driver::AdminStatus;

// Time of a command to the adapter after a doorbell of the process. A doorbell takes 400 ns; what
// it has posted is in progress then, as with adapters whose commands take microseconds.
constexpr std::uint64_t kCommandNs = 2400;
constexpr std::uint32_t kMostAdminOp = 0xFFFF;
constexpr std::uint64_t kPortDown = 1;  // ibv_port_state

}  // namespace

void Client::command(const driver::protocol::Command& message) {
  driver::Body body;
  std::memcpy(body.data(), message.body, kBodyBytes);
  ++commands_;
  server_.memory.forget_pages();
  take(server_.fabric.now_ns());
  server_.fabric.submit(
      adapter_, [self = shared_from_this(), message, body](driver::Context& context) mutable {
        --self->commands_;
        // Doorbells that the process rang before the command reach the adapter before it.
        if (std::exchange(self->rang_, false)) {
          context.device().wait([] { return false; }, kCommandNs);
        }
        if (self->ended_) return;
        while (!self->posts_.empty()) {
          const auto [offset, value] = self->posts_.front();
          self->posts_.pop_front();  // before the write, during which other threads may run
          context.device().write32(offset, value);
        }
        // A number of more bits than a code has names no command.
        const auto opcode = message.opcode <= kMostAdminOp
                                ? static_cast<layout::AdminOp>(message.opcode)
                                : layout::AdminOp{};
        CommandReply command_reply{};
        command_reply.header = message.header;
        Checked checked = self->owned_.check(opcode, body, self->pasid_);
        if (self->server_.faults.killed(self->adapter_) && !Ownership::destroys(opcode)) {
          checked.status = AdminStatus::kHardwareError;
        }
        const FabricAdapter& node = self->server_.fabric.adapter(self->adapter_);
        if (checked.status == AdminStatus::kOk && node.host_resolves() &&
            !fill_next_hop(context, node, self->server_.external_ports.plan(self->adapter_).netdev,
                           opcode, body)) {
          checked.status = AdminStatus::kUnreachable;
        }
        command_reply.status = static_cast<std::uint32_t>(checked.status);
        command_reply.detail = checked.detail;
        if (checked.status == AdminStatus::kOk) {
          try {
            self->server_.faults.scripts().begun(self->adapter_, opcode, body);
            driver::Body result = context.execute(opcode, body, "command of a process");
            if (opcode == layout::AdminOp::kQueryPort &&
                !self->server_.fabric.middle().linked(self->adapter_)) {
              result.put(layout::query_port_reply::state, kPortDown);
            }
            self->owned_.done(opcode, body, result);
            self->server_.faults.scripts().done(self->adapter_, self->pasid_, opcode, body, result);
            self->forget_routes(opcode, body);
            std::memcpy(command_reply.body, result.data(), kBodyBytes);
          } catch (const driver::Error& error) {
            command_reply.status = static_cast<std::uint32_t>(error.status());
            command_reply.detail = error.detail();
          }
        }
        self->reply(&command_reply, sizeof command_reply);
      });
}

/// Numbers are reused, so the routes of an object are removed with it.
void Client::forget_routes(layout::AdminOp opcode, const driver::Body& body) {
  struct Way {
    layout::AdminOp opcode;
    Object object;
    layout::Place place;
  };
  constexpr Way kWays[] = {
      {layout::AdminOp::kDestroyQp, Object::kQueuePair, layout::destroy_qp::qpn},
      {layout::AdminOp::kDestroyCq, Object::kCompletionQueue, layout::destroy_cq::cqn},
      {layout::AdminOp::kDestroySrq, Object::kSharedReceiveQueue, layout::destroy_srq::srqn},
  };
  for (const Way& way : kWays) {
    if (way.opcode != opcode) continue;
    const auto number = static_cast<std::uint32_t>(body.get(way.place));
    for (const Format format : {Format::kCompletion, Format::kAsync}) {
      routes_.erase({way.object, number, format});
    }
  }
}

void Client::destroy_objects(driver::Context& context) {
  while (const auto next = owned_.destroy_next()) {
    try {
      context.execute(next->opcode, next->body, "destroy objects of a process");
    } catch (const driver::Error& error) {
      server_.log(fmt::format("process {}: object {} of kind {} stays: {}", pid_, next->number,
                              static_cast<int>(next->kind), error.what()));
    }
  }
  server_.memory.remove(pasid_);
  server_.faults.scripts().left(pasid_);
  gone_ = true;
}

void Client::join_time(const JoinTime& message) {
  Descriptor page;
  if (message.magic == kMagic && message.version == kVersion) page = server_.time.join(this, pid_);
  reply_done(Kind::kJoinTime, message.header.tag, page ? Rejection::kNone : Rejection::kBad, 0,
             page.get());
  if (!page) end();
}

}  // namespace roci::sim
