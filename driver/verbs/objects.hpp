// SPDX-License-Identifier: Apache-2.0
// The objects of libibverbs and the objects of the driver that they stand for. An ibv_* is always
// the first member, so that a pointer to it is a pointer to the object.
#pragma once

#include <array>
#include <cerrno>
#include <memory>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "driver/address_handle.hpp"
#include "driver/completion_queue.hpp"
#include "driver/context.hpp"
#include "driver/device/remote.hpp"
#include "driver/memory.hpp"
#include "driver/memory_window.hpp"
#include "driver/queue_pair.hpp"
#include "driver/shared_receive_queue.hpp"
#include "driver/verbs/abi.hpp"
#include "driver/verbs/convert.hpp"
#include "model/spec/layout/queues.hpp"

namespace roci::verbs {

/// An opened device: one connection to the simulator. The objects of the driver are not safe for
/// concurrent use by threads, so `mutex` is held during each use.
class OpenDevice {
 public:
  explicit OpenDevice(const driver::RemoteDevice::Place& place);
  ~OpenDevice();
  OpenDevice(const OpenDevice&) = delete;
  OpenDevice& operator=(const OpenDevice&) = delete;

  driver::RemoteDevice& remote() { return remote_; }
  driver::Context& context() { return context_; }

  std::mutex mutex;

  /// Descriptor from which libibverbs reads the asynchronous events of this context.
  int async_fd() const { return async_fd_; }
  std::uint32_t next_channel() { return ++channels_; }

  /// Completion queues with a channel; their readers get an event when the device is gone.
  std::set<std::pair<std::uint32_t, ibv_cq*>> notified;

  /// Windows whose last bind is not known to have succeeded.
  std::set<struct Window*> binding;

  unsigned handles_of_process = 0;  ///< address handles, where the adapter has no UD

  /// Called after an empty poll. After several the caller sleeps until the simulator wrote memory:
  /// both may run on one processor. In simulated time the clock lets time pass instead.
  void nothing_found(std::unique_lock<std::mutex>& lock);
  bool yields();
  /// Called after a poll that found something, and after requests were posted.
  void something_found();
  void posted();

 private:
  void lose();

