// ObjectForm writes stored objects as a client wishes to have them: whole, as a Table or as
// metadata alone.
//
// Whole objects and metadata are slices of what the store keeps: nothing is copied.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apiserver/negotiate.h"
#include "apiserver/query.h"
#include "base/time.h"
#include "kinds/api_error.h"
#include "kinds/kinds.h"
#include "kinds/table.h"
#include "net/http_server.h"
#include "store/object.h"

namespace berth::apiserver {

// Text that nobody owns because it is never gone: literals.
inline net::Piece Literal(std::string_view text) { return {nullptr, text}; }
// Text that the piece owns.
net::Piece Owned(std::string text);

// The whole object as `kind` shows it: events have a view in two groups.
net::Piece WholeObject(const Kind& kind, const store::ObjectPtr& object);

// The same object, told at another version: the last that a watcher hears of it.
store::ObjectPtr AtVersion(const store::Object& object, store::Version version);

class ObjectForm {
 public:
  // Plain.
  explicit ObjectForm(const Kind& kind) : kind_(&kind) {}
  // By the request's Accept header and its includeObject. Ages are told by `clock`, which must
  // outlive the form.
  static ApiResult<ObjectForm> Make(const Kind& kind, std::string_view accept, const Query& query,
                                    const Clock& clock);

  const Kind& kind() const { return *kind_; }
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
  TableOptions Table(bool columns) const;

  const Kind* kind_;
  WantedForm wanted_;
  IncludeObject include_ = IncludeObject::kMetadata;
  const Clock* clock_ = nullptr;  // Not null for a Table.
};

}  // namespace berth::apiserver
