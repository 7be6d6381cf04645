// JsonPath is a path of a printer column: a subset of kubectl's JSONPath without recursion and
// unions.
//
//   .spec.replicas   .metadata.labels['app']   .spec.items[0]   .spec.items[-1:]
//   .spec.items[*].name .status.conditions[?(@.type=="Ready")].status
//
// Immutable. Evaluation takes time in proportion to the object.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/json/json.h"

namespace berth::apiserver::crd {

class JsonPath {
 public:
  // Returns nullopt if the path is malformed or has what is not supported.
  static std::optional<JsonPath> Parse(std::string_view text);

  // Returns the first value at the path, or null.
  const api::Json* Find(const api::Json& document) const;

 private:
  enum class Operator : uint8_t {
    kExists,
    kEqual,
    kNotEqual,
    kLess,
    kLessEqual,
    kGreater,
    kGreaterEqual
  };
  // [?(@.path op literal)]
  struct Filter;
  struct Step {
    enum class Type : uint8_t { kMember, kRange, kAll, kFilter };
    Type type = Type::kMember;
    std::string name = {};            // kMember
    int64_t begin = 0;                // kRange; negative numbers count from the end.
    std::optional<int64_t> end = {};  // nullopt: to the end.
    std::vector<Step> path = {};      // kFilter
    Operator op = Operator::kExists;
    std::string literal = {};           // Canonical JSON.
    std::optional<double> number = {};  // The same, if it is a number.
  };
  class Parser;

  static void Apply(const Step& step, const api::Json& value, std::vector<const api::Json*>& out);
  static std::vector<const api::Json*> Evaluate(const std::vector<Step>& steps,
                                                const api::Json& value);
  static bool Matches(const Step& filter, const api::Json& value);

  std::vector<Step> steps_;
};

}  // namespace berth::apiserver::crd
