#include "driver/context.hpp"

#include "spec/queues.hpp"

namespace roci::driver {
namespace {

constexpr unsigned kAdminLog = 2;
constexpr std::size_t kPage = 4096;

std::uint64_t high_half(const Gid& gid) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < 8; ++i) value = value << 8 | gid[i];
  return value;
}
std::uint64_t low_half(const Gid& gid) {
  std::uint64_t value = 0;
  for (unsigned i = 8; i < 16; ++i) value = value << 8 | gid[i];
  return value;
}

void write_address(Device& device, std::uint32_t low_register, std::uint32_t high_register,
                   std::uint64_t address) {
  device.write32(low_register, static_cast<std::uint32_t>(address));
  device.write32(high_register, static_cast<std::uint32_t>(address >> 32));
}

/// Registers that hold a ring: size in the low bits, PASID above.
std::uint32_t ring_size(Device& device, std::uint32_t low_bits) {
  return low_bits | device.pasid() << 12;
}

constexpr spec::Place kEqeKind = spec::place_of(spec::kEqe, "kind");
constexpr spec::Place kEqeNumber = spec::place_of(spec::kEqe, "number");
constexpr spec::Place kEqeOwner = spec::place_of(spec::kEqe, "owner");
constexpr std::size_t kEqeBytes = spec::total_bits(spec::kEqe) / 8;
constexpr std::uint32_t kEqEnable = 1u << 4;

}  // namespace

Gid gid_of_ipv4(std::uint32_t address) {
  Gid gid{};
  gid[10] = gid[11] = 0xFF;
  for (unsigned i = 0; i < 4; ++i) {
    gid[12 + i] = static_cast<std::uint8_t>(address >> (24 - 8 * i));
  }
  return gid;
}

EventQueue::EventQueue(Device& device, unsigned log)
    : device_(device), log_(log), ring_(device.allocate(kEqeBytes << log, kPage)) {
  write_address(device_, register_offset("EqBaseLo"), register_offset("EqBaseHi"), ring_.dma);
  device_.write32(register_offset("EqConsumer"), 0);
  device_.write32(register_offset("EqSize"), ring_size(device_, log | kEqEnable));
}

EventQueue::~EventQueue() {
  device_.write32(register_offset("EqSize"), 0);
  device_.read32(register_offset("EqSize"));  // the write is in the adapter
  device_.release(ring_);
}

const std::uint8_t* EventQueue::entry() const {
  return ring_.host + (consumer_ & ((1u << log_) - 1)) * kEqeBytes;
}

bool EventQueue::pending() const {
  const bool pass_owner = (consumer_ >> log_ & 1) == 0;
  return (get(entry(), kEqeOwner) != 0) == pass_owner;
}

std::optional<Event> EventQueue::poll() {
  if (!pending()) return {};
  owner_before_entry();
  const Event event{static_cast<EventKind>(get(entry(), kEqeKind)),
                    static_cast<std::uint32_t>(get(entry(), kEqeNumber))};
  ++consumer_;
  device_.write32(register_offset("EqConsumer"), consumer_ & 0xFFFF);
  return event;
}

std::optional<Event> EventQueue::wait(std::uint64_t timeout_ns) {
  device_.wait([this] { return pending(); }, timeout_ns);
  return poll();
}

bool EventQueue::overflowed() {
  const std::uint32_t status = device_.read32(register_offset("EqStatus"));
  if (status != 0) device_.write32(register_offset("EqStatus"), status);
  return (status & 1) != 0;
}