  driver::RemoteDevice remote_;
  driver::Context context_;
  int async_fd_;
  std::uint32_t channels_ = 0;
  unsigned empty_polls_ = 0;
  int counted_in_ = 0;  ///< process whose clock counts the thread that watches; 0: none
  std::uint32_t seen_ = 0;
  bool slept_ = false;                ///< in the present wait
  std::uint64_t empty_since_ns_ = 0;  ///< the present wait; 0: no wait yet
  unsigned waits_to_sleep_ = 0;
};

inline constexpr std::uint32_t kAsyncChannel = 0;
/// Address handles of an open device whose adapter has no UD: they stay in the process.
inline constexpr unsigned kMostHandlesOfProcess = 65536;

/// The structure that libibverbs allocates for a context.
struct Context {
  verbs_context base;
  OpenDevice* device;
};

inline OpenDevice& device_of(ibv_context* context) {
  auto* base = reinterpret_cast<verbs_context*>(reinterpret_cast<char*>(context) -
                                                offsetof(verbs_context, context));
  return *reinterpret_cast<Context*>(base)->device;
}

struct CompletionChannel {
  ibv_comp_channel ibv;
  std::uint32_t id;
};

// Shared pointers keep the objects that another one uses, and show whether an object is in use.
struct Pd {
  ibv_pd ibv;
  std::shared_ptr<driver::ProtectionDomain> pd;  ///< shared with its parent domains
  bool parent = false;                           ///< it is a parent domain
};

struct Region {
  Mr mr;
  std::shared_ptr<driver::ProtectionDomain> pd;
  std::unique_ptr<driver::MemoryRegion> region;
};

struct Window {
  ibv_mw ibv;
  std::shared_ptr<driver::ProtectionDomain> pd;
  std::unique_ptr<driver::MemoryWindow> window;
  std::uint32_t bind_qpn = 0;    ///< queue pair of the last bind
  std::uint64_t bind_id = 0;     ///< its work request
  std::uint32_t key_before = 0;  ///< key of the window before it
};

struct Handle {
  ibv_ah ibv{};
  std::shared_ptr<driver::ProtectionDomain> pd;
  std::unique_ptr<driver::AddressHandle> handle;  ///< null: the adapter has no UD
};

struct Cq {
  union {
    ibv_cq cq;
    ibv_cq_ex cq_ex;
  };
  std::shared_ptr<driver::CompletionQueue> queue;
  std::uint32_t events_reported = 0;  ///< completion events that ibv_get_cq_event returned
  std::uint32_t async_reported = 0;   ///< asynchronous events likewise
  driver::Completion current;         ///< current completion of extended polling
  Cq() : cq_ex() {}
};

struct Building;  // qp_ex.cpp

struct QueuePair {
  Qp qp{};
  std::shared_ptr<driver::ProtectionDomain> pd;
  std::shared_ptr<driver::CompletionQueue> send_cq, receive_cq;
  std::shared_ptr<driver::SharedReceiveQueue> srq;
  std::unique_ptr<driver::QueuePair> pair;  ///< destroyed before the members above
  ibv_qp_cap cap{};
  bool signal_all = false;
  std::uint32_t events_reported = 0;
  driver::SendRequest request;  ///< the request being posted
  std::array<std::uint8_t, layout::kMaxInline> inlined{};
  std::shared_ptr<Building> building;
};

struct SharedQueue {
  Srq srq{};
  std::shared_ptr<driver::ProtectionDomain> pd;
  std::shared_ptr<driver::SharedReceiveQueue> queue;
  std::uint32_t events_reported = 0;
};

template <typename Ours, typename Theirs>
Ours& ours(Theirs* theirs) {
  return *reinterpret_cast<Ours*>(theirs);
}

/// Runs `make`, which returns a pointer; sets errno and returns nullptr when it throws.
template <typename Make>
auto guarded_pointer(Make make) -> decltype(make()) {
  try {
    return make();
  } catch (...) {
    errno = errno_of_exception();
    return nullptr;
  }
}

/// Runs `action`, which returns an errno value; the errno value of the exception when it throws.
template <typename Action>
int guarded(Action action) {
  try {
    return action();
  } catch (...) {
    return errno_of_exception();
  }
}

/// The operation `function`, which returns an errno value, setting errno to it as well when it is
/// not 0: programs print "%m".
template <auto function, typename... Arguments>
int reporting(Arguments... arguments) {
  const int error = function(arguments...);
  if (error != 0) errno = error;
  return error;
}

/// Operations by topic; each file of this folder fills in its own.
void add_domain_operations(ContextOps& operations);
void add_cq_operations(ContextOps& operations);
void add_qp_operations(ContextOps& operations);
void add_multicast_operations(ContextOps& operations);
void add_window_operations(ContextOps& operations);
void add_srq_operations(ContextOps& operations);
void add_query_operations(ContextOps& operations);

/// Drop the unread events of an object that is destroyed; events of other objects stay.
void drop_events(OpenDevice& device, ibv_cq* cq);
void drop_async_events(OpenDevice& device, void* object);

/// Waits until the program has acknowledged the asynchronous events that it has read (11.6.3).
template <typename Ibv>
void wait_acknowledged(Ibv& ibv, std::uint32_t reported) {
  pthread_mutex_lock(&ibv.mutex);
  while (ibv.events_completed != reported) pthread_cond_wait(&ibv.cond, &ibv.mutex);
  pthread_mutex_unlock(&ibv.mutex);
}

/// Posts a list of receives to a queue pair or a shared queue of the driver.
template <typename Queue>
int post_receives(OpenDevice& device, Queue& queue, ibv_recv_wr* wr, ibv_recv_wr** bad) {
  const std::lock_guard<std::mutex> lock(device.mutex);
  driver::ReceiveRequest request;
  for (; wr != nullptr; wr = wr->next) {
    const int error = guarded([&] {
      return convert(*wr, request) ? errno_of(queue.post_receive(&request, 1).error) : EINVAL;
    });
    if (error != 0) {
      *bad = wr;
      return error;
    }
  }
  return 0;
}

/// Extended polling and posting.
void fill_cq_ex(ibv_cq_ex& cq, std::uint64_t wc_flags);
/// False when `operations` (IBV_QP_EX_WITH_*) has one that is not supported.
bool fill_qp_ex(QueuePair& pair, std::uint64_t operations);

/// Sets the destination of a datagram; an errno value when there is none.
int fill_destination(ibv_ah* ah, std::uint32_t qpn, std::uint32_t qkey,
                     driver::SendRequest& request);

/// Makes the request that binds a window of type 2; an errno value when it is not permitted. The
/// program owns the lower 8 bits of `key`; the index above them is that of the window, as with
/// other providers.
int fill_bind(ibv_mw& mw, std::uint32_t key, const ibv_mw_bind_info& info,
              driver::SendRequest& request);
/// Notes the key of a bind that was posted, in the window and in its ibv_mw::rkey.
void record_bind(OpenDevice& device, Window& window, const driver::SendRequest& request,
                 std::uint32_t qpn);
/// Gives a window its key back when `completion` is that of a bind that failed.
void end_bind(OpenDevice& device, const driver::Completion& completion);

/// Whether the program left the handle of an object as it was made, and the object is of `device`.
/// A kernel finds objects by handles; here they show pointers to something else.
template <typename Ibv>
bool genuine(const Ibv& ibv, std::uint32_t number) {
  return ibv.handle == number;
}
bool genuine(ibv_pd* pd);
bool genuine(ibv_cq* cq);
bool genuine(ibv_qp* qp);
bool genuine(ibv_srq* srq);

}  // namespace roci::verbs
