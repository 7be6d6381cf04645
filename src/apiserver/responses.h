// ObjectForm writes stored objects as a client wishes to have them: whole, as a Table or as
// metadata alone.
//
// Whole objects and metadata are slices of what the store keeps: nothing is copied.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/scheme/api_error.h"
#include "api/scheme/scheme.h"
#include "apiserver/negotiation.h"
#include "apiserver/printing/table.h"
#include "apiserver/request_info.h"
#include "apiserver/store/stored_object.h"
#include "base/time.h"
#include "net/http_server.h"

namespace berth::apiserver {

// Text that nobody owns because it is never gone: literals.
inline net::Piece Literal(std::string_view text) { return {nullptr, text}; }
// Text that the piece owns.
net::Piece Owned(std::string text);

// The whole object as `kind` shows it: events have a view in two groups.
net::Piece WholeObject(const api::scheme::Kind& kind, const store::ObjectPtr& object);

// The same object, told at another version: the last that a watcher hears of it.
store::ObjectPtr AtVersion(const store::Object& object, store::Version version);

class ObjectForm {
 public:
  // Plain.
  explicit ObjectForm(const api::scheme::Kind& kind) : kind_(&kind) {}
  // By the request's Accept header and its includeObject. Ages are told by `clock`, which must
  // outlive the form.
  static api::scheme::ApiResult<ObjectForm> Make(const api::scheme::Kind& kind,
                                                 std::string_view accept, const Query& query,
                                                 const Clock& clock);

  const api::scheme::Kind& kind() const { return *kind_; }
  Form form() const { return wanted_.form; }

  // One object by itself. A Table has `columns` unless an earlier event of the watch had them.
  void Append(const store::ObjectPtr& object, bool columns, std::vector<net::Piece>& out) const;
  // A list with `metadata`, the JSON of a ListMeta.
  void AppendList(const std::vector<store::ObjectPtr>& objects, const std::string& metadata,
                  std::vector<net::Piece>& out) const;
  // An object that has nothing but a version, as bookmarks do.
  void AppendBookmark(store::Version version, bool initial_events_end,
                      std::vector<net::Piece>& out) const;

 private:
  std::string MetaApiVersion() const { return "meta.k8s.io/" + wanted_.version; }
  printing::TableOptions Table(bool columns) const;

  const api::scheme::Kind* kind_;
  WantedForm wanted_;
  printing::IncludeObject include_ = printing::IncludeObject::kMetadata;
  const Clock* clock_ = nullptr;  // Not null for a Table.
};

// Replies: answers of the API server on their way to the client.
// An answer, and the version that must be visible before it may be told.
struct VersionedResponse {
  net::ServerResponse answer;
  store::Version version = 0;
};

// Headers that every JSON answer has.
net::ServerResponse JsonResponseHead(int status);
net::ServerResponse JsonResponse(int status, std::string body);
// The Status object of a failed request. One that is not authenticated loses its connection.
net::ServerResponse ErrorResponse(const api::scheme::ApiError& error);

VersionedResponse ObjectResponse(int status, const ObjectForm& form,
                                 const store::ObjectPtr& object);
// `{"kind":"Status",...,"status":"Success","code":201}`, as for bindings and evictions.
VersionedResponse CreatedResponse(store::Version version);
// The Success of a delete that left nothing behind.
VersionedResponse DeletedResponse(const api::scheme::Kind& kind, const store::Object& object);

// Adds a Warning header for each, as kubectl prints them.
void AddWarnings(const std::vector<std::string>& warnings, net::ServerResponse& answer);

}  // namespace berth::apiserver