Context::Context(Device& device, const ContextOptions& options)
    : device_(device),
      options_(options),
      commands_(device.allocate(spec::kCommandBytes << kAdminLog, kPage)),
      replies_(device.allocate(spec::kCommandBytes << kAdminLog, kPage)),
      events_(device, options.event_log) {
  if (device_.read32(register_offset("Id")) != spec::kRegisters[0].reset) {
    throw Error(AdminStatus::kHardwareError, 0, "no adapter of this kind behind the registers");
  }
  // The indices run on over the life of the adapter, whoever used it before.
  producer_ = static_cast<std::uint16_t>(device_.read32(register_offset("AdminDoorbell")));
  write_address(device_, register_offset("AdminBaseLo"), register_offset("AdminBaseHi"),
                commands_.dma);
  write_address(device_, register_offset("AdminReplyLo"), register_offset("AdminReplyHi"),
                replies_.dma);
  device_.write32(register_offset("AdminSize"), ring_size(device_, kAdminLog));
  device_.write32(register_offset("Control"), 0b11);

  const Body reply = execute(code_of(spec::kAdminOps, "QueryDevice"), {}, "query device");
  const auto field = [&](spec::Place place) {
    return static_cast<std::uint32_t>(reply.get(place));
  };
  limits_.max_qp = field(place_of(spec::kQueryDeviceReply, "max_qp"));
  limits_.max_cq = field(place_of(spec::kQueryDeviceReply, "max_cq"));
  limits_.max_mr = field(place_of(spec::kQueryDeviceReply, "max_mr"));
  limits_.max_pd = field(place_of(spec::kQueryDeviceReply, "max_pd"));
  limits_.max_qp_wr = field(place_of(spec::kQueryDeviceReply, "max_qp_wr"));
  limits_.max_cqe = field(place_of(spec::kQueryDeviceReply, "max_cqe"));
  limits_.max_sge = field(place_of(spec::kQueryDeviceReply, "max_sge"));
  limits_.max_inline = field(place_of(spec::kQueryDeviceReply, "max_inline"));
  limits_.max_rd_atomic = field(place_of(spec::kQueryDeviceReply, "max_rd_atomic"));
  limits_.max_gid = field(place_of(spec::kQueryDeviceReply, "max_gid"));
  limits_.max_message = reply.get(place_of(spec::kQueryDeviceReply, "max_message"));
  limits_.fw_version = field(place_of(spec::kQueryDeviceReply, "fw_version"));
}

Context::~Context() {
  device_.write32(register_offset("Control"), 0);
  device_.read32(register_offset("Control"));  // the write is in the adapter
  device_.release(commands_);
  device_.release(replies_);
}

void Context::acquire() {
  while (busy_) {
    device_.wait([this] { return !busy_; }, Device::kForever);
  }
  busy_ = true;
}

Body Context::execute(unsigned opcode, const Body& body, const char* text) {
  acquire();
  struct Release {
    Context& context;
    ~Release() {
      context.busy_ = false;
      context.device_.wake();
    }
  } release{*this};
  return exchange(opcode, body, text);
}

Body Context::exchange(unsigned opcode, const Body& body, const char* text) {
  constexpr spec::Place kOpcode = spec::place_of(spec::kCommandHeader, "opcode");
  constexpr spec::Place kTag = spec::place_of(spec::kCommandHeader, "tag");
  constexpr spec::Place kReplyTag = spec::place_of(spec::kReplyHeader, "tag");
  constexpr spec::Place kStatus = spec::place_of(spec::kReplyHeader, "status");
  constexpr spec::Place kDetail = spec::place_of(spec::kReplyHeader, "detail");

  const std::size_t slot = (producer_ & ((1u << kAdminLog) - 1)) * spec::kCommandBytes;
  std::uint8_t* command = commands_.host + slot;
  const std::uint8_t* reply = replies_.host + slot;
  const std::uint16_t tag = static_cast<std::uint16_t>(producer_ + 1);
  std::memset(command, 0, spec::kCommandBytes);
  put(command, kOpcode, opcode);
  put(command, kTag, tag);
  std::memcpy(command + spec::kCommandBodyOffset, body.data(), Body::kBytes);
  std::memset(replies_.host + slot, 0, spec::kCommandBytes);
  put(replies_.host + slot, kReplyTag, static_cast<std::uint16_t>(~tag));

  entries_before_doorbell();
  ++producer_;
  device_.write32(register_offset("AdminDoorbell"), producer_);

  // The block with the tag is written last.
  if (!device_.wait([&] { return get(reply, kReplyTag) == tag; }, options_.command_timeout_ns)) {
    throw Error(AdminStatus::kHardwareError, 0,
                std::string(text) + ": the adapter does not answer");
  }
  owner_before_entry();

  const auto status = static_cast<AdminStatus>(get(reply, kStatus));
  if (status != AdminStatus::kOk) {
    const auto number = static_cast<unsigned>(status);
    std::string message = std::string(text) + ": status " + std::to_string(number);
    for (const spec::Code& c : spec::kAdminStatuses) {
      if (c.value == number) {
        message = std::string(text) + ": " + std::string(c.name) + " (" + std::string(c.doc) + ")";
      }
    }
    const auto detail = static_cast<std::uint32_t>(get(reply, kDetail));
    if (detail != 0) message += ", field at byte " + std::to_string(detail);
    throw Error(status, detail, message);
  }
  Body result;
  std::memcpy(result.data(), reply + spec::kCommandBodyOffset, Body::kBytes);
  return result;
}

