// SPDX-License-Identifier: Apache-2.0
// Lines of text between the two sides of a run, over TCP. Waiting lets simulated time pass, so that
// the adapter lives on meanwhile.
#pragma once

#include <functional>
#include <string>

namespace roci::sim {

class TextConnection {
 public:
  /// Lets a little time pass.
  using Idle = std::function<void()>;

  /// Waits for one caller at [HOST:]PORT (of 127.0.0.1), or calls HOST:PORT. Throws UserError when
  /// that cannot be, or when nobody has come after `seconds`.
  static TextConnection listen(const std::string& at, unsigned seconds, const Idle& idle);
  static TextConnection connect(const std::string& at, unsigned seconds, const Idle& idle);

  TextConnection(TextConnection&& other) noexcept;
  TextConnection& operator=(TextConnection&&) = delete;
  ~TextConnection();

  void send_line(const std::string& line);
  /// The next line. Throws std::runtime_error when the other side has gone.
  std::string receive_line();
  /// Tells `word` and hears it: both sides have come as far.
  void barrier(const std::string& word);
  /// Throws when the other side has gone.
  void check() { fill(); }

 private:
  TextConnection(int fd, Idle idle);
  void fill();

  int fd_;
  Idle idle_;
  std::string pending_;
};

}  // namespace roci::sim
