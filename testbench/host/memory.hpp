// SPDX-License-Identifier: Apache-2.0
// Host memory of one node as the adapter sees it: ranges by address space.
#pragma once

#include <tlm.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "driver/device/device.hpp"

namespace roci::testbench {

/// Address space of a transaction (PCIe PASID).
struct PasidExtension : tlm::tlm_extension<PasidExtension> {
  std::uint32_t pasid = 0;
  bool goes_on = false;  ///< as for AddressSpaces::write
  tlm::tlm_extension_base* clone() const override { return new PasidExtension(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override {
    *this = static_cast<const PasidExtension&>(other);
  }
};

/// Address spaces accessed by calls instead of pointers: those of other processes.
class AddressSpaces {
 public:
  virtual ~AddressSpaces() = default;
  /// Whether there is, or was until now, such an address space.
  virtual bool holds(std::uint32_t pasid) const = 0;
  /// False: some of the bytes are not accessible.
  virtual bool read(std::uint32_t pasid, std::uint64_t address, std::uint8_t* data,
                    std::size_t bytes) = 0;
  /// `goes_on`: payload of a message that goes on at the next address. It may be held back until
  /// the rest comes, and a failure is then that of the write at that address.
  virtual bool write(std::uint32_t pasid, std::uint64_t address, const std::uint8_t* data,
                     std::size_t bytes, bool goes_on) = 0;
};

/// TLM-2.0 target that gives direct pointers to mapped ranges and an address error for all other
/// addresses. Each range lies between guard bytes of a random pattern, and its addresses are never
/// reused, so that a late access is found (I6).
class HostMemory : public sc_core::sc_module {
 public:
  static constexpr std::size_t kGuard = 64;  ///< bytes at each side, one beat of the widest bus

  /// Addresses count up from `first_address`; `seed` selects the guard pattern.
  HostMemory(sc_core::sc_module_name name, std::uint64_t first_address, std::uint64_t seed);
  ~HostMemory() override;

  tlm_utils::simple_target_socket<HostMemory> socket;

  driver::DmaMemory allocate(std::uint32_t pasid, std::size_t bytes, std::size_t alignment);
  void release(std::uint32_t pasid, const driver::DmaMemory& memory);

  /// Directs accesses with the PASIDs of `spaces` there, by b_transport.
  void attach(AddressSpaces* spaces) { others_ = spaces; }

  /// Makes accesses to any of these bytes fail as on a bus with a broken device (F-80 to F-82).
  void poison(std::uint64_t address, std::size_t bytes);
  void heal() {
    poisoned_.clear();
    direct_changed();
  }

  /// Reads memory without an access of the bus. False: some of it is unmapped or broken.
  bool peek(std::uint32_t pasid, std::uint64_t address, std::uint8_t* to, std::size_t bytes) const;

  /// Describes the damaged guard bytes of all ranges; empty: none.
  std::vector<std::string> check_guards() const;

 private:
  struct Range {
    std::uint64_t address;
    std::size_t bytes;
    std::uint8_t* host;  ///< first byte of the range
    void* block;         ///< as allocated
    std::size_t tail;    ///< guard bytes after the range
  };
  using Key = std::pair<std::uint32_t, std::uint64_t>;  ///< PASID, first address

  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned transport_dbg(tlm::tlm_generic_payload& payload);
  bool get_direct(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi);
  const Range* find(std::uint32_t pasid, std::uint64_t address) const;
  void direct_changed();
  std::string guard_fault(const Range& range) const;
  std::uint8_t pattern(const Range& range, std::size_t index) const;

  std::map<Key, Range> ranges_;
  AddressSpaces* others_ = nullptr;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> poisoned_;  ///< first, last byte
  std::vector<std::string> faults_;                                ///< faults of released ranges
  std::uint64_t next_;
  std::uint64_t seed_;
};

}  // namespace roci::testbench
