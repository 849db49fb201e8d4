// SPDX-License-Identifier: Apache-2.0
// Lines of text between the two sides of a run, over TCP. Waiting lets simulated time pass, so that
// the adapter keeps working.
#pragma once

#include <functional>
#include <string>

namespace roci::sim {

class TextConnection {
 public:
  /// Lets a short simulated time pass.
  using Idle = std::function<void()>;

  /// Accepts one connection at [HOST:]PORT (default 127.0.0.1), or connects to HOST:PORT. Throws
  /// UserError when that fails or takes longer than `seconds`.
  static TextConnection listen(const std::string& at, unsigned seconds, const Idle& idle);
  static TextConnection connect(const std::string& at, unsigned seconds, const Idle& idle);

  TextConnection(TextConnection&& other) noexcept;
  TextConnection& operator=(TextConnection&&) = delete;
  ~TextConnection();

  void send_line(const std::string& line);
  /// The next line. Throws std::runtime_error when the other side closed the connection.
  std::string receive_line();
  /// Sends `word` and waits for the same word: a barrier of both sides.
  void barrier(const std::string& word);
  /// Throws when the other side closed the connection.
  void check() { fill(); }

 private:
  TextConnection(int fd, Idle idle);
  void fill();

  int fd_;
  Idle idle_;
  std::string pending_;
};

}  // namespace roci::sim
