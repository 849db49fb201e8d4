// SPDX-License-Identifier: Apache-2.0
// A module that is loaded by name when a program needs it.
#pragma once

#include <string>

namespace roci::testbench {

class ModuleFile {
 public:
  /// Loads lib<name>.so and looks for `symbol` in it. `otherwise` ends the message when the module
  /// is not there: what to do without it.
  ModuleFile(const std::string& name, const char* symbol, const std::string& otherwise);

  /// Null: `why` is one line with the remedy.
  const void* symbol() const { return symbol_; }
  const std::string& why() const { return why_; }
  /// The line for a module that was built from other sources than the program.
  std::string other_build() const;

 private:
  std::string name_, why_;
  const void* symbol_ = nullptr;
};

}  // namespace roci::testbench
