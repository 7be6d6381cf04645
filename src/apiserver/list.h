// Lists: which objects a request for a collection gets, and from which version.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apiserver/object_form.h"
#include "apiserver/request_options.h"
#include "apiserver/selectors.h"
#include "kinds/api_error.h"
#include "kinds/kinds.h"
#include "net/http_server.h"
#include "store/store.h"

namespace berth::apiserver {

// All objects that `selector` wants, as they are now. An empty namespace means all of them.
store::ListResult Snapshot(const store::Store& store, const Kind& kind, std::string_view namespace_,
                           const ObjectSelector& selector);

struct ListAnswer {
  std::vector<net::Piece> body;
  store::Version version = 0;  // What the list tells: it must be visible before it is sent.
};

// The page that `options` asks for. Expired if its version is no longer kept.
ApiResult<ListAnswer> AnswerList(const store::Store& store, std::string_view namespace_,
                                 const ListOptions& options, const ObjectSelector& selector,
                                 const ObjectForm& form);

// A version that the store has not reached yet.
ApiError TooLargeVersion(store::Version wanted, store::Version current);

}  // namespace berth::apiserver
