// The responses of the API server. ObjectForm writes stored objects in the representation that the
// client requests: whole, as a Table, or only their metadata.
//
// Whole objects and metadata are slices of the stored JSON, without copies, except in protobuf.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/scheme/api_error.h"
#include "api/scheme/kind_set.h"
#include "apiserver/negotiation.h"
#include "apiserver/printing/table.h"
#include "apiserver/request_info.h"
#include "apiserver/store/stored_object.h"
#include "base/time.h"
#include "net/http_server.h"

namespace berth::apiserver {

// Returns a piece of static text.
inline net::Piece Literal(std::string_view text) { return {nullptr, text}; }
// Returns a piece that owns its text.
net::Piece Owned(std::string text);

// Returns the whole object as `kind` represents it (registry/conversion.h).
net::Piece WholeObject(const api::scheme::Kind& kind, const store::ObjectPtr& object);

// Returns a copy of the object with another version, for the DELETED event of a watch.
store::ObjectPtr AtVersion(const store::Object& object, store::Version version);

class ObjectForm {
 public:
  // The plain form.
  explicit ObjectForm(api::scheme::KindPtr kind) : kind_(std::move(kind)) {}
  // The form that the Accept header and includeObject request. `clock` determines the ages in
  // tables and must outlive the form.
  static api::scheme::ApiResult<ObjectForm> Make(const api::scheme::KindPtr& kind,
                                                 std::string_view accept, const Query& query,
                                                 const Clock& clock);

  const api::scheme::Kind& kind() const { return *kind_; }
  Form form() const { return wanted_.form; }
  bool protobuf() const { return wanted_.protobuf; }

  // Appends one object. `columns`: a Table has column definitions.
  void Append(const store::ObjectPtr& object, bool columns, std::vector<net::Piece>& out) const;
  // Appends a list with `metadata`, the JSON of a ListMeta.
  void AppendList(const std::vector<store::ObjectPtr>& objects, const std::string& metadata,
                  std::vector<net::Piece>& out) const;
  // Appends the object of a bookmark, which has only a version.
  void AppendBookmark(store::Version version, bool initial_events_end,
                      std::vector<net::Piece>& out) const;

 private:
  std::string MetaApiVersion() const { return "meta.k8s.io/" + wanted_.version; }
  printing::TableOptions Table(bool columns) const;

  api::scheme::KindPtr kind_;
  WantedForm wanted_;
  printing::IncludeObject include_ = printing::IncludeObject::kMetadata;
  const Clock* clock_ = nullptr;  // Not null for a Table.
};

// A response, and the version that must be visible before it is sent.
struct VersionedResponse {
  net::ServerResponse response;
  store::Version version = 0;
};

// Returns a response with the headers of JSON responses and no body.
net::ServerResponse JsonResponseHead(int status);
// Returns a response with the headers of responses in `form` and no body.
net::ServerResponse ResponseHead(int status, const ObjectForm& form, bool watch = false);
net::ServerResponse JsonResponse(int status, std::string body);
// Returns the Status object of a failed request. A 401 closes the connection.
net::ServerResponse ErrorResponse(const api::scheme::ApiError& error);

VersionedResponse ObjectResponse(int status, const ObjectForm& form,
                                 const store::ObjectPtr& object);
// `{"kind":"Status",...,"status":"Success","code":201}`, as for bindings and evictions.
VersionedResponse CreatedResponse(store::Version version);
// The Success of a delete that removed the object.
VersionedResponse DeletedResponse(const api::scheme::Kind& kind, const store::Object& object);

// Adds a Warning header, which kubectl prints, for each warning.
void AddWarnings(const std::vector<std::string>& warnings, net::ServerResponse& response);

}  // namespace berth::apiserver
