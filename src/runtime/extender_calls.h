// ExtenderCalls executes the engine's calls of scheduler extenders over HTTP; ExtenderCaller is the
// client of one extender.
//
// They do not interpret the bodies: scheduler/framework/extender.h does.
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
  // Receives the body of the response, on the loop's thread.
  using Callback = std::function<void(Result<std::string> body)>;

  // Reads the files that tlsConfig names; the error names the invalid one. `loop` must outlive the
  // ExtenderCaller.
  static Result<std::unique_ptr<ExtenderCaller>> Create(
      net::EventLoop& loop, scheduler::framework::ExtenderConfig extender);

  // Posts `body` to the URL for `step`, which the extender must support. Calls back once: with the
  // body if the status is 200, else with an error. `may_send` is that of net::ClientRequest. May be
  // called on any thread.
  net::HttpClient::RequestId Call(scheduler::framework::ExtenderStep step, std::string body,
                                  Callback callback, std::function<bool()> may_send = {});

  // Sends a GET request to the extender's URL, which changes nothing, and waits; not on the loop's
  // thread. The error says why there was no response; any status is a response.
  Status Probe();

  // Cancels a call: its callback gets an error, unless it was called before.
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

  // `extenders` are those of the engine. The error names the invalid file.
  static Result<std::unique_ptr<ExtenderCalls>> Make(
      const std::vector<scheduler::framework::ExtenderConfig>& extenders);

  // Calls `done` on another thread with the response, or with an error after the extender's
  // timeout. Binds are sent only if `may_bind` returns true on that thread.
  void Execute(const scheduler::framework::CallExtender& call, Done done,
               std::function<bool()> may_bind = {});
  // Waits for the result.
  scheduler::framework::WriteResult ExecuteAndWait(const scheduler::framework::CallExtender& call);
  // Reports whether there are extenders, and so a thread.
  bool any() const { return any_; }
  net::Executor& executor() { return loop_; }
  // Cancels the calls in flight, and waits until nothing of them is sent. No calls may follow.
  void Stop();

 private:
  ExtenderCalls() = default;

  net::EventLoop loop_;
  bool any_ = false;
  std::vector<std::unique_ptr<ExtenderCaller>> callers_;
};

}  // namespace berth::runtime
