// SPDX-License-Identifier: Apache-2.0
// The function of the C library that one of the preloaded library replaces.
#pragma once

#include <dlfcn.h>

namespace roci::timing {

template <typename Function>
Function* next(const char* name, const char* version = nullptr) {
  void* found = version == nullptr ? dlsym(RTLD_NEXT, name) : dlvsym(RTLD_NEXT, name, version);
  if (found == nullptr) found = dlsym(RTLD_NEXT, name);
  return reinterpret_cast<Function*>(found);
}

}  // namespace roci::timing

#define ROCI_NEXT(name) static const auto real = roci::timing::next<decltype(name)>(#name)
