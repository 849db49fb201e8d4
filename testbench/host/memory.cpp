// SPDX-License-Identifier: Apache-2.0
#include "testbench/host/memory.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>

namespace roci::testbench {
namespace {

const PasidExtension& extension_of(tlm::tlm_generic_payload& payload) {
  static const PasidExtension kNone;
  PasidExtension* extension = nullptr;
  payload.get_extension(extension);
  return extension != nullptr ? *extension : kNone;
}

std::uint32_t pasid_of(tlm::tlm_generic_payload& payload) { return extension_of(payload).pasid; }

std::string hex(std::uint64_t value) {
  char text[20];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

}  // namespace

HostMemory::HostMemory(sc_core::sc_module_name name, std::uint64_t first_address,
                       std::uint64_t seed)
    : sc_module(name), socket("socket"), next_(first_address), seed_(seed) {
  socket.register_b_transport(this, &HostMemory::b_transport);
  socket.register_transport_dbg(this, &HostMemory::transport_dbg);
  socket.register_get_direct_mem_ptr(this, &HostMemory::get_direct);
}

HostMemory::~HostMemory() {
  for (auto& [key, range] : ranges_) std::free(range.block);
}

driver::DmaMemory HostMemory::allocate(std::uint32_t pasid, std::size_t bytes,
                                       std::size_t alignment) {
  if (alignment < kGuard) alignment = kGuard;
  // calloc leaves pages of large ranges untouched until they are used.
  void* block = std::calloc(bytes + 4 * kGuard, 1);
  if (block == nullptr) throw std::bad_alloc();
  const auto start = reinterpret_cast<std::uintptr_t>(block);
  const std::uintptr_t aligned = (start + 2 * kGuard - 1) / kGuard * kGuard;

  Range range;
  range.address = (next_ + alignment - 1) / alignment * alignment;
  range.bytes = bytes;
  range.host = reinterpret_cast<std::uint8_t*>(aligned);
  range.block = block;
  range.tail = (bytes + kGuard - 1) / kGuard * kGuard - bytes + kGuard;
  constexpr std::uint64_t kPage = 4096;
  next_ = (range.address + bytes + 2 * kPage) / kPage * kPage;  // at least a page between ranges
  for (std::size_t i = 0; i < kGuard; ++i) range.host[i - kGuard] = pattern(range, i);
  for (std::size_t i = 0; i < range.tail; ++i) range.host[bytes + i] = pattern(range, kGuard + i);
  ranges_.emplace(Key{pasid, range.address}, range);
  return {range.host, range.address, bytes};
}

void HostMemory::release(std::uint32_t pasid, const driver::DmaMemory& memory) {
  const auto found = ranges_.find({pasid, memory.dma});
  if (found == ranges_.end()) throw std::logic_error("release of memory that is not allocated");
  const std::string fault = guard_fault(found->second);
  if (!fault.empty()) faults_.push_back(fault);
  std::free(found->second.block);
  ranges_.erase(found);
  direct_changed();
}

void HostMemory::poison(std::uint64_t address, std::size_t bytes) {
  // Memory reports errors by cache line: a read that touches such a line fails as a whole.
  constexpr std::uint64_t kLine = 64;
  poisoned_.emplace_back(address & ~(kLine - 1), (address + bytes - 1) | (kLine - 1));
  direct_changed();
}

void HostMemory::direct_changed() { socket->invalidate_direct_mem_ptr(0, ~sc_dt::uint64{0}); }

std::uint8_t HostMemory::pattern(const Range& range, std::size_t index) const {
  std::uint64_t x = seed_ ^ range.address ^ (index * 0x9E3779B97F4A7C15u);
  x = (x ^ x >> 31) * 0xBF58476D1CE4E5B9u;
  return static_cast<std::uint8_t>(x >> 40);
}

std::string HostMemory::guard_fault(const Range& range) const {
  for (std::size_t i = 0; i < kGuard; ++i) {
    if (range.host[i - kGuard] != pattern(range, i)) {
      return "guard byte " + std::to_string(kGuard - i) + " before range " + hex(range.address) +
             " changed";
    }
  }
  for (std::size_t i = 0; i < range.tail; ++i) {
    if (range.host[range.bytes + i] != pattern(range, kGuard + i)) {
      return "guard byte " + std::to_string(i + 1) + " after range " + hex(range.address) +
             " changed";
    }
  }
  return {};
}

std::vector<std::string> HostMemory::check_guards() const {
  std::vector<std::string> faults = faults_;
  for (const auto& [key, range] : ranges_) {
    std::string fault = guard_fault(range);
    if (!fault.empty()) faults.push_back(std::move(fault));
  }
  return faults;
}

const HostMemory::Range* HostMemory::find(std::uint32_t pasid, std::uint64_t address) const {
  auto after = ranges_.upper_bound({pasid, address});
  if (after == ranges_.begin()) return nullptr;
  --after;
  const Range& range = after->second;
  if (after->first.first != pasid || address - range.address >= range.bytes) return nullptr;
  return &range;
}

bool HostMemory::peek(std::uint32_t pasid, std::uint64_t address, std::uint8_t* to,
                      std::size_t bytes) const {
  const Range* range = find(pasid, address);
  if (range == nullptr || bytes > range->address + range->bytes - address) return false;
  for (const auto& [first, last] : poisoned_) {
    if (first < address + bytes && last >= address) return false;
  }
  std::memcpy(to, range->host + (address - range->address), bytes);
  return true;
}

bool HostMemory::get_direct(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
  dmi.init();
  if (others_ != nullptr && others_->holds(pasid_of(payload))) {
    payload.set_response_status(tlm::TLM_OK_RESPONSE);  // accessible, but not by pointer
    return false;
  }
  const Range* range = find(pasid_of(payload), payload.get_address());
  payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  if (range == nullptr) return false;
  payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);  // mapped, but broken
  std::uint64_t first = range->address;
  std::uint64_t last = range->address + range->bytes - 1;
  for (const auto& [bad_first, bad_last] : poisoned_) {
    if (payload.get_address() >= bad_first && payload.get_address() <= bad_last) return false;
    if (bad_last < payload.get_address() && bad_last >= first) first = bad_last + 1;
    if (bad_first > payload.get_address() && bad_first <= last) last = bad_first - 1;
  }
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  dmi.set_start_address(first);
  dmi.set_end_address(last);
  dmi.set_dmi_ptr(range->host + (first - range->address));
  dmi.allow_read_write();
  return true;
}

void HostMemory::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
  const PasidExtension& extension = extension_of(payload);
  const std::uint32_t pasid = extension.pasid;
  if (others_ != nullptr && others_->holds(pasid)) {
    const bool done = payload.is_write()
                          ? others_->write(pasid, payload.get_address(), payload.get_data_ptr(),
                                           payload.get_data_length(), extension.goes_on)
                          : others_->read(pasid, payload.get_address(), payload.get_data_ptr(),
                                          payload.get_data_length());
    payload.set_response_status(done ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
  } else if (transport_dbg(payload) != payload.get_data_length()) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  } else {
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
}

unsigned HostMemory::transport_dbg(tlm::tlm_generic_payload& payload) {
  tlm::tlm_dmi dmi;
  const std::uint64_t address = payload.get_address();
  const unsigned length = payload.get_data_length();
  if (!get_direct(payload, dmi) || dmi.get_end_address() - address + 1 < length) return 0;
  unsigned char* at = dmi.get_dmi_ptr() + (address - dmi.get_start_address());
  if (payload.is_read()) {
    std::memcpy(payload.get_data_ptr(), at, length);
  } else if (payload.is_write()) {
    std::memcpy(at, payload.get_data_ptr(), length);
  }
  return length;
}

}  // namespace roci::testbench
