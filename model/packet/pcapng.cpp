// SPDX-License-Identifier: Apache-2.0
#include "model/packet/pcapng.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>

namespace roci::packet {
namespace {

// The format is that of draft-ietf-opsawg-pcapng.
constexpr std::uint32_t kSectionHeader = 0x0A0D0D0A;
constexpr std::uint32_t kInterfaceDescription = 1;
constexpr std::uint32_t kEnhancedPacket = 6;
constexpr std::uint32_t kByteOrderMagic = 0x1A2B3C4D;
constexpr std::uint16_t kLinkEthernet = 1;
constexpr std::uint16_t kOptEnd = 0;
constexpr std::uint16_t kOptComment = 1;
constexpr std::uint16_t kShbUserApplication = 4;
constexpr std::uint16_t kIfName = 2;
constexpr std::uint16_t kIfTsresol = 9;
constexpr std::uint8_t kNanoseconds = 9;
constexpr std::size_t kMaxOption = 0xFFFF;

/// A block under construction, little-endian.
class Block {
 public:
  explicit Block(std::uint32_t type) { put32(type).put32(0); }

  Block& put16(std::uint16_t value) { return put(value, 2); }
  Block& put32(std::uint32_t value) { return put(value, 4); }
  Block& bytes(const void* data, std::size_t count) {
    const auto* first = static_cast<const std::uint8_t*>(data);
    bytes_.insert(bytes_.end(), first, first + count);
    bytes_.resize((bytes_.size() + 3) / 4 * 4);
    return *this;
  }
  Block& option(std::uint16_t code, std::string_view value) {
    put16(code).put16(static_cast<std::uint16_t>(value.size()));
    return bytes(value.data(), value.size());
  }
  /// Fills in both lengths.
  const Bytes& finish() {
    put32(0);
    const auto total = static_cast<std::uint32_t>(bytes_.size());
    for (std::size_t i = 0; i < 4; ++i) {
      const auto byte = static_cast<std::uint8_t>(total >> 8 * i);
      bytes_[4 + i] = byte;
      bytes_[bytes_.size() - 4 + i] = byte;
    }
    return bytes_;
  }

 private:
  Block& put(std::uint32_t value, unsigned count) {
    for (unsigned i = 0; i < count; ++i) {
      bytes_.push_back(static_cast<std::uint8_t>(value >> 8 * i));
    }
    return *this;
  }
  Bytes bytes_;
};

}  // namespace

PcapngWriter::PcapngWriter(const std::string& path, std::string_view application)
    : path_(path), file_(std::fopen(path.c_str(), "wb")) {
  if (file_ == nullptr) {
    throw std::runtime_error("cannot write " + path + ": " + std::strerror(errno));
  }
  Block block(kSectionHeader);
  block.put32(kByteOrderMagic).put16(1).put16(0);
  block.put32(0xFFFFFFFF).put32(0xFFFFFFFF);  // section length not given
  block.option(kShbUserApplication, application).option(kOptEnd, {});
  put(block.finish());
}

PcapngWriter::~PcapngWriter() {
  if (file_ != nullptr) std::fclose(file_);
}

unsigned PcapngWriter::add_interface(std::string_view name) {
  const auto resolution = static_cast<char>(kNanoseconds);
  Block block(kInterfaceDescription);
  block.put16(kLinkEthernet).put16(0).put32(0);
  block.option(kIfName, name).option(kIfTsresol, {&resolution, 1}).option(kOptEnd, {});
  put(block.finish());
  return interfaces_++;
}

void PcapngWriter::write(unsigned interface_id, std::uint64_t time_ns, ByteView frame,
                         std::string_view comment) {
  const auto length = static_cast<std::uint32_t>(frame.size);
  Block block(kEnhancedPacket);
  block.put32(interface_id);
  block.put32(static_cast<std::uint32_t>(time_ns >> 32)).put32(static_cast<std::uint32_t>(time_ns));
  block.put32(length).put32(length).bytes(frame.data, frame.size);
  comment = comment.substr(0, kMaxOption);
  if (!comment.empty()) block.option(kOptComment, comment).option(kOptEnd, {});
  put(block.finish());
}

void PcapngWriter::close() {
  if (file_ == nullptr) return;
  std::FILE* file = file_;
  if (std::fflush(file) != 0) fail(errno);
  file_ = nullptr;
  if (std::fclose(file) != 0) fail(errno);
}

void PcapngWriter::put(const Bytes& block) {
  if (file_ == nullptr) throw std::runtime_error(path_ + " is closed");
  if (std::fwrite(block.data(), 1, block.size(), file_) != block.size()) fail(errno);
}

void PcapngWriter::fail(int error) {
  if (file_ != nullptr) std::fclose(file_);
  file_ = nullptr;
  std::error_code ignored;  // removes a regular file only, never a device
  if (std::filesystem::is_regular_file(path_, ignored)) std::filesystem::remove(path_, ignored);
  throw std::runtime_error("cannot write " + path_ + ": " + std::strerror(error));
}

}  // namespace roci::packet
