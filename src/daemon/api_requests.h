// ApiRequests is what the HTTPS port needs of the API server: answers to single requests.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "client/rest_client.h"

namespace berth::daemon {

class ApiRequests {
 public:
  virtual ~ApiRequests() = default;
  // As RestClient::Send.
  virtual void Send(client::RestRequest request, client::RestClient::Callback callback) = 0;
};

// Calls a function after a while, on any thread.
using Later = std::function<void(Duration delay, std::function<void()> call)>;

// Sends `request` up to five times, half a second and then ever more apart, until the API server
// answers with something else than that it cannot now. Calls back with the answer's body, or with
// an error that says what the server said. `api` must outlive it.
void SendPatiently(ApiRequests& api, const Later& later, client::RestRequest request,
                   std::function<void(Result<std::string>)> callback);

}  // namespace berth::daemon
