// SPDX-License-Identifier: Apache-2.0
#include "model/packet/capture.hpp"

#include <pcap/pcap.h>

#include <array>
#include <memory>
#include <stdexcept>
#include <utility>

namespace roci::packet {

void read_capture(const std::string& path, const std::function<void(CapturedFrame)>& take) {
  std::array<char, PCAP_ERRBUF_SIZE> error{};
  const std::unique_ptr<pcap_t, decltype(&pcap_close)> file(
      pcap_open_offline_with_tstamp_precision(path.c_str(), PCAP_TSTAMP_PRECISION_NANO,
                                              error.data()),
      &pcap_close);
  if (!file) throw std::runtime_error("cannot read " + path + ": " + error.data());
  if (pcap_datalink(file.get()) != DLT_EN10MB) {
    throw std::runtime_error("cannot read " + path + ": not an Ethernet capture");
  }
  pcap_pkthdr* header = nullptr;
  const u_char* data = nullptr;
  int result = 0;
  while ((result = pcap_next_ex(file.get(), &header, &data)) == 1) {
    const auto time = static_cast<std::uint64_t>(header->ts.tv_sec) * 1'000'000'000 +
                      static_cast<std::uint64_t>(header->ts.tv_usec);
    take({time, Bytes(data, data + header->caplen), header->len});
  }
  if (result == PCAP_ERROR) {
    throw std::runtime_error("cannot read " + path + ": " + pcap_geterr(file.get()));
  }
}

std::vector<CapturedFrame> read_capture(const std::string& path) {
  std::vector<CapturedFrame> frames;
  read_capture(path, [&](CapturedFrame frame) { frames.push_back(std::move(frame)); });
  return frames;
}

}  // namespace roci::packet
