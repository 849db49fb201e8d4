// SPDX-License-Identifier: Apache-2.0
// Texts that the C interface returns, and the error of the last call.
#pragma once

#include <exception>
#include <string>

namespace roci::cocotb {

/// Keeps the text for the caller until the next call in this thread.
const char* keep(std::string text);
void fail(const std::string& why);

/// Runs a function of the interface; what it throws becomes the error, and the result `otherwise`.
template <typename Result, typename Function>
Result guarded(Result otherwise, Function function) {
  try {
    return function();
  } catch (const std::exception& error) {
    fail(error.what());
    return otherwise;
  }
}

}  // namespace roci::cocotb
