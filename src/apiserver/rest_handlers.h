// Requests about objects: each verb read from HTTP, done by the Api and answered.
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

// A request as far as it is understood.
struct RequestContext {
  registry::Api& api;
  const RequestInfo& info;  // Its kind is not null.
  const net::ServerRequest& request;
  const registry::User& user;
  const registry::Access& access;
  const ObjectForm& form;
  std::vector<std::string>& warnings;  // For the client.
  store::Scratch& scratch;             // Where the documents in the request live.

  const api::scheme::Kind& kind() const { return *info.kind; }
};

// Every verb but watch.
api::scheme::ApiResult<VersionedResponse> ServeObjects(const RequestContext& call);

// What binding, eviction and scale share with the rest.
api::scheme::ApiResult<VersionedResponse> ServeSubresource(const RequestContext& call);

// The request's body: an object, of any content type that is understood.
api::scheme::ApiResult<api::Json> ReadObjectBody(const RequestContext& call);
// The patch in the body of a PATCH.
struct PatchBody {
  patch::PatchType type = patch::PatchType::kMerge;
  api::Json patch;
};
api::scheme::ApiResult<PatchBody> ReadPatchBody(const RequestContext& call);
// The options of a write, warnings included.
api::scheme::ApiResult<registry::WriteOptions> OptionsOf(const RequestContext& call);

}  // namespace berth::apiserver
