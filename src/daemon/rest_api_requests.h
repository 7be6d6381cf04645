// RestApiRequests is the API server as a RestClient reaches it.
#pragma once

#include "client/rest_client.h"
#include "daemon/api_requests.h"

namespace berth::daemon {

class RestApiRequests final : public ApiRequests {
 public:
  // `client` must outlive it.
  explicit RestApiRequests(client::RestClient& client) : client_(client) {}
  void Send(client::RestRequest request, client::RestClient::Callback callback) override;

 private:
  client::RestClient& client_;
};

}  // namespace berth::daemon
