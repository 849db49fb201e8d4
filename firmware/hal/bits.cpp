// SPDX-License-Identifier: Apache-2.0
#include "firmware/hal/bits.hpp"

namespace roci::fw {
namespace {

constexpr unsigned kWordBits = 32;

}  // namespace

uint64_t get_bits(const uint32_t* words, Place place) {
  uint64_t value = 0;
  for (unsigned done = 0; done < place.bits;) {
    const unsigned bit = place.offset + done;
    const unsigned shift = bit % kWordBits;
    const unsigned left = place.bits - done;
    const unsigned take = kWordBits - shift < left ? kWordBits - shift : left;
    const uint64_t mask = (uint64_t{1} << take) - 1;
    value |= (static_cast<uint64_t>(words[bit / kWordBits] >> shift) & mask) << done;
    done += take;
  }
  return value;
}

void put_bits(uint32_t* words, Place place, uint64_t value) {
  for (unsigned done = 0; done < place.bits;) {
    const unsigned bit = place.offset + done;
    const unsigned shift = bit % kWordBits;
    const unsigned left = place.bits - done;
    const unsigned take = kWordBits - shift < left ? kWordBits - shift : left;
    const auto mask = static_cast<uint32_t>((uint64_t{1} << take) - 1) << shift;
    const uint32_t part = static_cast<uint32_t>(value >> done) << shift;
    words[bit / kWordBits] = (words[bit / kWordBits] & ~mask) | (part & mask);
    done += take;
  }
}

}  // namespace roci::fw
