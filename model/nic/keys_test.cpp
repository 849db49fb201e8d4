// SPDX-License-Identifier: Apache-2.0
#include "model/nic/keys.hpp"

#include <doctest/doctest.h>

using namespace roci::nic;

namespace {

constexpr std::uint16_t kPd = 3, kOther = 4;
constexpr std::uint32_t kQp = 7;
constexpr std::uint64_t kMax = ~std::uint64_t{0};

Key region(unsigned rights, KeyKind kind = KeyKind::kRegion) {
  Key key;
  key.valid = kind == KeyKind::kRegion;
  key.variant = 0x5A;
  key.pd = kPd;
  key.access = rights;
  key.pasid = 9;
  key.iova = 0x1000;
  key.length = 100;
  key.addr = 0x8000;
  key.kind = kind;
  return key;
}
constexpr std::uint32_t kKey = 2u << 8 | 0x5A;
constexpr unsigned kAll = access::kLocalWrite | access::kRemoteWrite | access::kRemoteRead |
                          access::kRemoteAtomic | access::kMwBind;

}  // namespace

TEST_CASE("keys: index and variant must both match (MR-01)") {
  KeyTable keys(8);
  keys.set(2, region(kAll));
  CHECK(keys.remote(kKey, 0x1000, 100, kPd, access::kRemoteWrite, kQp).addr == 0x8000);
  CHECK(keys.remote(kKey, 0x1000, 100, kPd, access::kRemoteWrite, kQp).pasid == 9);
  for (unsigned bit = 0; bit < 32; ++bit) {
    CHECK_FALSE(keys.remote(kKey ^ 1u << bit, 0x1000, 1, kPd, access::kRemoteWrite, kQp).ok);
  }
}

TEST_CASE("keys: domain and rights (MR-02, MR-04, MR-17)") {
  KeyTable keys(8);
  keys.set(2, region(access::kRemoteRead));
  CHECK(keys.remote(kKey, 0x1000, 1, kPd, access::kRemoteRead, kQp).ok);
  CHECK_FALSE(keys.remote(kKey, 0x1000, 1, kOther, access::kRemoteRead, kQp).ok);
  CHECK_FALSE(keys.remote(kKey, 0x1000, 1, kPd, access::kRemoteWrite, kQp).ok);
  CHECK_FALSE(keys.remote(kKey, 0x1000, 1, kPd, access::kRemoteAtomic, kQp).ok);
  CHECK(keys.local(kKey, 0x1000, 1, kPd, 0).ok);
  CHECK_FALSE(keys.local(kKey, 0x1000, 1, kPd, access::kLocalWrite).ok);
  CHECK_FALSE(keys.local(kKey, 0x1000, 1, kOther, 0).ok);
}

TEST_CASE("keys: bounds without wrap (MR-03, RSP-30)") {
  KeyTable keys(8);
  keys.set(2, region(kAll));
  const auto ok = [&](std::uint64_t va, std::uint64_t bytes) {
    return keys.remote(kKey, va, bytes, kPd, access::kRemoteWrite, kQp).ok;
  };
  CHECK(ok(0x1000, 1));
  CHECK(ok(0x1063, 1));
  CHECK_FALSE(ok(0xFFF, 1));
  CHECK_FALSE(ok(0xFFF, 2));
  CHECK_FALSE(ok(0x1064, 1));
  CHECK_FALSE(ok(0x1000, 101));
  CHECK_FALSE(ok(0x1063, 2));
  CHECK_FALSE(ok(kMax, 1));
  CHECK_FALSE(ok(kMax, 0x1002));
  CHECK_FALSE(ok(0x1001, kMax));
  Key whole = region(kAll);
  whole.iova = 0;
  whole.length = kMax;
  keys.set(2, whole);
  CHECK(ok(kMax - 1, 1));
  CHECK_FALSE(ok(kMax, 1));
  CHECK_FALSE(ok(kMax - 1, 2));
}

TEST_CASE("windows: range and rights are the window's own; no local key (MR-10)") {
  KeyTable keys(8);
  keys.set(2, region(kAll));
  Key window = region(0, KeyKind::kWindowType1);
  keys.set(5, window);
  const std::uint32_t key = 5u << 8 | 1;
  REQUIRE(keys.bind(key, kKey, {0x1010, 16, access::kRemoteWrite}, kPd, kQp));
  const auto write = [&](std::uint64_t va, std::uint64_t n) {
    return keys.remote(key, va, n, kPd, access::kRemoteWrite, 99);
  };
  CHECK(write(0x1010, 16).addr == 0x8010);
  CHECK_FALSE(write(0x100F, 1).ok);
  CHECK_FALSE(write(0x1010, 17).ok);
  CHECK_FALSE(keys.remote(key, 0x1010, 1, kPd, access::kRemoteRead, 99).ok);
  CHECK_FALSE(keys.local(key, 0x1010, 1, kPd, 0).ok);
}

TEST_CASE("windows: a second bind of type 1 invalidates the old key, length 0 unbinds (MR-09)") {
  KeyTable keys(8);
  keys.set(2, region(kAll));
  keys.set(5, region(0, KeyKind::kWindowType1));
  const auto ok = [&](std::uint32_t key) {
    return keys.remote(key, 0x1000, 1, kPd, access::kRemoteRead, kQp).ok;
  };
  REQUIRE(keys.bind(0x501, kKey, {0x1000, 8, access::kRemoteRead}, kPd, kQp));
  CHECK(ok(0x501));
  REQUIRE(keys.bind(0x502, kKey, {0x1000, 8, access::kRemoteRead}, kPd, kQp));
  CHECK(ok(0x502));
  CHECK_FALSE(ok(0x501));
  REQUIRE(keys.bind(0x503, 0, {0, 0, 0}, kPd, kQp));
  CHECK_FALSE(ok(0x502));
  CHECK_FALSE(ok(0x503));
  CHECK_FALSE(keys.invalidate(0x503, kPd, kQp));
}

