// SPDX-License-Identifier: Apache-2.0
// Lines of text between the two sides of a run, over TCP. Waiting lets simulated time pass, so that
// the adapter lives on meanwhile.
#pragma once

#include <functional>
#include <string>

namespace roci::sim {

class TextLink {
 public:
  /// Lets a little time pass.
  using Idle = std::function<void()>;

  /// Waits for one caller at [HOST:]PORT (of 127.0.0.1), or calls HOST:PORT. Throws UserError when
  /// that cannot be, or when nobody has come after `seconds`.
  static TextLink listen(const std::string& at, unsigned seconds, const Idle& idle);
  static TextLink connect(const std::string& at, unsigned seconds, const Idle& idle);

  TextLink(TextLink&& other) noexcept;
  TextLink& operator=(TextLink&&) = delete;
  ~TextLink();

  void tell(const std::string& line);
  /// The next line. Throws std::runtime_error when the other side has gone.
  std::string hear();
  /// Tells `word` and hears it: both sides have come as far.
  void step(const std::string& word);
  /// Throws when the other side has gone.
  void check() { fill(); }

 private:
  TextLink(int fd, Idle idle);
  void fill();

  int fd_;
  Idle idle_;
  std::string pending_;
};

}  // namespace roci::sim
