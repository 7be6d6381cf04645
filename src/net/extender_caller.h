// ExtenderCaller calls one extender over HTTP.
//
// It knows nothing of what is said: bodies come from framework/extender_request.h, answers go to
// framework/extender_answer.h.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "framework/extender.h"
#include "net/event_loop.h"
#include "net/http_client.h"

namespace berth::net {

class ExtenderCaller {
 public:
  // Gets the answer's body, on the loop's thread.
  using Callback = std::function<void(Result<std::string> answer)>;

  // Reads the files that tlsConfig names; the error says which is wrong. `loop` must outlive the
  // caller.
  static Result<std::unique_ptr<ExtenderCaller>> Create(EventLoop& loop, ExtenderConfig extender);

  // Posts `body` to the URL for `step`, in which the extender must take part. Calls back once: with
  // the answer if its status is 200, else with an error. On any thread.
  HttpClient::RequestId Call(ExtenderStep step, std::string body, Callback callback);

  // The call's callback gets an error, unless it was called before.
  void Cancel(HttpClient::RequestId id) { client_->Cancel(id); }

  const ExtenderConfig& extender() const { return *extender_; }

 private:
  ExtenderCaller(ExtenderConfig extender, std::unique_ptr<HttpClient> client);

  std::shared_ptr<const ExtenderConfig> extender_;  // Shared with calls under way.
  std::unique_ptr<HttpClient> client_;
};

}  // namespace berth::net
