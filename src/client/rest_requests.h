// RestRequests are the Requests of a RestClient.
#pragma once

#include "client/requests.h"

namespace berth::client {

class RestRequests final : public Requests {
 public:
  // `client` must outlive it.
  explicit RestRequests(RestClient& client) : client_(client) {}

  RequestId Send(RestRequest request, RestClient::Callback callback) override;
  RequestId Open(RestRequest request, RestClient::Stream stream) override;
  void Cancel(RequestId id) override;

 private:
  RestClient& client_;
};

}  // namespace berth::client
