// Requests is what informers and writers need of a RestClient, so that tests can stand in for the
// server.
#pragma once

#include "client/rest_client.h"

namespace berth::client {

class Requests {
 public:
  using RequestId = RestClient::RequestId;

  virtual ~Requests() = default;
  // As of RestClient. Callbacks come on the thread that the caller's other callbacks come on.
  virtual RequestId Send(RestRequest request, RestClient::Callback callback) = 0;
  virtual RequestId Open(RestRequest request, RestClient::Stream stream) = 0;
  virtual void Cancel(RequestId id) = 0;
};

}  // namespace berth::client
