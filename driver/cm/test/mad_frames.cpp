// SPDX-License-Identifier: Apache-2.0
// For tshark.py: datagrams as frames, and their fields as text.
//
//   cm_mad_frames encode SEED COUNT FILE   writes COUNT frames of each message, prints the fields
//   cm_mad_frames decode FILE              prints the fields of the frames to QP1
//
// A line of the output: number of the frame from 1, field, value in hexadecimal digits.
#include <cstdio>
#include <cstdlib>

#include "driver/cm/mad/describe.hpp"
#include "driver/cm/test/captures.hpp"
#include "driver/cm/test/random_message.hpp"
#include "model/packet/builder.hpp"
#include "model/packet/pcapng.hpp"

namespace {

using namespace roci;

void print(unsigned frame, const cm::Mad& mad) {
  std::printf("%u mad.transaction_id %llx\n", frame,
              static_cast<unsigned long long>(mad.transaction_id));
  std::printf("%u mad.modifier %x\n", frame, static_cast<unsigned>(mad.modifier));
  for (const cm::NamedValue& value : cm::values_of(mad.message)) {
    std::printf("%u %s %s\n", frame, value.name.c_str(), value.value.c_str());
  }
}

packet::Bytes frame_of(const cm::MadBytes& bytes) {
  constexpr packet::Mac kTo = 0x525400000001, kFrom = 0x525400000002;
  constexpr std::uint32_t kToAddress = 0x0A000001, kFromAddress = 0x0A000002;
  return packet::Builder()
      .ethernet(kTo, kFrom)
      .ipv4(kFromAddress, kToAddress)
      .bth(packet::kUdSendOnly, cm::kGsiQpn, transport::Psn(0))
      .deth(cm::kGsiQkey, cm::kGsiQpn)
      .payload({bytes.data(), bytes.size()})
      .build();
}

int encode(std::uint64_t seed, unsigned count, const char* file) {
  std::mt19937_64 random(seed);
  packet::PcapngWriter writer(file);
  const unsigned port = writer.add_interface("cm");
  unsigned frame = 0;
  for (unsigned i = 0; i < count; ++i) {
    for (std::size_t kind = 0; kind < std::variant_size_v<cm::Message>; ++kind) {
      const cm::Mad mad = cm::random_mad_of(kind, random);
      const auto bytes = std::get<cm::MadBytes>(cm::encode(mad));
      writer.write(port, ++frame * 1000, frame_of(bytes));
      print(frame, mad);
    }
  }
  writer.close();
  return 0;
}

int decode(const char* file) {
  unsigned number = 0;
  for (const packet::CapturedFrame& frame : packet::read_capture(file)) {
    ++number;
    const packet::ByteView payload = cm::datagram_of(frame);
    if (payload.size == 0) continue;
    const auto decoded = cm::decode(payload.data, payload.size);
    if (const auto* mad = std::get_if<cm::Mad>(&decoded)) {
      print(number, *mad);
    } else {
      std::fprintf(stderr, "frame %u: %s\n", number,
                   cm::to_string(std::get<cm::MadError>(decoded)).c_str());
      return 1;
    }
  }
  return 0;
}

}  // namespace

int main(int count, char** words) {
  const std::string mode = count > 1 ? words[1] : "";
  if (mode == "encode" && count == 5) {
    return encode(std::strtoull(words[2], nullptr, 0),
                  static_cast<unsigned>(std::strtoul(words[3], nullptr, 0)), words[4]);
  }
  if (mode == "decode" && count == 3) return decode(words[2]);
  std::fprintf(stderr, "usage: cm_mad_frames encode SEED COUNT FILE | decode FILE\n");
  return 2;
}
