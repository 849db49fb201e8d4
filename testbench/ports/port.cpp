// SPDX-License-Identifier: Apache-2.0
#include "testbench/ports/port.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <cerrno>

#include "testbench/ports/dpdk_module.hpp"

namespace roci::testbench::ports {

DescriptorPort::~DescriptorPort() {
  if (fd_ >= 0) close(fd_);
}

bool DescriptorPort::passing(int error) const { return error == EINTR; }

bool DescriptorPort::receive(std::uint64_t, packet::Bytes& frame) {
  for (;;) {
    frame.resize(kMaxFrame + 1);
    const ssize_t got = read(fd_, frame.data(), frame.size());
    if (got < 0) {
      if (passing(errno)) continue;
      frame.clear();
      return false;
    }
    if (!sound(static_cast<std::size_t>(got))) continue;
    frame.resize(static_cast<std::size_t>(got));
    ++counts_.received;
    return true;
  }
}

std::unique_ptr<ExternalPort> make_dpdk_port(const std::string& arguments, const std::string& eal) {
  // The libraries of DPDK are many and start threads: they are loaded for a dpdk port only.
  void* module = dlopen("libroci-dpdk.so", RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr) {
    throw PortError(std::string("no dpdk ports: install libdpdk-dev, configure again and build "
                                "the target ports_dpdk (") +
                    dlerror() + ")");
  }
  const auto make = reinterpret_cast<MakeDpdkPort>(dlsym(module, kMakeDpdkPort));
  if (make == nullptr) throw PortError(std::string("DPDK cannot be loaded: ") + dlerror());
  return std::unique_ptr<ExternalPort>(make(arguments.c_str(), eal.c_str()));
}

std::unique_ptr<ExternalPort> make_port(const std::string& spec, const std::string& eal) {
  const std::size_t colon = spec.find(':');
  const std::string kind = spec.substr(0, colon);
  const std::string arguments = colon == std::string::npos ? "" : spec.substr(colon + 1);
  if (arguments.empty()) {
    throw PortError("'" + spec + "' is not a port: dgram:LOCAL,REMOTE, pcap:FILE or dpdk:DEVARGS");
  }
  if (kind == "dgram") return make_dgram_port(arguments);
  if (kind == "pcap") return make_pcap_port(arguments);
  if (kind == "dpdk") return make_dpdk_port(arguments, eal);
  throw PortError("no port is called '" + kind + "': there are dgram, pcap and dpdk");
}

}  // namespace roci::testbench::ports