TEST_CASE(
    "windows: type 2 binds when free, serves its queue pair, is freed by invalidate (MR-11)") {
  KeyTable keys(8);
  keys.set(2, region(kAll));
  keys.set(5, region(0, KeyKind::kWindowType2));
  REQUIRE(keys.bind(0x501, kKey, {0x1000, 8, access::kRemoteWrite}, kPd, kQp));
  CHECK(keys.remote(0x501, 0x1000, 8, kPd, access::kRemoteWrite, kQp).ok);
  CHECK_FALSE(keys.remote(0x501, 0x1000, 8, kPd, access::kRemoteWrite, kQp + 1).ok);
  CHECK_FALSE(keys.bind(0x502, kKey, {0x1000, 8, access::kRemoteWrite}, kPd, kQp));
  CHECK_FALSE(keys.invalidate(0x502, kPd, kQp));
  CHECK_FALSE(keys.invalidate(0x501, kPd, kQp + 1));
  CHECK_FALSE(keys.invalidate(0x501, kOther, kQp));
  CHECK(keys.invalidate(0x501, kPd, kQp));
  CHECK_FALSE(keys.remote(0x501, 0x1000, 8, kPd, access::kRemoteWrite, kQp).ok);
  CHECK(keys.bind(0x502, kKey, {0x1000, 8, access::kRemoteWrite}, kPd, kQp));
}

TEST_CASE("windows: the checks of a bind; a rejected bind changes nothing (MR-12)") {
  KeyTable keys(8);
  keys.set(5, region(0, KeyKind::kWindowType1));
  const auto bind = [&](std::uint64_t va, std::uint64_t bytes, unsigned rights,
                        std::uint16_t pd = kPd) {
    return keys.bind(0x501, kKey, {va, bytes, rights}, pd, kQp);
  };
  CHECK_FALSE(bind(0x1000, 8, access::kRemoteRead));  // no region
  keys.set(2, region(kAll & ~access::kMwBind));
  CHECK_FALSE(bind(0x1000, 8, access::kRemoteRead));
  keys.set(2, region(kAll & ~access::kLocalWrite));
  CHECK_FALSE(bind(0x1000, 8, access::kRemoteWrite));
  CHECK_FALSE(bind(0x1000, 8, access::kRemoteAtomic));
  CHECK_FALSE(bind(0xFFF, 8, access::kRemoteRead));
  CHECK_FALSE(bind(0x1060, 5, access::kRemoteRead));
  CHECK_FALSE(bind(0x1000, kMax, access::kRemoteRead));
  CHECK_FALSE(bind(0x1000, 8, access::kRemoteRead, kOther));
  CHECK_FALSE(keys.at(5).valid);
  CHECK(keys.at(5).variant == 0x5A);
  CHECK(bind(0x1060, 4, access::kRemoteRead));
}

TEST_CASE("windows: addresses of a zero based one count from its start (MR-16)") {
  KeyTable keys(8);
  keys.set(2, region(kAll));
  keys.set(5, region(0, KeyKind::kWindowType1));
  REQUIRE(keys.bind(0x501, kKey, {0x1020, 8, access::kRemoteWrite | access::kZeroBased}, kPd, kQp));
  CHECK(keys.remote(0x501, 0, 8, kPd, access::kRemoteWrite, kQp).addr == 0x8020);
  CHECK_FALSE(keys.remote(0x501, 0x1020, 1, kPd, access::kRemoteWrite, kQp).ok);
}

TEST_CASE("fast regions: registered when free, freed by invalidate (MR-14, MR-15)") {
  KeyTable keys(8);
  keys.set(4, region(0, KeyKind::kFastRegion));
  REQUIRE(keys.register_region(0x477, {0x5000, 64, access::kLocalWrite}, 0x9000, kPd));
  CHECK(keys.local(0x477, 0x5000, 64, kPd, access::kLocalWrite).addr == 0x9000);
  CHECK_FALSE(keys.register_region(0x478, {0x5000, 64, access::kLocalWrite}, 0x9000, kPd));
  CHECK(keys.local(0x477, 0x5000, 64, kPd, 0).ok);
  CHECK_FALSE(keys.invalidate(0x478, kPd, kQp));
  CHECK(keys.invalidate(0x477, kPd, kQp));
  CHECK_FALSE(keys.local(0x477, 0x5000, 64, kPd, 0).ok);
  CHECK_FALSE(keys.register_region(0x478, {0x5000, 64, access::kRemoteWrite}, 0, kPd));  // MR-04
  CHECK_FALSE(keys.register_region(0x478, {kMax, 64, 1}, 0, kPd));
  CHECK_FALSE(keys.register_region(0x478, {0, 0, 1}, 0, kPd));
  CHECK(keys.register_region(0x478, {0x6000, 64, 1}, 0x9000, kPd));
  keys.set(2, region(kAll));
  CHECK_FALSE(keys.invalidate(kKey, kPd, kQp));  // a region of a command stays
}
