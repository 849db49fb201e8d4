// SPDX-License-Identifier: Apache-2.0
// A management datagram of the connection manager: 256 bytes to and from a Mad.
//
//   const auto encoded = encode({transaction, 0, Rtu{local, remote, {}}});
//   const auto decoded = decode(bytes, size);
//   if (const Mad* mad = std::get_if<Mad>(&decoded)) ...
//
// Neither throws. A datagram that breaks a rule gives a MadError: it must be dropped, and counted.
#pragma once

#include <string>
#include <variant>

#include "driver/cm/mad/connection_messages.hpp"
#include "driver/cm/mad/other_messages.hpp"

namespace roci::cm {

using Message = std::variant<Req, Mra, Rej, Rep, Rtu, Dreq, Drep, SidrReq, SidrRep, Lap, Apr>;

inline constexpr std::size_t kMadBytes = 256;
using MadBytes = std::array<std::uint8_t, kMadBytes>;

/// Q_Key of QP1, to which all datagrams go.
inline constexpr std::uint32_t kGsiQkey = 0x80010000;
inline constexpr std::uint32_t kGsiQpn = 1;
inline constexpr std::uint32_t kMulticastQpn = 0xFFFFFF;

struct Mad {
  std::uint64_t transaction_id = 0;
  std::uint32_t modifier = 0;  ///< attribute modifier: options of ECE, otherwise 0
  Message message;
};

/// The first rule that a datagram breaks, in the order of checking.
struct MadError {
  enum class Kind {
    kLength,        ///< not 256 bytes
    kBaseVersion,   ///< not 1
    kClass,         ///< not communication management
    kClassVersion,  ///< not 2
    kMethod,        ///< not Send
    kAttribute,     ///< no message of the connection manager
    kField,         ///< `field` has a value that it must not have
    kWidth,         ///< encode() alone: the value is wider than `field`
  };
  Kind kind;
  const char* field = "";
};
inline constexpr std::size_t kMadErrorKinds = 8;

std::variant<Mad, MadError> decode(const std::uint8_t* bytes, std::size_t size);
std::variant<MadBytes, MadError> encode(const Mad& mad);

/// "req", "sidr_rep" and so on.
const char* name_of(const Message& message);
/// "wrong class version" and so on.
std::string to_string(const MadError& error);

}  // namespace roci::cm
