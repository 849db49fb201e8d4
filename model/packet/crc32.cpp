// SPDX-License-Identifier: Apache-2.0
#include "model/packet/crc32.hpp"

#include <zlib.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace roci::packet {
namespace {

std::uint32_t by_table(std::uint32_t crc, ByteView bytes) {
  return static_cast<std::uint32_t>(crc32_z(crc, bytes.data, bytes.size));
}

#if defined(__x86_64__)

// Folding by carry-less multiplication, after V. Gopal et al., "Fast CRC Computation for Generic
// Polynomials Using PCLMULQDQ Instruction" (Intel, 2009), for bits in reflected order. The
// constants are powers of x modulo the polynomial, by the distance over which they fold.
constexpr long long kBy512High = 0x1C6E41596, kBy512Low = 0x154442BD4;
constexpr long long kBy128High = 0x0CCAA009E, kBy128Low = 0x1751997D0;
constexpr long long kBy64 = 0x163CD6124;
constexpr long long kQuotient = 0x1F7011641, kPolynomial = 0x1DB710641;
constexpr std::size_t kBlock = 16, kBlocks = 4;

#define ROCI_CLMUL __attribute__((target("pclmul,sse4.1")))

ROCI_CLMUL inline __m128i load(const std::uint8_t* at) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
}

ROCI_CLMUL inline __m128i fold(__m128i value, __m128i by, __m128i next) {
  const __m128i low = _mm_clmulepi64_si128(value, by, 0x00);
  const __m128i high = _mm_clmulepi64_si128(value, by, 0x11);
  return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

/// `size`: a multiple of 16, at least 64.
ROCI_CLMUL std::uint32_t by_folding(std::uint32_t crc, const std::uint8_t* at, std::size_t size) {
  const __m128i by512 = _mm_set_epi64x(kBy512High, kBy512Low);
  const __m128i by128 = _mm_set_epi64x(kBy128High, kBy128Low);
  __m128i lane[kBlocks];
  for (std::size_t i = 0; i < kBlocks; ++i) lane[i] = load(at + i * kBlock);
  lane[0] = _mm_xor_si128(lane[0], _mm_cvtsi32_si128(static_cast<int>(~crc)));
  for (at += 64, size -= 64; size >= 64; at += 64, size -= 64) {
    for (std::size_t i = 0; i < kBlocks; ++i) lane[i] = fold(lane[i], by512, load(at + i * kBlock));
  }
  __m128i value = lane[0];
  for (std::size_t i = 1; i < kBlocks; ++i) value = fold(value, by128, lane[i]);
  for (; size >= kBlock; at += kBlock, size -= kBlock) value = fold(value, by128, load(at));

  // 128 bits to 64, then to 32 by the multiplication with the quotient (Barrett).
  const __m128i words = _mm_setr_epi32(~0, 0, ~0, 0);
  const __m128i reduce = _mm_set_epi64x(kQuotient, kPolynomial);
  value = _mm_xor_si128(_mm_srli_si128(value, 8), _mm_clmulepi64_si128(value, by128, 0x10));
  const __m128i folded =
      _mm_clmulepi64_si128(_mm_and_si128(value, words), _mm_set_epi64x(0, kBy64), 0x00);
  value = _mm_xor_si128(_mm_srli_si128(value, 4), folded);
  __m128i quotient = _mm_clmulepi64_si128(_mm_and_si128(value, words), reduce, 0x10);
  quotient = _mm_clmulepi64_si128(_mm_and_si128(quotient, words), reduce, 0x00);
  return ~static_cast<std::uint32_t>(_mm_extract_epi32(_mm_xor_si128(value, quotient), 1));
}

#undef ROCI_CLMUL

#endif

}  // namespace

std::uint32_t crc32_extend(std::uint32_t crc, ByteView bytes) {
#if defined(__x86_64__)
  static const bool multiplies =
      __builtin_cpu_supports("pclmul") != 0 && __builtin_cpu_supports("sse4.1") != 0;
  if (multiplies && bytes.size >= kBlock * kBlocks) {
    const std::size_t whole = bytes.size / kBlock * kBlock;
    crc = by_folding(crc, bytes.data, whole);
    bytes = bytes.sub(whole, bytes.size - whole);
  }
#endif
  return by_table(crc, bytes);
}

}  // namespace roci::packet
