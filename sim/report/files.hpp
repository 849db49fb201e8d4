// SPDX-License-Identifier: Apache-2.0
// Files that a command writes: whole or not at all.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace roci::sim {

/// An error for the user in one line; `main` prints it and exits with `status`.
class UserError : public std::runtime_error {
 public:
  explicit UserError(const std::string& text, int status = 1)
      : std::runtime_error(text), status(status) {}
  int status;  ///< 1: the command failed, 2: usage error
};

/// Reads a whole file. Throws UserError with `status` when it is missing, unreadable or not a file.
std::vector<std::uint8_t> read_file(const std::string& path, int status = 1);

/// A file being written: under a temporary name, renamed by commit(), removed without it, so that
/// there is never a partial file under the name.
class OutputFile {
 public:
  /// Throws UserError when the place cannot be written.
  explicit OutputFile(const std::string& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Temporary name before commit(), for writers that need a name.
  const std::string& temporary() const { return temporary_; }
  /// Writes all of `bytes`. Throws UserError, for instance when the disk is full.
  void write(std::string_view bytes);
  /// Flushes and renames. Throws UserError when either fails.
  void commit();

 private:
  std::string path_;
  std::string temporary_;
  int fd_ = -1;
};

/// Writes `bytes` to `path`, whole or not at all.
void write_file(const std::string& path, std::string_view bytes);

}  // namespace roci::sim
