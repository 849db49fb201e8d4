// SPDX-License-Identifier: Apache-2.0
// Where each field lies: a second list, of bytes and bits after the header of 24 bytes, taken from
// the tables of IBTA volume 1, chapter 12 as Linux names them, and not from our layouts.
#include <doctest/doctest.h>

#include <map>

#include "driver/cm/mad/message.hpp"
#include "driver/cm/mad/visit.hpp"

using namespace roci::cm;

namespace {

struct Place {
  unsigned byte, bit, width;  ///< `bit` 0 is the highest of its byte
};
using Places = std::map<std::string, Place>;

constexpr unsigned kReqPrimary = 52, kReqAlternate = 96;

Places path_at(const std::string& name, unsigned at) {
  return {{name + ".local_lid", {at, 0, 16}},         {name + ".remote_lid", {at + 2, 0, 16}},
          {name + ".local_gid", {at + 4, 0, 128}},    {name + ".remote_gid", {at + 20, 0, 128}},
          {name + ".flow_label", {at + 36, 0, 20}},   {name + ".rate", {at + 39, 2, 6}},
          {name + ".traffic_class", {at + 40, 0, 8}}, {name + ".hop_limit", {at + 41, 0, 8}},
          {name + ".service_level", {at + 42, 0, 4}}, {name + ".subnet_local", {at + 42, 4, 1}},
          {name + ".ack_timeout", {at + 43, 0, 5}}};
}

Places req_places() {
  Places places = {{"local_id", {0, 0, 32}},
                   {"vendor_id", {5, 0, 24}},
                   {"service_id", {8, 0, 64}},
                   {"ca_guid", {16, 0, 64}},
                   {"qkey", {28, 0, 32}},
                   {"qpn", {32, 0, 24}},
                   {"responder_resources", {35, 0, 8}},
                   {"local_eecn", {36, 0, 24}},
                   {"initiator_depth", {39, 0, 8}},
                   {"remote_eecn", {40, 0, 24}},
                   {"remote_timeout", {43, 0, 5}},
                   {"transport", {43, 5, 2}},
                   {"flow_control", {43, 7, 1}},
                   {"psn", {44, 0, 24}},
                   {"local_timeout", {47, 0, 5}},
                   {"retries", {47, 5, 3}},
                   {"pkey", {48, 0, 16}},
                   {"mtu", {50, 0, 4}},
                   {"rdc_exists", {50, 4, 1}},
                   {"rnr_retries", {50, 5, 3}},
                   {"cm_retries", {51, 0, 4}},
                   {"srq", {51, 4, 1}},
                   {"extended_transport", {51, 5, 3}},
                   {"private_data", {140, 0, 736}}};
  for (const auto& place : path_at("primary", kReqPrimary)) places.insert(place);
  for (const auto& place : path_at("alternate", kReqAlternate)) places.insert(place);
  return places;
}

const Places kMra = {{"local_id", {0, 0, 32}},
                     {"remote_id", {4, 0, 32}},
                     {"about", {8, 0, 2}},
                     {"service_timeout", {9, 0, 5}},
                     {"private_data", {10, 0, 1776}}};
const Places kRej = {{"local_id", {0, 0, 32}},       {"remote_id", {4, 0, 32}},
                     {"about", {8, 0, 2}},           {"info_length", {9, 0, 7}},
                     {"reason", {10, 0, 16}},        {"info", {12, 0, 576}},
                     {"private_data", {84, 0, 1184}}};
const Places kRep = {{"local_id", {0, 0, 32}},
                     {"remote_id", {4, 0, 32}},
                     {"qkey", {8, 0, 32}},
                     {"qpn", {12, 0, 24}},
                     {"vendor_high", {15, 0, 8}},
                     {"eecn", {16, 0, 24}},
                     {"vendor_middle", {19, 0, 8}},
                     {"psn", {20, 0, 24}},
                     {"vendor_low", {23, 0, 8}},
                     {"responder_resources", {24, 0, 8}},
                     {"initiator_depth", {25, 0, 8}},
                     {"target_ack_delay", {26, 0, 5}},
                     {"failover", {26, 5, 2}},
                     {"flow_control", {26, 7, 1}},
                     {"rnr_retries", {27, 0, 3}},
                     {"srq", {27, 3, 1}},
                     {"ca_guid", {28, 0, 64}},
                     {"private_data", {36, 0, 1568}}};
const Places kNotice = {
    {"local_id", {0, 0, 32}}, {"remote_id", {4, 0, 32}}, {"private_data", {8, 0, 1792}}};
const Places kDreq = {{"local_id", {0, 0, 32}},
                      {"remote_id", {4, 0, 32}},
                      {"remote_qpn", {8, 0, 24}},
                      {"private_data", {12, 0, 1760}}};
const Places kSidrReq = {{"request_id", {0, 0, 32}},
                         {"pkey", {4, 0, 16}},
                         {"service_id", {8, 0, 64}},
                         {"private_data", {16, 0, 1728}}};
const Places kSidrRep = {{"request_id", {0, 0, 32}},  {"status", {4, 0, 8}},
                         {"info_length", {5, 0, 8}},  {"vendor_high", {6, 0, 16}},
                         {"qpn", {8, 0, 24}},         {"vendor_low", {11, 0, 8}},
                         {"service_id", {12, 0, 64}}, {"qkey", {20, 0, 32}},
                         {"info", {24, 0, 576}},      {"private_data", {96, 0, 1088}}};
const Places kLap = {
    {"local_id", {0, 0, 32}},       {"remote_id", {4, 0, 32}},    {"remote_qpn", {12, 0, 24}},
    {"remote_timeout", {15, 0, 5}}, {"local_lid", {20, 0, 16}},   {"remote_lid", {22, 0, 16}},
    {"local_gid", {24, 0, 128}},    {"remote_gid", {40, 0, 128}}, {"flow_label", {56, 0, 20}},
    {"traffic_class", {59, 0, 8}},  {"hop_limit", {60, 0, 8}},    {"rate", {61, 2, 6}},
    {"service_level", {62, 0, 4}},  {"subnet_local", {62, 4, 1}}, {"ack_timeout", {63, 0, 5}},
    {"private_data", {64, 0, 1344}}};
const Places kApr = {{"local_id", {0, 0, 32}},   {"remote_id", {4, 0, 32}},
                     {"info_length", {8, 0, 8}}, {"status", {9, 0, 8}},
                     {"info", {12, 0, 576}},     {"private_data", {84, 0, 1184}}};

/// Reads a message in which all bits of one place are set, and lists the fields that are not 0.
template <typename M>
void check_places(const Places& places) {
  std::size_t fields = 0;
  for (const auto& entry : places) {
    const auto& place = entry.second;
    INFO(M::kName << "." << entry.first);
    std::array<std::uint8_t, kMadBytes> bytes{};
    const unsigned first = 8 * place.byte + place.bit;
    for (unsigned bit = first; bit < first + place.width; ++bit) {
      bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] | 0x80u >> bit % 8);
    }
    M message;
    Reader reader(bytes.data(), 0);
    M::layout(reader, message);
    Printer printer("");
    M::layout(printer, message);
    fields = printer.values.size();
    for (const NamedValue& value : printer.values) {
      const bool zero = value.value.find_first_not_of('0') == std::string::npos;
      CHECK_MESSAGE(zero == (value.name != entry.first), value.name << " is " << value.value);
    }
    std::array<std::uint8_t, kMadBytes> again{};
    Writer writer(again.data(), 0);
    M::layout(writer, message);
    CHECK(again == bytes);
  }
  CHECK(fields == places.size());
}

}  // namespace

TEST_CASE("each field lies where the specification has it") {
  check_places<Req>(req_places());
  check_places<Mra>(kMra);
  check_places<Rej>(kRej);
  check_places<Rep>(kRep);
  check_places<Rtu>(kNotice);
  check_places<Drep>(kNotice);
  check_places<Dreq>(kDreq);
  check_places<SidrReq>(kSidrReq);
  check_places<SidrRep>(kSidrRep);
  check_places<Lap>(kLap);
  check_places<Apr>(kApr);
}
