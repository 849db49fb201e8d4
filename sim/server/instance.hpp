// SPDX-License-Identifier: Apache-2.0
// Where a simulator in the background is found: its directory, lock, socket and log.
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
  /// Where the files are that take the place of /sys for programs on a node.
  std::string device_files(const std::string& node) const { return directory_ + "/sys/" + node; }

  /// Makes the directory and takes its lock, which a living simulator holds; what one that died
  /// left is removed. Gives the descriptor that holds the lock. Throws UserError.
  int claim() const;
  /// Removes what claim() made.
  void remove() const;

  /// A connection to the simulator; throws UserError when there is none, or it is not the user's.
  int connect() const;
  /// Nobody holds the lock.
  bool free() const;

 private:
  /// The directory is there; throws UserError when others could write to it.
  bool check_directory() const;
  int open_lock(int flags) const;

  std::string name_, directory_;
};

/// Sends a message of a header alone and gives the descriptor that came with the answer, or -1.
/// Throws UserError.
int ask(int socket, unsigned kind);
/// The same with a message of more than a header, which begins with one.
int ask(int socket, const void* message, std::size_t bytes);

}  // namespace roci::sim
