// The REST handlers of objects: they parse the request of each verb, execute it on the Api and
// build the response.
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <vector>

#include "api/scheme/api_error.h"
#include "apiserver/registry/access.h"
#include "apiserver/registry/api.h"
#include "apiserver/request_info.h"
#include "apiserver/responses.h"
#include "apiserver/store/codec.h"
#include "net/http_server.h"

namespace berth::apiserver {

// A parsed request and its context.
struct RequestContext {
  registry::Api& api;
  const RequestInfo& info;  // Its kind is not null.
  const net::ServerRequest& request;
  const registry::User& user;
  const registry::Access& access;
  const ObjectForm& form;
  std::vector<std::string>& warnings;  // For the client.
  store::Scratch& scratch;             // The memory of the request's documents.

  const api::scheme::Kind& kind() const { return *info.kind; }
};

// Executes every verb except watch.
api::scheme::ApiResult<VersionedResponse> ServeObjects(const RequestContext& call);

}  // namespace berth::apiserver
