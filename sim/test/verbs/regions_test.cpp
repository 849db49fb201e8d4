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

}  // namespace roci::user
