#include "daemon/rest_api_requests.h"

#include <utility>

namespace berth::daemon {

void RestApiRequests::Send(client::RestRequest request, client::RestClient::Callback callback) {
  client_.Send(std::move(request), std::move(callback));
}

}  // namespace berth::daemon
