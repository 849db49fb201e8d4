// SPDX-License-Identifier: Apache-2.0
// A client that is an open descriptor of /dev/infiniband/rdma_cm.
#include <cerrno>
#include <cstring>

#include "sim/server/client.hpp"

namespace roci::sim {

using namespace driver::protocol;

void Client::handle_cm(Kind kind, const std::uint8_t* bytes, std::size_t size, Descriptor fd) {
  if (kind == Kind::kOpenCm) {
    OpenCm message{};
    if (joined_ || cm_events_ || !fd || size != sizeof message) return end();
    std::memcpy(&message, bytes, sizeof message);
    return open_cm(message, std::move(fd));
  }
  CmCommand message{};
  if (!cm_events_ || size != sizeof message) return end();
  std::memcpy(&message, bytes, sizeof message);
  if (message.bytes > sizeof message.body || message.option_bytes > sizeof message.option) {
    return end();
  }
  const CmReply done = server_.cm.command(cm_channel_, message);
  reply(&done, sizeof done);
}

void Client::open_cm(const OpenCm& message, Descriptor events) {
  CmReply done{};
  done.header = message.header;
  const Nodes& names = server_.fabric.names();
  const std::string name(message.node, strnlen(message.node, sizeof message.node));
  const unsigned node = names.node_named(name);
  if (message.magic != kMagic || message.version != kVersion || node == names.nodes) {
    done.error = ENODEV;
    reply(&done, sizeof done);
    return end();
  }
  cm_events_ = std::move(events);
  cm_channel_ = server_.cm.open(node, cm_events_.get());
  done.address = cm_channel_.id;
  reply(&done, sizeof done);
}

}  // namespace roci::sim
