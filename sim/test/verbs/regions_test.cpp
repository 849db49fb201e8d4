// SPDX-License-Identifier: Apache-2.0
// Regions without bytes, regions whose first byte has the address 0, and the count of address
// handles: as ibv_reg_mr(3), ibv_reg_mr_iova(3) and ibv_query_device(3) describe them. Run by
// `roci exec` on a node.
#include <doctest/doctest.h>

#include "sim/test/verbs/user.hpp"

namespace roci::user {
namespace {

constexpr std::uint32_t kBytes = 4096;

struct World {
  World() : pair(device, Sizes{}), near(device.pd, kBytes), far(device.pd, kBytes) {
    near.bytes.assign(kBytes, 0x5A);
  }
  /// The status of a WRITE of `length` bytes from the region `near` to `address` of `key`.
  ibv_wc_status write(std::uint64_t address, std::uint32_t key, std::uint32_t length) {
    ibv_send_wr wr{};
    wr.opcode = IBV_WR_RDMA_WRITE;
    wr.wr.rdma.remote_addr = address;
    wr.wr.rdma.rkey = key;
    CHECK(pair.a.post(wr, near.at(), length, near.mr->lkey) == 0);
    return pair.a.next().status;
  }
  Device device;
  Pair pair;
  Region near, far;
};

std::uint64_t address_of(const void* at) { return reinterpret_cast<std::uint64_t>(at); }

}  // namespace

TEST_CASE("a region of length 0 is registered and permits no access") {
  World w;
  for (std::uint8_t* at : {w.far.bytes.data(), w.far.bytes.data() + 1}) {
    ibv_mr* mr = need(ibv_reg_mr(w.device.pd, at, 0, kAllAccess), "region of length 0");
    CHECK(mr->length == 0);
    CHECK(w.write(address_of(at), mr->rkey, 0) == IBV_WC_SUCCESS);
    CHECK(ibv_dereg_mr(mr) == 0);
  }
  ibv_mr* mr = need(ibv_reg_mr(w.device.pd, w.far.bytes.data(), 0, kAllAccess), "region");
  CHECK(w.write(w.far.at(), mr->rkey, 1) == IBV_WC_REM_ACCESS_ERR);
  CHECK(w.far.bytes == std::vector<std::uint8_t>(kBytes, 0));
  CHECK(ibv_dereg_mr(mr) == 0);
}

TEST_CASE("an entry of a list in a region of length 0 ends in LOC_PROT_ERR") {
  World w;
  ibv_mr* mr = need(ibv_reg_mr(w.device.pd, w.near.bytes.data(), 0, kAllAccess), "region");
  ibv_send_wr wr{};
  wr.opcode = IBV_WR_SEND;
  CHECK(w.pair.a.post(wr, w.near.at(), 1, mr->lkey) == 0);
  CHECK(w.pair.a.next().status == IBV_WC_LOC_PROT_ERR);
  CHECK(ibv_dereg_mr(mr) == 0);
}

TEST_CASE("the first byte of a zero-based region has the address 0, as with an iova of 0") {
  World w;
  const int access = kAllAccess | IBV_ACCESS_ZERO_BASED;
  ibv_mr* flagged = need(ibv_reg_mr(w.device.pd, w.far.bytes.data(), kBytes, access), "flag");
  CHECK(flagged->addr == w.far.bytes.data());
  ibv_mr* given =
      need(ibv_reg_mr_iova(w.device.pd, w.far.bytes.data(), kBytes, 0, kAllAccess), "iova");
  std::vector<std::uint8_t> expected(kBytes, 0);
  std::size_t at = 16;
  for (const ibv_mr* mr : {flagged, given}) {
    CHECK(w.write(at, mr->rkey, 8) == IBV_WC_SUCCESS);
    std::fill_n(expected.begin() + static_cast<std::ptrdiff_t>(at), 8, 0x5A);
    CHECK(w.far.bytes == expected);
    at += 100;
  }
  CHECK(w.write(kBytes - 4, flagged->rkey, 4) == IBV_WC_SUCCESS);
  CHECK(w.write(kBytes - 3, flagged->rkey, 4) == IBV_WC_REM_ACCESS_ERR);
  CHECK(ibv_dereg_mr(flagged) == 0);
  CHECK(ibv_dereg_mr(given) == 0);
}

TEST_CASE("a zero-based region stays so when its range changes") {
  World w;
  Region other(w.device.pd, kBytes);
  ibv_mr* mr =
      need(ibv_reg_mr(w.device.pd, w.far.bytes.data(), kBytes, kAllAccess | IBV_ACCESS_ZERO_BASED),
           "region");
  REQUIRE(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_TRANSLATION, nullptr, other.bytes.data(), kBytes,
                       0) == 0);
  CHECK(w.write(0, mr->rkey, 8) == IBV_WC_SUCCESS);
  CHECK(other.bytes[7] == 0x5A);
  CHECK(w.far.bytes == std::vector<std::uint8_t>(kBytes, 0));
  REQUIRE(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_TRANSLATION | IBV_REREG_MR_CHANGE_ACCESS, nullptr,
                       w.far.bytes.data(), kBytes, kAllAccess) == 0);
  CHECK(w.write(w.far.at(), mr->rkey, 8) == IBV_WC_SUCCESS);
  CHECK(w.far.bytes[7] == 0x5A);
  CHECK(ibv_dereg_mr(mr) == 0);
}

