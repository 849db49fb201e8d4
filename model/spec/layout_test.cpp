// SPDX-License-Identifier: Apache-2.0
// Compares the accessors of spec/layout with a loop over single bits, also at compile time.
#include <doctest/doctest.h>

#include <array>
#include <cstring>
#include <random>
#include <type_traits>

#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/commands.hpp"
#include "model/spec/layout/context.hpp"
#include "model/spec/layout/headers.hpp"
#include "model/spec/layout/queues.hpp"
#include "model/spec/layout/records.hpp"

using namespace roci;

namespace {

static_assert(layout::wqe::kBytes == layout::kBlockBytes);
static_assert(layout::qp_attr::kBits <= layout::kRowBits && layout::key::kBits <= layout::kRowBits);
static_assert(std::is_same_v<decltype(layout::cqe::status)::Value, std::uint8_t>);
static_assert(std::is_same_v<decltype(layout::cqe::owner)::Value, bool>);
static_assert(!std::is_convertible_v<layout::WrOp, layout::WcOp>);

// The accessors work at compile time too.
constexpr std::array<std::uint8_t, 14> ethernet_with_type(std::uint16_t type) {
  std::array<std::uint8_t, 14> bytes{};
  layout::put(&bytes[0], layout::ethernet::ethertype, type);
  return bytes;
}
static_assert(ethernet_with_type(layout::ethertype::kArp)[12] == 0x08);
static_assert(ethernet_with_type(layout::ethertype::kArp)[13] == 0x06);

using Bytes = std::array<std::uint8_t, 256>;

/// Number in bits of `bytes`; `wire` counts them from the first on the wire.
std::uint64_t bits_of(const Bytes& bytes, layout::Place place, bool wire) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < place.bits; ++i) {
    const unsigned bit = place.offset + (wire ? i : place.bits - 1 - i);
    value = value << 1 | (bytes[bit / 8] >> (wire ? 7 - bit % 8 : bit % 8) & 1u);
  }
  return value;
}

template <typename Field>
void check(Field field, bool wire) {
  std::mt19937_64 random(Field::offset * 64 + Field::bits);
  for (int round = 0; round < 100; ++round) {
    Bytes bytes;
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
    REQUIRE(std::uint64_t{layout::get(bytes.data(), field)} == bits_of(bytes, field, wire));
    const Bytes before = bytes;
    const std::uint64_t value = random();
    layout::put(bytes.data(), field, value);
    const std::uint64_t mask = Field::bits == 64 ? ~0ull : (1ull << Field::bits) - 1;
    const std::uint64_t kept = value & mask;
    REQUIRE(bits_of(bytes, field, wire) == kept);
    layout::put(bytes.data(), field, bits_of(before, field, wire));
    REQUIRE(bytes == before);  // no neighbour has changed
  }
}

template <typename... Fields>
void check_memory(Fields... fields) {
  (check(fields, false), ...);
}
template <typename... Fields>
void check_wire(Fields... fields) {
  (check(fields, true), ...);
}

TEST_CASE("accessors of little-endian layouts agree with a loop over bits") {
  check_memory(layout::wqe::opcode, layout::wqe::fence, layout::wqe::reserved0, layout::wqe::imm,
               layout::wqe::remote_addr, layout::cqe::owner, layout::qp_attr::pasid,
               layout::qp_attr::sq_base, layout::key::addr, layout::set_gid::vid,
               layout::qp_attributes::dst_mac, layout::reg_mr::iova, layout::key_req::va,
               layout::atomic_job::operand, layout::requester_qp::resume_offset);
}

TEST_CASE("accessors of headers agree with a loop over bits") {
  check_wire(layout::ethernet::dst_mac, layout::ethernet::ethertype, layout::vlan::vid,
             layout::ipv4::fragment_offset, layout::ipv6::flow_label, layout::bth::opcode,
             layout::bth::pad_count, layout::bth::dest_qp, layout::bth::psn, layout::reth::va,
             layout::reth::dma_length, layout::aeth::msn);
}

// A place at run time: every offset within a byte, every width.
TEST_CASE("places at run time agree with a loop over bits") {
  std::mt19937_64 random(1);
  for (unsigned offset = 0; offset < 16; ++offset) {
    for (unsigned bits = 1; bits <= 64; ++bits) {
      const layout::Place place{offset, bits};
      Bytes bytes;
      for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
      REQUIRE(layout::get_memory(bytes.data(), place) == bits_of(bytes, place, false));
      REQUIRE(layout::get_wire(bytes.data(), place) == bits_of(bytes, place, true));
      for (const bool wire : {false, true}) {
        const Bytes before = bytes;
        const std::uint64_t old = bits_of(bytes, place, wire), value = random();
        const auto put = wire ? layout::put_wire : layout::put_memory;
        put(bytes.data(), place, value);
        REQUIRE(bits_of(bytes, place, wire) == (bits == 64 ? value : value & ((1ull << bits) - 1)));
        put(bytes.data(), place, old);
        REQUIRE(bytes == before);
      }
    }
  }
}

}  // namespace
