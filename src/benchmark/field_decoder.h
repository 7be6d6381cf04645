// FieldDecoder reads the fields of one JSON object strictly: the first wrong one is the error, and
// Finish fails if any was not read.
//
// With parameters, a field "countParam: $nodes" gives the value of the parameter.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/json/json.h"
#include "api/meta.h"
#include "base/result.h"
#include "base/time.h"
#include "benchmark/go_template.h"

namespace berth::benchmark {

// The parameters of a workload, which notes those that were read.
class Parameters {
 public:
  explicit Parameters(const api::JsonObject* values) : values_(values) {}

  // Returns null if there is none.
  const api::Json* Find(std::string_view name);
  // Returns those that nobody has read, in their order.
  std::vector<std::string> Unused() const;

 private:
  const api::JsonObject* values_;  // May be null.
  std::set<std::string, std::less<>> used_;
};

class FieldDecoder {
 public:
  // `where` names the object in errors. `parameters` may be null.
  FieldDecoder(const api::Json& value, std::string where, Parameters* parameters = nullptr);

  const std::string& where() const { return where_; }
  // Fails with the first problem: a wrong value, or a field that was not read.
  Status Finish();
  // Notes a problem of `field`; of the object itself if empty.
  void Refuse(std::string_view field, std::string_view problem);
  bool ok() const { return problem_.empty(); }

  // Absent fields read as empty, zero or false.
  std::string Text(std::string_view field);
  std::optional<std::string> OptionalText(std::string_view field);
  bool Flag(std::string_view field);
  double Number(std::string_view field);
  std::vector<std::string> Texts(std::string_view field);
  std::map<std::string, bool> Flags(std::string_view field);
  std::map<std::string, std::string> TextMap(std::string_view field);
  api::StringMap Labels(std::string_view field);
  // Return the member or null; the caller reads it.
  const api::Json* Any(std::string_view field);
  const api::JsonArray* Array(std::string_view field);

  // The field, or the parameter that `field` + "Param" names. Counts are from 0 to kMaxCount.
  int64_t Count(std::string_view field, int64_t absent = 0);
  bool ParameterFlag(std::string_view field);
  Duration ParameterDuration(std::string_view field);
  // A count by which another is multiplied: only as a parameter.
  int64_t CountParameter(std::string_view field, int64_t absent);
  // Values for a template: "$name" is a parameter, "$name|value" one with a default.
  TemplateValues Values(std::string_view field);

 private:
  const api::Json* Lookup(std::string_view field);
  // Returns the value of the parameter that `field` names, or null after Refuse; null if the field
  // is absent.
  const api::Json* ParameterOf(std::string_view field);
  int64_t ToCount(std::string_view field, const api::Json& value);

  const api::JsonObject* object_;
  const std::string where_;
  Parameters* parameters_;
  std::set<std::string, std::less<>> known_;
  std::string problem_;
};

}  // namespace berth::benchmark
