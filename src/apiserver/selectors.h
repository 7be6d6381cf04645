// Selectors as they stand in a request's query, compiled to match stored objects.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/scheme/api_error.h"
#include "api/scheme/scheme.h"
#include "api/selector.h"
#include "apiserver/store/stored_object.h"
#include "base/result.h"

namespace berth::apiserver {

// The requirements of a label selector: `a`, `!a`, `a=b`, `a==b`, `a!=b`, `a in (b,c)`,
// `a notin (b,c)`, `a>1`, `a<1`, joined by commas. The errors are Kubernetes'.
Result<std::vector<api::Requirement>> ParseLabelSelector(std::string_view text);

// One term of a field selector.
struct FieldTerm {
  std::string field;  // "status.phase"
  bool equal = true;
  std::string value;
  friend bool operator==(const FieldTerm&, const FieldTerm&) = default;
};
// Terms `f=v`, `f==v` and `f!=v`, joined by commas; a backslash escapes a comma, an equals sign or
// itself in a value.
Result<std::vector<FieldTerm>> ParseFieldSelector(std::string_view text);

// ObjectSelector says which objects of a kind a list or watch wants. Immutable.
class ObjectSelector {
 public:
  ObjectSelector() = default;
  // BadRequest if either string has bad syntax or names a field that the kind has not.
  static api::scheme::ApiResult<ObjectSelector> Make(const api::scheme::Kind& kind,
                                                     std::string_view labels,
                                                     std::string_view fields);

  bool Matches(const store::Object& object) const;
  bool everything() const { return labels_.empty() && fields_.empty(); }
  // The one name that can match; empty if there may be many.
  const std::string& name() const { return name_; }

 private:
  struct Field {
    enum class Place : uint8_t { kName, kNamespace, kStored };
    Place place = Place::kName;
    size_t index = 0;  // In Object::fields.
    bool equal = true;
    std::string value;
  };
  const std::string& ValueOf(const Field& field, const store::Object& object) const;

  std::vector<api::Requirement> labels_;
  std::vector<Field> fields_;
  std::string name_;
};

}  // namespace berth::apiserver
