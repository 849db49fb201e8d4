// SPDX-License-Identifier: Apache-2.0
// Limits of the device and its port, which are the limits of the engine.
#include <arpa/inet.h>
#include <endian.h>

#include <algorithm>
#include <cstring>

#include "driver/verbs/objects.hpp"
#include "driver/verbs/tree.hpp"

namespace roci::verbs {
namespace {

constexpr std::uint64_t kPage = 4096;

void fill(OpenDevice& device, ibv_device_attr& attr) {
  const driver::DeviceLimits& limits = device.context().limits();
  std::memset(&attr, 0, sizeof attr);
  const unsigned version = limits.fw_version;
  std::snprintf(attr.fw_ver, sizeof attr.fw_ver, "%u.%u.%u", version >> 16, version >> 8 & 0xFF,
                version & 0xFF);
  attr.node_guid = htobe64(guid_of_mac(device.remote().mac()));
  attr.sys_image_guid = attr.node_guid;
  attr.max_mr_size = std::uint64_t{1} << 47;  // what a process can address
  attr.page_size_cap = ~(kPage - 1);
  attr.vendor_id = static_cast<std::uint32_t>(device.remote().mac() >> 24);  // OUI of the port
  attr.vendor_part_id = 1;
  attr.hw_ver = 1;
  attr.max_qp = static_cast<int>(limits.max_qp);
  attr.max_qp_wr = static_cast<int>(limits.max_qp_wr);
  attr.device_cap_flags = IBV_DEVICE_CURR_QP_STATE_MOD | IBV_DEVICE_SYS_IMAGE_GUID |
                          IBV_DEVICE_RC_RNR_NAK_GEN | IBV_DEVICE_N_NOTIFY_CQ |
                          IBV_DEVICE_BAD_PKEY_CNTR;
  if (!limits.lacks(driver::Option::kKeyOps)) {
    attr.device_cap_flags |= IBV_DEVICE_MEM_WINDOW | IBV_DEVICE_MEM_WINDOW_TYPE_2B;
  }
  attr.max_sge = static_cast<int>(limits.max_sge);
  attr.max_sge_rd = attr.max_sge;
  attr.max_cq = static_cast<int>(limits.max_cq);
  // The driver keeps a quarter of a ring free, see CompletionQueue.
  attr.max_cqe = static_cast<int>(limits.max_cqe / 4 * 3);
  attr.max_mr = static_cast<int>(limits.max_mr);
  attr.max_mw = static_cast<int>(limits.max_mw);
  attr.max_pd = static_cast<int>(limits.max_pd);
  attr.max_qp_rd_atom = static_cast<int>(limits.max_rd_atomic);
  attr.max_qp_init_rd_atom = attr.max_qp_rd_atom;
  attr.max_res_rd_atom = attr.max_qp_rd_atom * attr.max_qp;
  attr.atomic_cap = limits.lacks(driver::Option::kAtomics) ? IBV_ATOMIC_NONE : IBV_ATOMIC_HCA;
  attr.max_ah = static_cast<int>(limits.max_ah != 0 ? limits.max_ah : kMostHandlesOfProcess);
  if (limits.max_srq != 0) attr.device_cap_flags |= IBV_DEVICE_SRQ_RESIZE;
  attr.max_mcast_grp = attr.max_total_mcast_qp_attach = static_cast<int>(limits.max_attachments);
  attr.max_mcast_qp_attach = std::min(attr.max_total_mcast_qp_attach, attr.max_qp);
  attr.max_srq = static_cast<int>(limits.max_srq);
  attr.max_srq_wr = attr.max_srq != 0 ? static_cast<int>(limits.max_srq_wr) : 0;
  attr.max_srq_sge = attr.max_srq != 0 ? attr.max_sge : 0;
  attr.max_pkeys = static_cast<std::uint16_t>(limits.max_pkeys);
  attr.phys_port_cnt = 1;
}

int query_device(ibv_context* context, const ibv_query_device_ex_input* input,
                 ibv_device_attr_ex* attr, std::size_t bytes) {
  if (input != nullptr && input->comp_mask != 0) return EINVAL;
  OpenDevice& device = device_of(context);
  if (device.remote().gone()) return EIO;
  ibv_device_attr_ex all{};
  {
    const std::lock_guard<std::mutex> lock(device.mutex);
    fill(device, all.orig_attr);
  }
  all.completion_timestamp_mask = 0;
  all.hca_core_clock = 0;
  all.phys_port_cnt_ex = 1;
  if (bytes < sizeof(ibv_device_attr)) return EINVAL;
  std::memcpy(attr, &all, bytes < sizeof all ? bytes : sizeof all);
  return 0;
}

/// One lane of 10 Gb/s at 64 bits of data path; one, two or four lanes of 25 Gb/s at 128, 256 and
/// 512 bits. The codes are PortInfo's LinkWidthActive and LinkSpeedActive (IBTA vol. 1, 14.2.5.6).
void set_speed(ibv_port_attr& attr, unsigned width) {
  constexpr std::uint8_t kLanes1 = 1, kLanes2 = 16, kLanes4 = 2, kGbps10 = 4, kGbps25 = 32;
  attr.active_width = width == 512 ? kLanes4 : width == 256 ? kLanes2 : kLanes1;
  attr.active_speed = width == 64 ? kGbps10 : kGbps25;
}

int query_port(ibv_context* context, std::uint8_t port, ibv_port_attr* attr) {
  if (port != 1) return EINVAL;
  return guarded([&] {
    OpenDevice& device = device_of(context);
    const std::lock_guard<std::mutex> lock(device.mutex);
    const driver::PortStatus status = device.context().query_port();
    std::memset(attr, 0, sizeof *attr);
    attr->state = status.active ? IBV_PORT_ACTIVE : IBV_PORT_DOWN;
    attr->max_mtu = static_cast<ibv_mtu>(status.max_mtu);
    attr->active_mtu = static_cast<ibv_mtu>(status.active_mtu);
    attr->gid_tbl_len = static_cast<int>(device.context().limits().max_gid);
    attr->port_cap_flags = IBV_PORT_CM_SUP;
    attr->max_msg_sz = static_cast<std::uint32_t>(device.context().limits().max_message);
    attr->pkey_tbl_len = static_cast<std::uint16_t>(device.context().limits().max_pkeys);
    attr->max_vl_num = 1;
    set_speed(*attr, device.remote().welcome().width);
    attr->phys_state = status.active ? 5 : 3;
    attr->link_layer = IBV_LINK_LAYER_ETHERNET;
    attr->flags = IBV_QPF_GRH_REQUIRED;
    return 0;
  });
}

}  // namespace

void add_query_operations(ContextOps& operations) {
  operations.query_device_ex = reporting<query_device>;
  operations.query_port = reporting<query_port>;
  // Payload may be written in any order; its completion is written after all of it.
  operations.query_qp_data_in_order = [](ibv_qp*, ibv_wr_opcode, std::uint32_t) { return 0; };
  operations.async_event = [](ibv_context* context, ibv_async_event* event) {
    switch (event->event_type) {
      case IBV_EVENT_QP_FATAL:
      case IBV_EVENT_QP_REQ_ERR:
      case IBV_EVENT_QP_ACCESS_ERR:
      case IBV_EVENT_COMM_EST:
      case IBV_EVENT_SQ_DRAINED:
      case IBV_EVENT_QP_LAST_WQE_REACHED:
        ++ours<QueuePair>(event->element.qp).events_reported;
        break;
      case IBV_EVENT_SRQ_ERR:
      case IBV_EVENT_SRQ_LIMIT_REACHED:
        ++ours<SharedQueue>(event->element.srq).events_reported;
        break;
      case IBV_EVENT_CQ_ERR:
        ++ours<Cq>(event->element.cq).async_reported;
        break;
      case IBV_EVENT_DEVICE_FATAL:  // the last one
        device_of(context).remote().end_channel(kAsyncChannel);
        break;
      default:
        break;
    }
  };
}

}  // namespace roci::verbs
