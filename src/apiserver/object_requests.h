// Requests about objects: each verb read from HTTP, done by the Api and answered.
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <vector>

#include "apiserver/access.h"
#include "apiserver/api.h"
#include "apiserver/object_form.h"
#include "apiserver/reply.h"
#include "apiserver/request_info.h"
#include "kinds/api_error.h"
#include "kinds/scratch.h"
#include "net/http_server.h"

namespace berth::apiserver {

// A request as far as it is understood.
struct Call {
  Api& api;
  const RequestInfo& info;  // Its kind is not null.
  const net::ServerRequest& request;
  const User& user;
  const Access& access;
  const ObjectForm& form;
  std::vector<std::string>& warnings;  // For the client.
  Scratch& scratch;                    // Where the documents in the request live.

  const Kind& kind() const { return *info.kind; }
};

// Every verb but watch.
ApiResult<Reply> ServeObjects(const Call& call);

// What binding, eviction and scale share with the rest.
ApiResult<Reply> ServeSubresource(const Call& call);

// The request's body: an object, of any content type that is understood.
ApiResult<Json> ReadObjectBody(const Call& call);
// The patch in the body of a PATCH.
struct PatchBody {
  PatchType type = PatchType::kMerge;
  Json patch;
};
ApiResult<PatchBody> ReadPatchBody(const Call& call);
// The options of a write, warnings included.
ApiResult<WriteOptions> OptionsOf(const Call& call);

}  // namespace berth::apiserver
