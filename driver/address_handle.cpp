// SPDX-License-Identifier: Apache-2.0
#include "driver/address_handle.hpp"

#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/commands.hpp"

namespace roci::driver {

AddressHandle::AddressHandle(ProtectionDomain& pd, const Address& address)
    : context_(pd.context()),
      number_(static_cast<std::uint32_t>(
          context_
              .execute(layout::AdminOp::kCreateAh,
                       Body()
                           .put(layout::create_ah::pd, pd.number())
                           .put(layout::create_ah::sgid_index, address.sgid_index)
                           .put(layout::create_ah::hop_limit, address.hop_limit)
                           .put(layout::create_ah::traffic_class, address.traffic_class)
                           .put(layout::create_ah::sl, address.sl)
                           .put(layout::create_ah::flow_label, address.flow_label)
                           .put(layout::create_ah::dgid_hi, high_half(address.dgid))
                           .put(layout::create_ah::dgid_lo, low_half(address.dgid))
                           .put(layout::create_ah::dst_mac, address.dst_mac),
                       "create address handle")
              .get(layout::create_ah_reply::ah))) {}

AddressHandle::~AddressHandle() {
  try {
    context_.execute(layout::AdminOp::kDestroyAh, Body().put(layout::destroy_ah::ah, number_),
                     "destroy address handle");
  } catch (const Error&) {  // a destructor cannot report it; the row stays allocated
  }
}

}  // namespace roci::driver
