// What shadow mode tells operators.
#pragma once

#include <cstdint>

#include "base/time.h"
#include "driver/shadow.h"

namespace berth::daemon {

// A difference is always told, agreement from -v=3 on.
void LogJudgement(const driver::Judgement& judgement, Duration took);
// At the end.
void LogSummary(uint64_t judged, uint64_t agreed);

}  // namespace berth::daemon
