// SPDX-License-Identifier: Apache-2.0
#include "driver/cm/mad/message.hpp"

#include "driver/cm/mad/visit.hpp"

namespace roci::cm {
namespace {

using Kind = MadError::Kind;

constexpr std::uint8_t kBaseVersion = 1, kClass = 0x07, kClassVersion = 2, kMethodSend = 0x03;

/// Header of all management datagrams (13.4.3).
struct MadHeader {
  std::uint8_t base_version = kBaseVersion, management_class = kClass;
  std::uint8_t class_version = kClassVersion, method = kMethodSend;
  std::uint16_t status = 0, class_specific = 0;
  std::uint64_t transaction_id = 0;
  std::uint16_t attribute = 0;
  std::uint32_t modifier = 0;

  template <typename Visitor, typename Self>
  static constexpr void layout(Visitor& v, Self& m) {
    v.field("base_version", m.base_version, 8);
    v.field("management_class", m.management_class, 8);
    v.field("class_version", m.class_version, 8);
    v.field("method", m.method, 8);
    v.field("status", m.status, 16);
    v.field("class_specific", m.class_specific, 16);
    v.field("transaction_id", m.transaction_id, 64);
    v.field("attribute", m.attribute, 16);
    v.reserved(16);
    v.field("modifier", m.modifier, 32);
  }
};

constexpr unsigned kHeaderBits = bits_of<MadHeader>();
static_assert(kHeaderBits == 24 * 8);

template <typename M>
constexpr bool kFills = kHeaderBits + bits_of<M>() == kMadBytes * 8;
static_assert(kFills<Req> && kFills<Mra> && kFills<Rej> && kFills<Rep> && kFills<Rtu>);
static_assert(kFills<Dreq> && kFills<Drep> && kFills<SidrReq> && kFills<SidrRep>);
static_assert(kFills<Lap> && kFills<Apr>);

/// A connection cannot end at QP0, at QP1 or at the number of multicast.
bool connects(std::uint32_t qpn) { return qpn > kGsiQpn && qpn != kMulticastQpn; }

// The name of a field with a value that no sender may give it; nullptr: none. Values that a REJ
// responds to, such as a path MTU that is too large, are not among them.
const char* bad_field(const Req& m) {
  const bool queue_pair = m.transport == Transport::kRc || m.transport == Transport::kUc;
  return queue_pair && !connects(m.qpn) ? "qpn" : nullptr;
}
const char* bad_field(const Rep& m) { return connects(m.qpn) ? nullptr : "qpn"; }
const char* bad_field(const Mra& m) { return m.about > About::kOther ? "about" : nullptr; }
const char* bad_field(const Rej& m) {
  if (m.about > About::kOther) return "about";
  return m.info_length > m.info.size() ? "info_length" : nullptr;
}
const char* bad_field(const SidrRep& m) {
  if (m.info_length > m.info.size()) return "info_length";
  const bool sound = m.status != SidrStatus::kValid || (m.qpn != 0 && m.qpn != kMulticastQpn);
  return sound ? nullptr : "qpn";
}
const char* bad_field(const Apr& m) {
  return m.info_length > m.info.size() ? "info_length" : nullptr;
}
template <typename M>
const char* bad_field(const M&) {
  return nullptr;
}

template <typename M>
std::variant<Mad, MadError> decode_as(const MadHeader& header, const std::uint8_t* bytes) {
  M message;
  Reader reader(bytes, kHeaderBits);
  M::layout(reader, message);
  if (const char* field = bad_field(message)) return MadError{Kind::kField, field};
  return Mad{header.transaction_id, header.modifier, message};
}

}  // namespace

std::variant<Mad, MadError> decode(const std::uint8_t* bytes, std::size_t size) {
  if (size != kMadBytes) return MadError{Kind::kLength};
  MadHeader header;
  Reader reader(bytes, 0);
  MadHeader::layout(reader, header);
  if (header.base_version != kBaseVersion) return MadError{Kind::kBaseVersion};
  if (header.management_class != kClass) return MadError{Kind::kClass};
  if (header.class_version != kClassVersion) return MadError{Kind::kClassVersion};
  if (header.method != kMethodSend) return MadError{Kind::kMethod};
  switch (Attribute{header.attribute}) {
    case Attribute::kReq:
      return decode_as<Req>(header, bytes);
    case Attribute::kMra:
      return decode_as<Mra>(header, bytes);
    case Attribute::kRej:
      return decode_as<Rej>(header, bytes);
    case Attribute::kRep:
      return decode_as<Rep>(header, bytes);
    case Attribute::kRtu:
      return decode_as<Rtu>(header, bytes);
    case Attribute::kDreq:
      return decode_as<Dreq>(header, bytes);
    case Attribute::kDrep:
      return decode_as<Drep>(header, bytes);
    case Attribute::kSidrReq:
      return decode_as<SidrReq>(header, bytes);
    case Attribute::kSidrRep:
      return decode_as<SidrRep>(header, bytes);
    case Attribute::kLap:
      return decode_as<Lap>(header, bytes);
    case Attribute::kApr:
      return decode_as<Apr>(header, bytes);
  }
  return MadError{Kind::kAttribute};
}

std::variant<MadBytes, MadError> encode(const Mad& mad) {
  return std::visit(
      [&](const auto& message) -> std::variant<MadBytes, MadError> {
        using M = std::decay_t<decltype(message)>;
        if (const char* field = bad_field(message)) return MadError{Kind::kField, field};
        MadHeader header;
        header.transaction_id = mad.transaction_id;
        header.attribute = static_cast<std::uint16_t>(M::kAttribute);
        header.modifier = mad.modifier;
        MadBytes bytes{};
        Writer head(bytes.data(), 0);
        MadHeader::layout(head, header);
        Writer body(bytes.data(), kHeaderBits);
        M::layout(body, message);
        if (const char* field = body.too_wide()) return MadError{Kind::kWidth, field};
        return bytes;
      },
      mad.message);
}

const char* name_of(const Message& message) {
  return std::visit([](const auto& m) { return std::decay_t<decltype(m)>::kName; }, message);
}

std::string to_string(const MadError& error) {
  switch (error.kind) {
    case Kind::kLength:
      return "not 256 bytes";
    case Kind::kBaseVersion:
      return "wrong base version";
    case Kind::kClass:
      return "another management class";
    case Kind::kClassVersion:
      return "wrong class version";
    case Kind::kMethod:
      return "wrong method";
    case Kind::kAttribute:
      return "unknown attribute";
    case Kind::kField:
      return std::string("forbidden value of ") + error.field;
    case Kind::kWidth:
      return std::string("value too wide for ") + error.field;
  }
  return "unknown";
}

}  // namespace roci::cm
