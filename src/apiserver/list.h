// Lists of a collection: selection, versions and paging with continue tokens.
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

// The position of the next page. Clients receive it as an opaque text, which is checked when they
// send it back.
struct ContinueToken {
  store::Version version = 0;  // Of the first page.
  store::ObjectName after;     // The last object of the page before.
  friend bool operator==(const ContinueToken&, const ContinueToken&) = default;
};

// Returns a token that is valid only for this kind and namespace (empty: all namespaces).
std::string EncodeContinue(const api::scheme::Kind& kind, std::string_view namespace_,
                           const ContinueToken& token);
// Returns nullopt if the token is malformed or belongs to another list.
std::optional<ContinueToken> DecodeContinue(const api::scheme::Kind& kind,
                                            std::string_view namespace_, std::string_view text);

// Returns the current state of all objects that `selector` matches. An empty namespace means all
// namespaces.
store::ListResult Snapshot(const store::Store& store, const api::scheme::Kind& kind,
                           std::string_view namespace_, const ObjectSelector& selector);

// Returns a part of the objects that `selector` matches, of about a MiB: the first part of the
// current state, or the part after `start`. A reader that needs long for a part holds only that in
// memory, and is expired if the history no longer reaches back to the state.
store::ListResult SnapshotPart(const store::Store& store, const api::scheme::Kind& kind,
                               std::string_view namespace_, const ObjectSelector& selector,
                               const std::optional<ContinueToken>& start);

struct ListResponse {
  std::vector<net::Piece> body;
  store::Version version = 0;  // Must be visible before the list is sent.
};

// Returns the page that `options` request, or Expired if the history does not reach back to it.
api::scheme::ApiResult<ListResponse> ListObjects(const store::Store& store,
                                                 std::string_view namespace_,
                                                 const ListOptions& options,
                                                 const ObjectSelector& selector,
                                                 const ObjectForm& form);

// Returns the error for a version that the store has not reached.
api::scheme::ApiError TooLargeVersion(store::Version requested, store::Version current);

}  // namespace berth::apiserver
