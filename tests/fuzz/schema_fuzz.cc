// Arbitrary schemas of custom resources and objects: the first line is the schema, the second the
// object, the third a JSONPath of a printer column. Coercing an object twice equals coercing it
// once.
#include <boost/json.hpp>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "api/field_errors.h"
#include "api/json/parse.h"
#include "apiserver/admission/field_errors.h"
#include "apiserver/crd/coercion.h"
#include "apiserver/crd/json_path.h"
#include "apiserver/crd/rule_compiler.h"
#include "apiserver/crd/rule_validation.h"
#include "apiserver/crd/schema.h"
#include "apiserver/crd/schema_rules.h"
#include "apiserver/crd/validation.h"
#include "base/check.h"

namespace {

using berth::api::Json;
using berth::api::JsonObject;

std::string_view TakeLine(std::string_view& text) {
  const size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text = end == text.npos ? std::string_view() : text.substr(end + 1);
  return line;
}

void CheckRules(const JsonObject& json, berth::apiserver::crd::SchemaBudget& budget,
                berth::apiserver::crd::Schema& schema) {
  berth::apiserver::admission::FieldErrors errors;
  const berth::apiserver::admission::FieldPath path("schema");
  berth::apiserver::crd::CheckSchemaRules(json, path, true, errors);
  const berth::apiserver::crd::RuleCheck check{
      .path = path, .limits_each_cost = true, .errors = errors};
  berth::apiserver::crd::CompileRules(schema, budget, &check);
  berth::apiserver::crd::CheckDefaults(schema, path, errors);
  CHECK(errors.Take().size() <= berth::api::kMaxReportedErrors + 1);
}

void CheckObject(const berth::apiserver::crd::Schema& schema, const Json& object) {
  berth::apiserver::admission::FieldErrors errors;
  berth::apiserver::crd::ValidateValue(schema, object, nullptr, "", errors);
  berth::apiserver::crd::ValidateStructure(schema, object.get_object(), errors);
  berth::apiserver::crd::ValidateByRules(schema, object, nullptr, errors, nullptr);
  berth::apiserver::crd::ValidateByRules(schema, object, &object, errors, nullptr);
  CHECK(errors.Take().size() <= berth::api::kMaxReportedErrors + 1);
  // Nothing has changed, so nothing is wrong.
  berth::apiserver::crd::ValidateValue(schema, object, &object, "", errors);
  CHECK(errors.empty());

  Json pruned = object;
  berth::apiserver::crd::Prune(schema, pruned.get_object());
  CHECK(berth::apiserver::crd::UnknownFields(schema, pruned.get_object()).empty());
  CHECK(berth::apiserver::crd::UnknownFields(schema, object.get_object()).empty() ==
        (pruned == object));

  Json defaulted = object;
  if (!berth::apiserver::crd::ApplyDefaults(schema, defaulted.get_object())) return;
  berth::apiserver::crd::DropUnwantedNulls(schema, defaulted.get_object());
  Json again = defaulted;
  if (!berth::apiserver::crd::ApplyDefaults(schema, again.get_object())) return;
  berth::apiserver::crd::DropUnwantedNulls(schema, again.get_object());
  CHECK(again == defaulted);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto json = berth::api::ParseJson(TakeLine(text));
  const auto object = berth::api::ParseJson(TakeLine(text));
  if (object) {
    const auto path = berth::apiserver::crd::JsonPath::Parse(TakeLine(text));
    if (path) (void)path->Find(*object);
  }
  if (!json || !json->is_object()) return 0;
  berth::apiserver::crd::SchemaBudget budget;
  auto schema = berth::apiserver::crd::CompileSchema(json->get_object(), budget);
  if (!schema) {
    CHECK(!schema.error().message.empty());
    return 0;
  }
  CheckRules(json->get_object(), budget, *schema);
  if (object && object->is_object()) CheckObject(*schema, *object);
  return 0;
}
