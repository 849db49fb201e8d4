// SPDX-License-Identifier: Apache-2.0
// Location of a simulator in the background: its directory, lock, socket and log.
#pragma once

#include <string>

namespace roci::sim {

class Instance {
 public:
  /// Throws UserError when `name` cannot be part of a path.
  explicit Instance(const std::string& name);

  const std::string& name() const { return name_; }
  const std::string& directory() const { return directory_; }
  std::string socket() const { return directory_ + "/socket"; }
  std::string log() const { return directory_ + "/log"; }
  /// Directory of the files that replace /sys for programs on a node.
  std::string device_files(const std::string& node) const { return directory_ + "/sys/" + node; }

  /// Creates the directory and takes its lock, which a running simulator holds; the files of one
  /// that was killed are removed. Returns the descriptor that holds the lock. Throws UserError.
  int claim() const;
  /// Removes the files and the directory of claim().
  void remove() const;

  /// Connects to the simulator; throws UserError when none is running, or it is another user's.
  int connect() const;
  /// Whether no process holds the lock.
  bool free() const;

 private:
  /// Whether the directory exists; throws UserError when other users could write to it.
  bool check_directory() const;
  int open_lock(int flags) const;

  std::string name_, directory_;
};

/// Sends a message of a header alone and returns the descriptor that came with the reply, or -1.
/// Throws UserError.
int exchange(int socket, unsigned kind);
/// Sends a longer message, which begins with a header, in the same way, with `file` unless -1.
int exchange(int socket, const void* message, std::size_t bytes, int file = -1);

}  // namespace roci::sim
