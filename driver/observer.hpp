// SPDX-License-Identifier: Apache-2.0
// Reports the calls of an application to a test bench or tracer, before the adapter can act on
// them.
#pragma once

#include <optional>

#include "driver/types.hpp"

namespace roci::driver {

class Observer {
 public:
  virtual ~Observer() = default;
  virtual void cq_created(std::uint32_t /*cqn*/, std::uint64_t /*dma*/, unsigned /*log*/) {}
  /// The entries not polled are about to move to this ring.
  virtual void cq_resizing(std::uint32_t /*cqn*/, std::uint64_t /*dma*/, unsigned /*log*/) {}
  /// The ring is at `dma` now, or where it was when the adapter rejected the resize (`taken`
  /// false).
  virtual void cq_resized(std::uint32_t /*cqn*/, std::uint64_t /*dma*/, bool /*taken*/) {}
  virtual void cq_destroyed(std::uint32_t /*cqn*/) {}
  /// `srqn`: where its receives come from, if that is shared.
  virtual void qp_created(std::uint32_t /*qpn*/, std::optional<std::uint32_t> /*srqn*/) {}
  virtual void qp_destroyed(std::uint32_t /*qpn*/) {}
  /// The adapter has accepted `mask` of `attributes`.
  virtual void qp_modified(std::uint32_t /*qpn*/, const QpAttributes&, std::uint32_t /*mask*/) {}
  /// `index` is the free-running number of the request in its queue, as completions name it.
  virtual void send_posted(std::uint32_t /*qpn*/, std::uint16_t /*index*/, const SendRequest&) {}
  virtual void receive_posted(std::uint32_t /*qpn*/, std::uint16_t /*index*/,
                              const ReceiveRequest&) {}
  virtual void srq_created(std::uint32_t /*srqn*/) {}
  virtual void srq_destroyed(std::uint32_t /*srqn*/) {}
  /// `tag` names the receive in its completion, until that.
  virtual void srq_posted(std::uint32_t /*srqn*/, std::uint16_t /*tag*/, const ReceiveRequest&) {}
  /// The application polled a completion.
  virtual void completed(const Completion&) {}
};

}  // namespace roci::driver