TEST_CASE("as many address handles as the device states, and each keeps its domain") {
  Device device;
  ibv_device_attr attr{};
  need_zero(ibv_query_device(device.context, &attr), "query");
  ibv_ah_attr address{};
  address.is_global = 1;
  address.port_num = 1;
  address.grh.dgid = device.gid;
  std::vector<ibv_ah*> handles;
  while (static_cast<int>(handles.size()) <= attr.max_ah) {
    ibv_ah* handle = ibv_create_ah(device.pd, &address);
    if (handle == nullptr) break;
    handles.push_back(handle);
  }
  CHECK(errno == ENOMEM);
  CHECK(static_cast<int>(handles.size()) == attr.max_ah);
  CHECK(ibv_dealloc_pd(device.pd) == EBUSY);
  for (ibv_ah* handle : handles) CHECK(ibv_destroy_ah(handle) == 0);
}

TEST_CASE("an object is known by its handle: with another one nothing happens to it") {
  World w;
  ibv_qp* qp = w.pair.a.qp;
  ibv_cq* cq = w.pair.a.cq;
  ibv_mr* mr = need(ibv_reg_mr(w.device.pd, w.far.bytes.data(), kBytes, kAllAccess), "region");
  ibv_mw* mw = need(ibv_alloc_mw(w.device.pd, IBV_MW_TYPE_2), "window");
  const auto wrong = [](std::uint32_t& handle, auto call) {
    handle ^= 0x5A5A5A5A;
    const int result = call();
    handle ^= 0x5A5A5A5A;
    return result;
  };
  CHECK(wrong(w.device.pd->handle, [&] { return ibv_dealloc_pd(w.device.pd); }) == ENOENT);
  CHECK(wrong(cq->handle, [&] { return ibv_destroy_cq(cq); }) == ENOENT);
  CHECK(wrong(cq->handle, [&] { return ibv_req_notify_cq(cq, 0); }) == ENOENT);
  CHECK(wrong(mr->handle, [&] { return ibv_dereg_mr(mr); }) == ENOENT);
  CHECK(wrong(mw->handle, [&] { return ibv_dealloc_mw(mw); }) == ENOENT);
  CHECK(wrong(qp->handle, [&] { return ibv_destroy_qp(qp); }) == ENOENT);
  ibv_qp_attr attr{};
  ibv_qp_init_attr init{};
  CHECK(wrong(qp->handle, [&] { return ibv_query_qp(qp, &attr, 0, &init); }) == ENOENT);
  CHECK(wrong(w.device.pd->handle, [&] {
          return ibv_reg_mr(w.device.pd, w.far.bytes.data(), kBytes, 0) == nullptr ? errno : 0;
        }) == EINVAL);
  CHECK(wrong(cq->handle, [&] {
          ibv_qp_init_attr with{};
          with.send_cq = with.recv_cq = cq;
          with.cap = {1, 1, 1, 1, 0};
          with.qp_type = IBV_QPT_RC;
          return ibv_create_qp(w.device.pd, &with) == nullptr ? errno : 0;
        }) == EINVAL);
  Device other;
  std::swap(w.device.pd->context, other.context);
  CHECK(ibv_dealloc_pd(w.device.pd) == ENOENT);
  std::swap(w.device.pd->context, other.context);
  CHECK(w.write(w.far.at(), mr->rkey, 8) == IBV_WC_SUCCESS);
  CHECK(ibv_dealloc_mw(mw) == 0);
  CHECK(ibv_dereg_mr(mr) == 0);
}

TEST_CASE("a bind that fails leaves the window its key, and the window can be freed") {
  World w;
  constexpr int kBindable = kAllAccess | IBV_ACCESS_MW_BIND;
  ibv_mr* mr = need(ibv_reg_mr(w.device.pd, w.far.bytes.data(), kBytes, kBindable), "region");
  ibv_mw* mw = need(ibv_alloc_mw(w.device.pd, IBV_MW_TYPE_2), "window");
  const auto bind = [&](std::uint32_t key) {
    ibv_send_wr wr{};
    wr.opcode = IBV_WR_BIND_MW;
    wr.bind_mw.mw = mw;
    wr.bind_mw.rkey = key;
    wr.bind_mw.bind_info = {mr, address_of(w.far.bytes.data()), 64, IBV_ACCESS_REMOTE_WRITE};
    ibv_sge none{};
    wr.sg_list = &none;
    CHECK(w.pair.b.post(wr, 0, 0, 0) == 0);
    return w.pair.b.next();
  };
  CHECK(bind(ibv_inc_rkey(mw->rkey)).status == IBV_WC_SUCCESS);
  const std::uint32_t key = mw->rkey;
  const ibv_wc failed = bind(ibv_inc_rkey(key));  // a bound window of type 2 is not bound again
  CHECK(failed.status == IBV_WC_MW_BIND_ERR);
  CHECK(mw->rkey == key);
  ibv_send_wr invalidate{};  // by a queue pair to which the window is not bound
  invalidate.opcode = IBV_WR_LOCAL_INV;
  invalidate.invalidate_rkey = key;
  CHECK(w.pair.a.post(invalidate, 0, 0, 0) == 0);
  CHECK(w.pair.a.next().status == IBV_WC_MW_BIND_ERR);
  CHECK(ibv_dealloc_mw(mw) == 0);
  CHECK(ibv_dereg_mr(mr) == 0);  // EBUSY while a window is bound to it
}

}  // namespace roci::user
