// SPDX-License-Identifier: Apache-2.0
// The devices of hardware on a mock of the kernel: the calls in their order, memory, interrupts,
// and one line for each way in which an adapter cannot be used.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include "driver/device/soc.hpp"
#include "driver/device/vfio.hpp"
#include "driver/test/mock_kernel.hpp"

using namespace roci;
using namespace roci::driver;
using test::MockKernel;

namespace {

const SocPlace kUio = {"/dev/uio0", MockKernel::kReserved, 1 << 20};
const SocPlace kPhysical = {"0xa0000000", MockKernel::kReserved, 1 << 20};

/// The error of a device that cannot be made; nothing is left of it.
std::string error_of(MockKernel& kernel, const std::function<void()>& make) {
  std::string text;
  try {
    make();
  } catch (const HardwareError& error) {
    text = error.what();
  }
  CHECK(text.find('\n') == std::string::npos);
  CHECK(kernel.clean());
  return text;
}
std::string error_of_vfio(const std::function<void(MockKernel&)>& change) {
  MockKernel kernel;
  change(kernel);
  return error_of(kernel, [&] { VfioDevice device(MockKernel::kFunction, kernel); });
}
std::string error_of_soc(const SocPlace& place, const std::function<void(MockKernel&)>& change) {
  MockKernel kernel;
  change(kernel);
  return error_of(kernel, [&] { SocDevice device(place, kernel); });
}

}  // namespace

TEST_CASE("vfio: opens the function, lets it master the bus, and leaves nothing open") {
  MockKernel kernel;
  {
    VfioDevice device(MockKernel::kFunction, kernel);
    CHECK(kernel.command == 6);
    device.write32(layout::reg::kControl, 5);
    CHECK(kernel.registers[layout::reg::kControl / 4] == 5);
    kernel.registers[layout::reg::kTimeLo / 4] = 0x80000001;
    kernel.registers[layout::reg::kTimeHi / 4] = 2;
    CHECK(device.now_ns() == 0x280000001);
    CHECK(device.pasid() == 0);
    device.allocate(100, 64);
  }
  CHECK(kernel.clean());
}

TEST_CASE("vfio, soc: the window of posts is used when the device shows it") {
  std::vector<std::uint8_t> words(layout::kPostBytes);
  for (unsigned i = 0; i < words.size(); ++i) words[i] = static_cast<std::uint8_t>(i + 1);
  const std::uint32_t at = layout::post_offset(5);
  for (const bool whole : {false, true}) {
    MockKernel kernel;
    if (whole) kernel.bar_bytes = HardwareDevice::kBytesWithPosts;
    if (whole) kernel.uio_size = "0x400000";
    const auto check = [&](Device& device) {
      kernel.registers[at / 4] = 0;
      CHECK(device.write_words(at, words.data(), words.size()) == whole);
      CHECK(kernel.registers[at / 4] == (whole ? 0x04030201 : 0));
      if (whole) CHECK(std::memcmp(&kernel.registers[at / 4], words.data(), words.size()) == 0);
    };
    VfioDevice function(MockKernel::kFunction, kernel);
    check(function);
    SocDevice soc(kUio, kernel);
    check(soc);
  }
}

TEST_CASE("vfio: memory is mapped for the adapter while it is allocated, and only then") {
  MockKernel kernel;
  VfioDevice device(MockKernel::kFunction, kernel);
  const DmaMemory small = device.allocate(100, 4096);
  const DmaMemory large = device.allocate(3 << 20, 1 << 20);
  CHECK(kernel.huge_maps == 1);
  REQUIRE(kernel.dma.size() == 2);
  CHECK(kernel.dma.at(small.dma).vaddr == reinterpret_cast<std::uintptr_t>(small.host));
  CHECK(kernel.dma.at(small.dma).size == 4096);
  CHECK(kernel.dma.at(large.dma).size == 4 << 20);
  CHECK(kernel.dma.at(large.dma).flags == (VFIO_DMA_MAP_FLAG_READ | VFIO_DMA_MAP_FLAG_WRITE));
  CHECK(large.dma % (1 << 20) == 0);
  CHECK(std::all_of(large.host, large.host + large.bytes, [](std::uint8_t b) { return b == 0; }));
  device.release(small);
  CHECK(kernel.dma.count(small.dma) == 0);
  const DmaMemory again = device.allocate(4 << 20, 64);  // the room of the small one is too short
  CHECK(again.dma != small.dma);
  const DmaMemory reused = device.allocate(64, 64);
  CHECK(reused.dma == small.dma);
  device.release(reused);
  device.release(large);
  device.release(again);
  CHECK(kernel.own.empty());
}

TEST_CASE("vfio: without huge pages, with too little lockable memory") {
  MockKernel kernel;
  VfioDevice device(MockKernel::kFunction, kernel);
  kernel.huge = false;
  const DmaMemory memory = device.allocate(2 << 20, 64);
  CHECK(kernel.dma.at(memory.dma).size == 2 << 20);
  kernel.locked = false;
  CHECK_THROWS_AS(device.allocate(64, 64), std::bad_alloc);
  CHECK_THROWS_AS(device.allocate(std::size_t{1} << 40, 64), std::bad_alloc);
  CHECK(kernel.own.size() == 1);
}

