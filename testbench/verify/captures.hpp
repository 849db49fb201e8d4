// SPDX-License-Identifier: Apache-2.0
// The folder with captures of Soft-RoCE, in the source tree or beside an installed program.
#pragma once

#include <filesystem>
#include <string>
#include <system_error>

namespace roci::testbench {

/// `built`: the folder in the source tree.
inline std::string captures_folder(const char* built) {
  std::error_code missing;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", missing);
  const auto installed = program.parent_path().parent_path() / "share/rocinante/captures";
  return std::filesystem::is_directory(installed, missing) ? installed.string() : built;
}

}  // namespace roci::testbench
