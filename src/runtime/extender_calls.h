// ExtenderCalls executes the engine's calls of scheduler extenders over HTTP.
//
// It does not interpret the bodies: scheduler/framework/extender.h does.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "net/event_loop.h"
#include "net/http_client.h"
#include "scheduler/framework/extender.h"
#include "scheduler/framework/writes.h"

namespace berth::runtime {

// ExtenderCaller calls one extender.
class ExtenderCaller {
 public:
  // Gets the response's body, on the loop's thread.
  using Callback = std::function<void(Result<std::string> body)>;

  // Reads the files that tlsConfig names; the error names the invalid one. `loop` must outlive the
  // caller.
  static Result<std::unique_ptr<ExtenderCaller>> Create(
      net::EventLoop& loop, scheduler::framework::ExtenderConfig extender);

  // Posts `body` to the URL for `step`, in which the extender must take part. Calls back once: with
  // the body if the status is 200, else with an error. On any thread.
  net::HttpClient::RequestId Call(scheduler::framework::ExtenderStep step, std::string body,
                                  Callback callback);

  // The call's callback gets an error, unless it was called before.
  void Cancel(net::HttpClient::RequestId id) { client_->Cancel(id); }

  const scheduler::framework::ExtenderConfig& extender() const { return *extender_; }

 private:
  ExtenderCaller(scheduler::framework::ExtenderConfig extender,
                 std::unique_ptr<net::HttpClient> client);

  std::shared_ptr<const scheduler::framework::ExtenderConfig>
      extender_;  // Shared with calls in flight.
  std::unique_ptr<net::HttpClient> client_;
};

// ExtenderCalls calls all extenders of an engine, on a thread of its own.
class ExtenderCalls {
 public:
  using Done = std::function<void(scheduler::framework::WriteResult)>;

  // `extenders` as the engine was given them. The error names the file that is wrong.
  static Result<std::unique_ptr<ExtenderCalls>> Make(
      const std::vector<scheduler::framework::ExtenderConfig>& extenders);

  // `done` gets the response, or an error after the extender's timeout; on another thread.
  void Execute(const scheduler::framework::CallExtender& call, Done done);
  // Waits for the result.
  scheduler::framework::WriteResult ExecuteAndWait(const scheduler::framework::CallExtender& call);

 private:
  ExtenderCalls() = default;

  net::EventLoop loop_;
  std::vector<std::unique_ptr<ExtenderCaller>> callers_;
};

}  // namespace berth::runtime
