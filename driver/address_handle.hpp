// SPDX-License-Identifier: Apache-2.0
// Address handles (10.2.2.4): where the datagrams of UD queue pairs go.
#pragma once

#include "driver/memory.hpp"
#include "driver/types.hpp"

namespace roci::driver {

/// An address in the adapter, for requests of UD queue pairs of the same protection domain. Must be
/// destroyed before it, and after the requests that name it have completed.
class AddressHandle {
 public:
  /// Resolves the next hop. Throws Error with kUnreachable, or with kUnsupported without UD.
  AddressHandle(ProtectionDomain& pd, const Address& address);
  ~AddressHandle();
  AddressHandle(const AddressHandle&) = delete;
  AddressHandle& operator=(const AddressHandle&) = delete;

  std::uint32_t number() const { return number_; }

 private:
  Context& context_;
  std::uint32_t number_;
};

}  // namespace roci::driver
