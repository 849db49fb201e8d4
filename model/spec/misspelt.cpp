// SPDX-License-Identifier: Apache-2.0
// Compiled by two tests: with FIELD=opcode it must compile, with FIELD=opcod it must not.
#include "model/spec/layout/queues.hpp"

uint8_t read(const uint8_t* wqe) { return roci::layout::get(wqe, roci::layout::wqe::FIELD); }
