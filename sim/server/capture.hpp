// SPDX-License-Identifier: Apache-2.0
// A capture of all frames that the nodes send.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "model/packet/parser.hpp"
#include "model/packet/pcapng.hpp"
#include "sim/report/files.hpp"
#include "testbench/link/frame.hpp"

namespace roci::sim {

class Capture final : public testbench::FrameTap {
 public:
  /// No file when `path` is empty. Throws UserError.
  Capture(const std::string& path, const std::vector<std::string>& senders) {
    if (path.empty()) return;
    file_ = std::make_unique<OutputFile>(path);
    try {
      writer_ = std::make_unique<packet::PcapngWriter>(file_->temporary());
      for (const std::string& sender : senders) writer_->add_interface(sender);
    } catch (const std::runtime_error& error) {
      throw UserError(error.what());
    }
  }

  /// Whether there is a file. A link whose frames nobody looks at passes them on as they are.
  bool on() const { return writer_ != nullptr; }

  void frame(const testbench::FrameEvent& event) override {
    if (!writer_ || !failure_.empty()) return;
    try {
      writer_->write(event.node, event.time_ns, event.parsed.frame, event.fault);
    } catch (const std::runtime_error& error) {
      failure_ = error.what();  // not thrown inside the simulation
    }
  }

  /// Renames the file to its name. Throws UserError when a write failed.
  void commit() {
    if (!writer_) return;
    if (!failure_.empty()) throw UserError(failure_);
    writer_->close();
    file_->commit();
  }

 private:
  std::unique_ptr<OutputFile> file_;
  std::unique_ptr<packet::PcapngWriter> writer_;
  std::string failure_;
};

}  // namespace roci::sim
