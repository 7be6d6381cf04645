// Label and field selectors of requests: parsing, and matching of stored objects.
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

// Parses a label selector: `a`, `!a`, `a=b`, `a==b`, `a!=b`, `a in (b,c)`, `a notin (b,c)`, `a>1`,
// `a<1`, separated by commas. The errors are those of Kubernetes.
Result<std::vector<api::Requirement>> ParseLabelSelector(std::string_view text);

// One term of a field selector.
struct FieldTerm {
  std::string field;  // "status.phase"
  bool equal = true;
  std::string value;
  friend bool operator==(const FieldTerm&, const FieldTerm&) = default;
};
// Parses a field selector: `f=v`, `f==v` and `f!=v`, separated by commas. A backslash escapes a
// comma, an equals sign or itself in a value.
Result<std::vector<FieldTerm>> ParseFieldSelector(std::string_view text);

// ObjectSelector is the label and field selector of a list or watch. Immutable. Matching an object
// costs at most in proportion to its labels, however long the selector is.
class ObjectSelector {
 public:
  ObjectSelector() = default;
  // Returns BadRequest for bad syntax and for fields that the kind does not support.
  static api::scheme::ApiResult<ObjectSelector> Make(const api::scheme::Kind& kind,
                                                     std::string_view labels,
                                                     std::string_view fields);

  bool Matches(const store::Object& object) const;
  bool everything() const { return present_.empty() && tolerant_.empty() && fields_.empty(); }
  // Returns the only name that can match; empty if there may be several.
  const std::string& name() const { return name_; }

 private:
  struct Field {
    enum class Place : uint8_t { kName, kNamespace, kStored, kJson };
    Place place = Place::kName;
    size_t index = 0;               // In Object::fields, for kStored; of the kind, for kJson.
    std::vector<std::string> path;  // In the object, for kJson.
    bool equal = true;
    std::vector<std::string> values;  // The value must be one of them, or none. Sorted.
  };
  void AddField(Field field);
  static std::string_view ValueOf(const Field& field, const store::Object& object,
                                  std::string& buffer);

  // Each at most one for each key and operator, sorted by key: those that need the label, and those
  // that an object without the label meets.
  std::vector<api::Requirement> present_;
  std::vector<api::Requirement> tolerant_;
  std::vector<Field> fields_;  // At most two for each place.
  std::string name_;
};

}  // namespace berth::apiserver
