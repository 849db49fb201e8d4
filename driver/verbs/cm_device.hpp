// SPDX-License-Identifier: Apache-2.0
// /dev/infiniband/rdma_cm for librdmacm: descriptors whose commands the simulator carries out. The
// part of LD_PRELOAD that redirect.cpp calls.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <cstddef>

namespace roci::verbs::cm {

/// The name of the device file.
bool is_device(const char* path);

/// open() of it: a descriptor that becomes readable when an event waits; -1 with errno.
int open_device(int flags);

/// `fd` is such a descriptor, or a copy of one. Costs one load while there is none.
bool is_open(int fd);

/// write() of a command to it.
ssize_t write_command(int fd, const void* bytes, std::size_t size);

/// Makes what fstat() found look like the device file.
void describe(mode_t& mode, dev_t& device);

}  // namespace roci::verbs::cm
