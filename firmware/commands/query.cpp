// QueryDevice, QueryPort.
#include "firmware/commands/commands.hpp"

namespace roci::fw {
namespace {

constexpr uint32_t kMaxQueueLog = 15;
constexpr uint32_t kMaxCqLog = 16;
constexpr uint32_t kPortActive = 4;  // as ibv_port_state
constexpr uint32_t kMtu4096 = 5;     // path MTU code

}  // namespace

Result query_device(Device* device, const Command&, Reply* reply) {
  namespace body = layout::query_device_reply;
  const Objects& objects = device->objects;
  reply->put(body::max_qp, objects.num_qps - kFirstQpn);
  reply->put(body::max_cq, objects.num_cqs);
  reply->put(body::max_mr, objects.num_keys - kFirstKey);
  reply->put(body::max_pd, kMaxPds - kFirstPd);
  reply->put(body::max_qp_wr, mask_of(kMaxQueueLog));
  reply->put(body::max_cqe, mask_of(kMaxCqLog));
  reply->put(body::max_sge, layout::kMaxSge);
  reply->put(body::max_inline, layout::kMaxInline);
  reply->put(body::max_rd_atomic, kMaxRdAtomic);
  reply->put(body::max_gid, kMaxGids);
  reply->put(body::max_message, layout::kMaxMessage);
  reply->put(body::fw_version, kFirmwareVersion);
  return ok();
}

Result query_port(Device* device, const Command&, Reply* reply) {
  namespace body = layout::query_port_reply;
  reply->put(body::state, kPortActive);
  reply->put(body::max_mtu, kMtu4096);
  reply->put(body::active_mtu, kMtu4096);
  reply->put(body::pkey, kPkey);
  reply->put(body::mac, device->neighbours.mac());
  return ok();
}

}  // namespace roci::fw
