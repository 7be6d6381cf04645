#include "cmd/extender_calls.h"

#include <future>

namespace berth {

Result<std::unique_ptr<ExtenderCalls>> ExtenderCalls::Make(
    const std::vector<ExtenderConfig>& extenders) {
  std::unique_ptr<ExtenderCalls> calls(new ExtenderCalls());
  for (ExtenderConfig& extender : InOrderOfUse(extenders)) {
    auto caller = net::ExtenderCaller::Create(calls->loop_, std::move(extender));
    if (!caller) return std::unexpected(caller.error());
    calls->callers_.push_back(*std::move(caller));
  }
  if (!extenders.empty()) calls->loop_.Start();
  return calls;
}

WriteResult ExtenderCalls::Carry(const CallExtender& call) {
  std::promise<Result<std::string>> promise;
  callers_[call.extender]->Call(call.step, call.body, [&](Result<std::string> answer) {
    promise.set_value(std::move(answer));
  });
  Result<std::string> answer = promise.get_future().get();
  if (!answer) return {WriteResult::Kind::kUnavailable, answer.error().message};
  return {.kind = WriteResult::Kind::kOk, .message = {}, .body = *std::move(answer)};
}

}  // namespace berth
