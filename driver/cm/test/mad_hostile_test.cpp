// SPDX-License-Identifier: Apache-2.0
// Datagrams of random bytes and good datagrams with random changes, under the sanitizers of the
// compiler. What decodes must be a message that encodes, and decodes to itself.
//
// usage: cm_mad_hostile_test DATAGRAMS [SEED]
#include <cstdio>
#include <cstdlib>

#include "driver/cm/mad/describe.hpp"
#include "driver/cm/mad/ip.hpp"
#include "driver/cm/test/random_message.hpp"

using namespace roci::cm;

namespace {

std::vector<std::uint8_t> hostile(std::mt19937_64& random) {
  const auto below = [&](std::uint64_t limit) { return random() % limit; };
  const Mad mad = random_mad_of(below(std::variant_size_v<Message>), random);
  const MadBytes good = std::get<MadBytes>(encode(mad));
  std::vector<std::uint8_t> bytes(good.begin(), good.end());
  switch (below(8)) {
    case 0:
      bytes.resize(below(kMadBytes));
      break;
    case 1:
      bytes.resize(kMadBytes + 1 + below(kMadBytes));
      break;
    case 2:
      for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
      break;
    case 3:
      bytes[below(24)] = static_cast<std::uint8_t>(random());
      break;
    default:
      for (std::uint64_t i = below(16); i-- != 0;) {
        bytes[24 + below(kMadBytes - 24)] = static_cast<std::uint8_t>(random());
      }
  }
  return bytes;
}

/// What does not hold; nullptr: nothing.
const char* wrong(const std::vector<std::uint8_t>& bytes, unsigned& good) {
  const auto decoded = decode(bytes.data(), bytes.size());
  const Mad* mad = std::get_if<Mad>(&decoded);
  if (mad == nullptr) {
    return to_string(std::get<MadError>(decoded)) == "unknown" ? "an error without a text"
                                                               : nullptr;
  }
  ++good;
  const auto encoded = encode(*mad);
  const MadBytes* again = std::get_if<MadBytes>(&encoded);
  if (again == nullptr) return "does not encode";
  for (std::size_t i = 0; i < kMadBytes; ++i) {
    if (((*again)[i] & ~bytes[i]) != 0) return "encodes to bits that were not there";
  }
  const auto second = decode(again->data(), again->size());
  if (!std::holds_alternative<Mad>(second)) return "does not decode to itself";
  if (values_of(mad->message).empty()) return "has no values";
  if (const Req* req = std::get_if<Req>(&mad->message)) {
    std::array<std::uint8_t, kIpHeaderBytes> header{};
    const auto ip = decode_ip(req->private_data.data());
    if (ip && !encode_ip(*ip, header.data())) return "has an IP header that does not encode";
  }
  return nullptr;
}

}  // namespace

int main(int count, char** words) {
  if (count < 2) {
    std::fprintf(stderr, "usage: cm_mad_hostile_test DATAGRAMS [SEED]\n");
    return 2;
  }
  const auto datagrams = static_cast<unsigned>(std::strtoul(words[1], nullptr, 0));
  const std::uint64_t seed =
      count > 2 ? std::strtoull(words[2], nullptr, 0) : std::random_device{}();
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  std::mt19937_64 random(seed);
  unsigned good = 0;
  for (unsigned i = 0; i < datagrams; ++i) {
    const auto bytes = hostile(random);
    if (const char* what = wrong(bytes, good)) {
      std::printf("datagram %u %s\n", i, what);
      return 1;
    }
  }
  std::printf("%u datagrams, %u of them good\n", datagrams, good);
  return good > datagrams / 4 && good < datagrams ? 0 : 1;
}
