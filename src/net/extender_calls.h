// ExtenderCalls carries out the engine's calls of extenders, on a thread of its own.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "base/result.h"
#include "framework/writes.h"
#include "net/event_loop.h"
#include "net/extender_caller.h"

namespace berth::net {

class ExtenderCalls {
 public:
  using Done = std::function<void(WriteResult)>;

  // `extenders` as the engine was given them. The error names the file that is wrong.
  static Result<std::unique_ptr<ExtenderCalls>> Make(const std::vector<ExtenderConfig>& extenders);

  // `done` gets the answer, or an error when the extender's time is up; on another thread.
  void Carry(const CallExtender& call, Done done);
  // Waits for the answer.
  WriteResult CarryAndWait(const CallExtender& call);

 private:
  ExtenderCalls() = default;

  EventLoop loop_;
  std::vector<std::unique_ptr<ExtenderCaller>> callers_;
};

}  // namespace berth::net