PortStatus Context::query_port() {
  const Body reply = execute(code_of(spec::kAdminOps, "QueryPort"), {}, "query port");
  constexpr std::uint64_t kPortActive = 4;  // ibv_port_state
  return {reply.get(place_of(spec::kQueryPortReply, "state")) == kPortActive,
          static_cast<std::uint8_t>(reply.get(place_of(spec::kQueryPortReply, "max_mtu"))),
          static_cast<std::uint8_t>(reply.get(place_of(spec::kQueryPortReply, "active_mtu"))),
          static_cast<std::uint16_t>(reply.get(place_of(spec::kQueryPortReply, "pkey"))),
          reply.get(place_of(spec::kQueryPortReply, "mac"))};
}

PortCounters Context::port_counters() {
  const Body reply = execute(code_of(spec::kAdminOps, "QueryCounters"), {}, "query port counters");
  PortCounters c{};
  constexpr spec::Place kFirst = spec::place_of(spec::kPortCountersReply, "drop_icrc");
  for (unsigned i = 0; i < c.drops.size(); ++i) {
    c.drops[i] = reply.get({kFirst.offset + i * kFirst.bits, kFirst.bits});
  }
  c.rx_frames = reply.get(place_of(spec::kPortCountersReply, "rx_frames"));
  c.rx_bytes = reply.get(place_of(spec::kPortCountersReply, "rx_bytes"));
  c.tx_frames = reply.get(place_of(spec::kPortCountersReply, "tx_frames"));
  c.tx_bytes = reply.get(place_of(spec::kPortCountersReply, "tx_bytes"));
  c.rx_roce = reply.get(place_of(spec::kPortCountersReply, "rx_roce"));
  c.rx_ethernet = reply.get(place_of(spec::kPortCountersReply, "rx_ethernet"));
  return c;
}

void Context::set_gid(unsigned index, const Gid& gid, std::optional<std::uint16_t> vid) {
  execute(code_of(spec::kAdminOps, "SetGid"),
          Body()
              .put(place_of(spec::kSetGid, "index"), index)
              .put(place_of(spec::kSetGid, "vlan"), vid.has_value())
              .put(place_of(spec::kSetGid, "vid"), vid.value_or(0))
              .put(place_of(spec::kSetGid, "gid_hi"), high_half(gid))
              .put(place_of(spec::kSetGid, "gid_lo"), low_half(gid)),
          "set GID");
}

Gid Context::query_gid(unsigned index) {
  const Body reply = execute(code_of(spec::kAdminOps, "QueryGid"),
                             Body().put(place_of(spec::kQueryGid, "index"), index), "query GID");
  Gid gid;
  for (unsigned i = 0; i < 8; ++i) {
    gid[i] = static_cast<std::uint8_t>(reply.get(place_of(spec::kQueryGidReply, "gid_hi")) >>
                                       (56 - 8 * i));
    gid[8 + i] = static_cast<std::uint8_t>(reply.get(place_of(spec::kQueryGidReply, "gid_lo")) >>
                                           (56 - 8 * i));
  }
  return gid;
}

std::uint64_t Context::resolve(unsigned sgid_index, const Gid& gid) {
  return execute(code_of(spec::kAdminOps, "ResolveAddress"),
                 Body()
                     .put(place_of(spec::kResolveAddress, "sgid_index"), sgid_index)
                     .put(place_of(spec::kResolveAddress, "dgid_hi"), high_half(gid))
                     .put(place_of(spec::kResolveAddress, "dgid_lo"), low_half(gid)),
                 "resolve address")
      .get(place_of(spec::kResolveAddressReply, "mac"));
}

}  // namespace roci::driver
