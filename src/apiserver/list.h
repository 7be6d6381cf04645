// ContinueToken is where the next page of a list begins, as clients carry it around: opaque to
// them, checked when it comes back.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/scheme/api_error.h"
#include "api/scheme/scheme.h"
#include "apiserver/request_options.h"
#include "apiserver/responses.h"
#include "apiserver/selectors.h"
#include "apiserver/store/store.h"
#include "apiserver/store/stored_object.h"
#include "net/http_server.h"

namespace berth::apiserver {

struct ContinueToken {
  store::Version version = 0;  // Of the first page.
  store::ObjectName after;     // The last object of the page before.
  friend bool operator==(const ContinueToken&, const ContinueToken&) = default;
};

// Good for the same kind and namespace only (an empty one: all namespaces).
std::string EncodeContinue(const api::scheme::Kind& kind, std::string_view namespace_,
                           const ContinueToken& token);
// Nothing if the token was not made for such a list.
std::optional<ContinueToken> DecodeContinue(const api::scheme::Kind& kind,
                                            std::string_view namespace_, std::string_view text);

// Lists: which objects a request for a collection gets, and from which version.
// All objects that `selector` wants, as they are now. An empty namespace means all of them.
store::ListResult Snapshot(const store::Store& store, const api::scheme::Kind& kind,
                           std::string_view namespace_, const ObjectSelector& selector);

struct ListResponse {
  std::vector<net::Piece> body;
  store::Version version = 0;  // What the list tells: it must be visible before it is sent.
};

// The page that `options` asks for. Expired if its version is no longer kept.
api::scheme::ApiResult<ListResponse> ListObjects(const store::Store& store,
                                                 std::string_view namespace_,
                                                 const ListOptions& options,
                                                 const ObjectSelector& selector,
                                                 const ObjectForm& form);

// A version that the store has not reached yet.
api::scheme::ApiError TooLargeVersion(store::Version wanted, store::Version current);

}  // namespace berth::apiserver
