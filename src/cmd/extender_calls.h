// ExtenderCalls carries out the engine's calls of extenders, one at a time.
#pragma once

#include <memory>
#include <vector>

#include "base/result.h"
#include "framework/writes.h"
#include "net/event_loop.h"
#include "net/extender_caller.h"

namespace berth {

class ExtenderCalls {
 public:
  // `extenders` as the engine was given them. The error names the file that is wrong.
  static Result<std::unique_ptr<ExtenderCalls>> Make(const std::vector<ExtenderConfig>& extenders);

  // Waits for the answer, or for the extender's time-out.
  WriteResult Carry(const CallExtender& call);

 private:
  ExtenderCalls() = default;

  net::EventLoop loop_;
  std::vector<std::unique_ptr<net::ExtenderCaller>> callers_;
};

}  // namespace berth
