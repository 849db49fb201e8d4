// SPDX-License-Identifier: Apache-2.0
// The private interface between libibverbs and its providers (IBVERBS_PRIVATE_34: rdma-core 22 to
// 56). Debian packages no header for it, so the few structures that a provider needs are declared
// here. Members have the names of rdma-core.
#pragma once

#include <infiniband/verbs.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>

namespace roci::verbs {

/// A device found in sysfs; not used here.
struct SysfsDevice;

/// A rule by which libibverbs finds the provider of a device.
struct MatchEntry {
  enum Kind : std::uint8_t { kEnd = 0, kModalias = 2 };
  void* driver_data;
  const char* modalias;  ///< "rdma_device:*N<prefix>*" matches the device's name
  std::uint16_t vendor, device;
  Kind kind;
};
static_assert(sizeof(MatchEntry) == 24);

struct DeviceOps {
  const char* name;
  std::uint32_t match_min_abi_version, match_max_abi_version;
  const MatchEntry* match_table;
  const DeviceOps** static_providers;
  bool (*match_device)(SysfsDevice*);
  verbs_context* (*alloc_context)(ibv_device*, int cmd_fd, void* private_data);
  verbs_context* (*import_context)(ibv_device*, int cmd_fd);
  struct Device* (*alloc_device)(SysfsDevice*);
  void (*uninit_device)(struct Device*);
};
static_assert(sizeof(DeviceOps) == 72);

/// verbs_device: libibverbs fills all of it but the memory.
struct Device {
  ibv_device device;
  const DeviceOps* ops;
  int refcount;
  void *next, *prev;
  SysfsDevice* sysfs;
  std::uint64_t core_support;
};

/// verbs_mr.
struct Mr {
  ibv_mr ibv;
  int mr_type;
  int access;
};

/// verbs_qp.
struct Qp {
  enum : std::uint32_t { kExtended = 1u << 1 };
  union {
    ibv_qp qp;
    ibv_qp_ex qp_ex;
  };
  std::uint32_t comp_mask;
  void* xrcd;
};

/// verbs_srq.
struct Srq {
  ibv_srq srq;
  int srq_type;
  void* xrcd;
  ibv_cq* cq;
  std::uint32_t srq_num;
};

/// verbs_context_ops: one pointer for each operation, in this order; null is "not supported".
struct ContextOps {
  using Other = void (*)();
  Other advise_mr;
  Other alloc_dm;
  ibv_mw* (*alloc_mw)(ibv_pd*, ibv_mw_type);
  Other alloc_null_mr;
  ibv_pd* (*alloc_parent_domain)(ibv_context*, ibv_parent_domain_init_attr*);
  ibv_pd* (*alloc_pd)(ibv_context*);
  ibv_td* (*alloc_td)(ibv_context*, ibv_td_init_attr*);
  void (*async_event)(ibv_context*, ibv_async_event*);
  Other attach_counters_point_flow;
  int (*attach_mcast)(ibv_qp*, const union ibv_gid*, std::uint16_t lid);
  int (*bind_mw)(ibv_qp*, ibv_mw*, ibv_mw_bind*);
  Other close_xrcd;
  void (*cq_event)(ibv_cq*);
  ibv_ah* (*create_ah)(ibv_pd*, ibv_ah_attr*);
  Other create_counters;
  ibv_cq* (*create_cq)(ibv_context*, int cqe, ibv_comp_channel*, int comp_vector);
  ibv_cq_ex* (*create_cq_ex)(ibv_context*, ibv_cq_init_attr_ex*);
  Other create_flow;
  Other create_flow_action_esp;
  ibv_qp* (*create_qp)(ibv_pd*, ibv_qp_init_attr*);
  ibv_qp* (*create_qp_ex)(ibv_context*, ibv_qp_init_attr_ex*);
  Other create_rwq_ind_table;
  ibv_srq* (*create_srq)(ibv_pd*, ibv_srq_init_attr*);
  ibv_srq* (*create_srq_ex)(ibv_context*, ibv_srq_init_attr_ex*);
  Other create_wq;
  int (*dealloc_mw)(ibv_mw*);
  int (*dealloc_pd)(ibv_pd*);
  int (*dealloc_td)(ibv_td*);
  int (*dereg_mr)(Mr*);
  int (*destroy_ah)(ibv_ah*);
  Other destroy_counters;
  int (*destroy_cq)(ibv_cq*);
  Other destroy_flow;
  Other destroy_flow_action;
  int (*destroy_qp)(ibv_qp*);
  Other destroy_rwq_ind_table;
  int (*destroy_srq)(ibv_srq*);
  Other destroy_wq;
  int (*detach_mcast)(ibv_qp*, const union ibv_gid*, std::uint16_t lid);
  void (*free_context)(ibv_context*);
  Other free_dm;
  int (*get_srq_num)(ibv_srq*, std::uint32_t*);
  Other import_dm;
  Other import_mr;
  Other import_pd;
  int (*modify_cq)(ibv_cq*, ibv_modify_cq_attr*);
  Other modify_flow_action_esp;
  int (*modify_qp)(ibv_qp*, ibv_qp_attr*, int mask);
  Other modify_qp_rate_limit;
  int (*modify_srq)(ibv_srq*, ibv_srq_attr*, int mask);
  Other modify_wq;
  Other open_qp;
  Other open_xrcd;
  int (*poll_cq)(ibv_cq*, int count, ibv_wc*);
  int (*post_recv)(ibv_qp*, ibv_recv_wr*, ibv_recv_wr** bad);
  int (*post_send)(ibv_qp*, ibv_send_wr*, ibv_send_wr** bad);
  Other post_srq_ops;
  int (*post_srq_recv)(ibv_srq*, ibv_recv_wr*, ibv_recv_wr** bad);
  int (*query_device_ex)(ibv_context*, const ibv_query_device_ex_input*, ibv_device_attr_ex*,
                         std::size_t);
  Other query_ece;
  int (*query_port)(ibv_context*, std::uint8_t port, ibv_port_attr*);
  int (*query_qp)(ibv_qp*, ibv_qp_attr*, int mask, ibv_qp_init_attr*);
  int (*query_qp_data_in_order)(ibv_qp*, ibv_wr_opcode, std::uint32_t flags);
  int (*query_rt_values)(ibv_context*, ibv_values_ex*);
  int (*query_srq)(ibv_srq*, ibv_srq_attr*);
  Other read_counters;
  Other reg_dm_mr;
  Other reg_dmabuf_mr;
  ibv_mr* (*reg_mr)(ibv_pd*, void* address, std::size_t length, std::uint64_t iova, int access);
  int (*req_notify_cq)(ibv_cq*, int solicited_only);
  int (*rereg_mr)(Mr*, int flags, ibv_pd*, void* address, std::size_t length, int access);
  int (*resize_cq)(ibv_cq*, int cqe);
  Other set_ece;
  Other unimport_dm;
  Other unimport_mr;
  Other unimport_pd;
};
static_assert(sizeof(ContextOps) == 76 * sizeof(void*));
static_assert(offsetof(ContextOps, poll_cq) == 53 * sizeof(void*));

extern "C" {
void verbs_register_driver_34(const DeviceOps*);
void* _verbs_init_and_alloc_context(ibv_device*, int cmd_fd, std::size_t bytes,
                                    verbs_context* offset, std::uint32_t driver_id);
void verbs_uninit_context(verbs_context*);
void verbs_set_ops(verbs_context*, const ContextOps*);
}

}  // namespace roci::verbs