TEST_CASE("vfio: a wait ends with its condition or its time; an interrupt is taken") {
  MockKernel kernel;
  VfioDevice device(MockKernel::kFunction, kernel);
  unsigned looks = 0;
  kernel.interrupts = 1;
  CHECK(device.wait([&] { return ++looks == 4; }, Device::kForever));
  CHECK(kernel.interrupts == 0);
  CHECK(kernel.polls == 3);
  CHECK(!device.wait([] { return false; }, 1000));
  CHECK(!device.wait([] { return false; }, 0));
}

TEST_CASE("vfio: an adapter that has left the bus is gone") {
  MockKernel kernel;
  VfioDevice device(MockKernel::kFunction, kernel);
  kernel.registers[layout::reg::kTimeLo / 4] = 0xFFFFFFFF;  // a value like any other
  device.read32(layout::reg::kTimeLo);
  CHECK(!device.gone());
  std::fill(kernel.registers.begin(), kernel.registers.end(), 0xFFFFFFFF);
  device.read32(layout::reg::kTimeLo);
  CHECK(device.gone());
}

TEST_CASE("vfio: one line for each reason why there is no adapter") {
  const auto has = [](const std::string& text, const char* part) {
    INFO(text);
    CHECK(text.rfind("0000:01:00.0: ", 0) == 0);
    CHECK(text.find(part) != std::string::npos);
  };
  has(error_of_vfio([](MockKernel& k) { k.grouped = false; }), "no IOMMU group");
  has(error_of_vfio([](MockKernel& k) { k.absent = {"/dev/vfio/vfio"}; }), "/dev/vfio/vfio");
  has(error_of_vfio([](MockKernel& k) { k.absent = {"/dev/vfio/9"}; }), "bind the function");
  has(error_of_vfio([](MockKernel& k) { k.viable = false; }), "/dev/vfio/9 is not viable");
  has(error_of_vfio([](MockKernel& k) { k.bar_bytes = 65536; }), "BAR 0 has 65536 bytes");
  has(error_of_vfio([](MockKernel& k) { k.mappable = false; }), "BAR 0 cannot be mapped");
  has(error_of_vfio([](MockKernel& k) { k.registers[0] = 0x12345678; }), "register is 0x12345678");
  has(error_of_vfio([](MockKernel& k) { k.registers[1] = 9; }), "version 9");
  has(error_of_vfio([](MockKernel& k) { k.msix = false; }), "no MSI-X");
}

TEST_CASE("soc: registers by UIO or by their address, memory from the reserved range") {
  for (const SocPlace& place : {kUio, kPhysical}) {
    MockKernel kernel;
    kernel.reserved.assign(kernel.reserved.size(), 0xEE);
    {
      SocDevice device(place, kernel);
      const DmaMemory one = device.allocate(100, 64);
      const DmaMemory two = device.allocate(8192, 4096);
      CHECK(one.dma == MockKernel::kReserved);
      CHECK(two.dma == MockKernel::kReserved + 4096);
      CHECK(two.host == kernel.reserved.data() + 4096);
      CHECK(std::all_of(two.host, two.host + two.bytes, [](std::uint8_t b) { return b == 0; }));
      device.release(one);
      CHECK(device.allocate(4096, 64).dma == MockKernel::kReserved);
      CHECK(device.allocate(64, 64).dma == MockKernel::kReserved + 4096 + 8192);
      CHECK_THROWS_AS(device.allocate(1 << 20, 64), std::bad_alloc);
      kernel.interrupts = place.registers == kUio.registers ? 1 : 0;
      const unsigned enabled = kernel.enabled;
      unsigned looks = 0;
      CHECK(device.wait([&] { return ++looks == 3; }, Device::kForever));
      CHECK(kernel.interrupts == 0);
      CHECK(kernel.enabled == enabled + (place.registers == kUio.registers ? 1 : 0));
    }
    CHECK(kernel.clean());
  }
}

TEST_CASE("soc: one line for each reason why there is no adapter") {
  const auto has = [](const std::string& text, const char* part) {
    INFO(text);
    CHECK(text.find(part) != std::string::npos);
  };
  const auto fine = [](MockKernel&) {};
  has(error_of_soc({"/dev/uio0", MockKernel::kReserved + 1, 4096}, fine), "whole pages");
  has(error_of_soc({"/dev/uio0", MockKernel::kReserved, 0}, fine), "whole pages");
  has(error_of_soc({"nonsense", MockKernel::kReserved, 4096}, fine), "neither a device of UIO");
  has(error_of_soc({"/dev/uio7", MockKernel::kReserved, 4096}, fine), "no device of UIO");
  has(error_of_soc({"0xb0000000", MockKernel::kReserved, 4096}, fine), "cannot be mapped");
  has(error_of_soc({"/dev/uio0", 0x10000, 4096}, fine), "memory cannot be mapped");
  has(error_of_soc(kUio, [](MockKernel& k) { k.uio_size = "0x1000"; }), "4096 bytes of registers");
  has(error_of_soc(kUio, [](MockKernel& k) { k.absent = {"/dev/uio0"}; }), "cannot open it");
  has(error_of_soc(kUio, [](MockKernel& k) { k.absent = {"/dev/mem"}; }), "cannot open /dev/mem");
  has(error_of_soc(kPhysical, [](MockKernel& k) { k.registers[0] = 0; }), "register is 0x00000000");
}

TEST_CASE("vfio: the kernel itself has no function of this address") {
  std::string text;
  try {
    VfioDevice device("ffff:ff:1f.7");
  } catch (const HardwareError& error) {
    text = error.what();
  }
  CHECK(text.rfind("ffff:ff:1f.7: it has no IOMMU group", 0) == 0);
}
