#include "net/extender_calls.h"

#include <future>
#include <utility>

namespace berth::net {

Result<std::unique_ptr<ExtenderCalls>> ExtenderCalls::Make(
    const std::vector<ExtenderConfig>& extenders) {
  std::unique_ptr<ExtenderCalls> calls(new ExtenderCalls());
  for (ExtenderConfig& extender : InOrderOfUse(extenders)) {
    auto caller = ExtenderCaller::Create(calls->loop_, std::move(extender));
    if (!caller) return std::unexpected(caller.error());
    calls->callers_.push_back(*std::move(caller));
  }
  if (!extenders.empty()) calls->loop_.Start();
  return calls;
}

void ExtenderCalls::Carry(const CallExtender& call, Done done) {
  callers_[call.extender]->Call(
      call.step, call.body, [done = std::move(done)](Result<std::string> answer) {
        if (!answer) return done({WriteResult::Kind::kUnavailable, answer.error().message});
        done({.kind = WriteResult::Kind::kOk, .message = {}, .body = *std::move(answer)});
      });
}

WriteResult ExtenderCalls::CarryAndWait(const CallExtender& call) {
  std::promise<WriteResult> promise;
  Carry(call, [&](WriteResult result) { promise.set_value(std::move(result)); });
  return promise.get_future().get();
}

}  // namespace berth::net
