// SPDX-License-Identifier: Apache-2.0
// Binding of memory windows, and their keys when a bind fails.
#include "driver/verbs/objects.hpp"

namespace roci::verbs {
namespace {

/// Binds a window of type 1; its key gets the next variant number.
int bind_mw(ibv_qp* ibv, ibv_mw* mw, ibv_mw_bind* bind) {
  auto& pair = ours<QueuePair>(ibv);
  if (mw->type != IBV_MW_TYPE_1) return EINVAL;
  const ibv_mw_bind_info& info = bind->bind_info;
  if (info.length != 0 && (info.mr == nullptr || info.mr->pd != mw->pd)) return EPERM;
  std::uint32_t rights = 0;
  if (!convert_access(info.mw_access_flags, rights)) return EINVAL;
  const std::lock_guard<std::mutex> lock(device_of(ibv->context).mutex);
  auto& window = ours<Window>(mw);
  driver::SendRequest request =
      driver::MemoryWindow::bind(window.window->next_key(), info.mr != nullptr ? info.mr->lkey : 0,
                                 info.addr, info.length, rights);
  request.id = bind->wr_id;
  request.signaled = pair.signal_all || (bind->send_flags & IBV_SEND_SIGNALED) != 0;
  request.fence = (bind->send_flags & IBV_SEND_FENCE) != 0;
  const int error = errno_of(pair.pair->post_send(&request, 1).error);
  if (error != 0) return error;
  record_bind(device_of(ibv->context), window, request, pair.pair->number());
  return 0;
}

}  // namespace

void record_bind(OpenDevice& device, Window& window, const driver::SendRequest& request,
                 std::uint32_t qpn) {
  window.bind_qpn = qpn;
  window.bind_id = request.id;
  window.key_before = window.window->key();
  window.window->set_key(request.remote_key);
  window.ibv.rkey = request.remote_key;
  device.binding.insert(&window);
}

void end_bind(OpenDevice& device, const driver::Completion& completion) {
  for (auto at = device.binding.begin(); at != device.binding.end();) {
    Window& window = **at;
    if (completion.receive || window.bind_qpn != completion.qpn ||
        window.bind_id != completion.id) {
      ++at;
      continue;
    }
    if (!completion.ok()) {
      window.window->set_key(window.key_before);
      window.ibv.rkey = window.key_before;
    }
    at = device.binding.erase(at);
  }
}

int fill_bind(ibv_mw& mw, std::uint32_t key, const ibv_mw_bind_info& info,
              driver::SendRequest& request) {
  std::uint32_t rights = 0;
  if (mw.type != IBV_MW_TYPE_2 || !convert_access(info.mw_access_flags, rights)) return EINVAL;
  request.opcode = driver::Opcode::kBindMw;
  request.remote_key = (ours<Window>(&mw).window->key() & ~0xFFu) | (key & 0xFF);
  request.region_key = info.mr != nullptr ? info.mr->lkey : 0;
  request.remote_address = info.addr;
  request.swap_add = info.length;
  request.compare = rights;
  request.sges.clear();
  return 0;
}

void add_window_operations(ContextOps& operations) { operations.bind_mw = reporting<bind_mw>; }

}  // namespace roci::verbs
