// SPDX-License-Identifier: Apache-2.0
// Records that travel between blocks of the RTL, each with a valid/ready handshake unless it says
// otherwise. The first field lies in the lowest bits.
#pragma once

#include "model/spec/records/buses.hpp"
#include "model/spec/records/cq.hpp"
#include "model/spec/records/keys.hpp"
#include "model/spec/records/packets.hpp"
#include "model/spec/records/rq.hpp"
#include "model/spec/records/sq.hpp"
