#include "client/rest_requests.h"

#include <utility>

namespace berth::client {

Requests::RequestId RestRequests::Send(RestRequest request, RestClient::Callback callback) {
  return client_.Send(std::move(request), std::move(callback));
}

Requests::RequestId RestRequests::Open(RestRequest request, RestClient::Stream stream) {
  return client_.Open(std::move(request), std::move(stream));
}

void RestRequests::Cancel(RequestId id) { client_.Cancel(id); }

}  // namespace berth::client
