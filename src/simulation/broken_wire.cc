#include "simulation/broken_wire.h"

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "api/broken_objects.h"
#include "api/json/decode.h"
#include "api/json/document.h"
#include "api/json/encode.h"
#include "api/json/parse.h"
#include "api/json/writer.h"
#include "api/undecodable_fields.h"
#include "base/check.h"

namespace berth::simulation {
namespace {

// A value, as JSON, in the place of another.
struct BrokenField {
  const char* part;  // "metadata"
  const char* name;
  const char* value;
};

constexpr BrokenField kOfAnyObject[] = {
    {"metadata", "annotations", "5"},
    {"metadata", "annotations", R"({"note":{},"other":null,"third":[1]})"},
    {"metadata", "creationTimestamp", R"("long ago")"},
    {"metadata", "generation", "1e30"},
};

constexpr BrokenField kOfPods[] = {
    {"metadata", "ownerReferences", R"([null,7,{"name":{}}])"},
    {"status", "startTime", R"("soon")"},
    {"status", "containerStatuses", R"([7,{"name":"main","resources":[]}])"},
    {"status", "resourceClaimStatuses", "true"},
};

// What a pod wants when it is placed is of no interest once it is.
constexpr BrokenField kOfBoundPods[] = {
    {"spec", "tolerations", "[7]"},
    {"spec", "nodeSelector", R"({"disk":1})"},
    {"spec", "topologySpreadConstraints", R"("even")"},
    {"spec", "priorityClassName", "[]"},
    {"spec", "terminationGracePeriodSeconds", R"("9000000000")"},
    {"spec", "initContainers", "[null,false]"},
};

constexpr BrokenField kOfNodes[] = {
    {"status", "conditions", R"([null,"Ready",{"type":1}])"},
    {"status", "images", R"([7,{"names":[null,3],"sizeBytes":"large"}])"},
    {"status", "capacity", R"({"cpu":"four"})"},
    {"status", "declaredFeatures", "{}"},
};

const BrokenField& Any(std::span<const BrokenField> fields, Random& random) {
  return fields[random.Below(fields.size())];
}

const BrokenField& AnyFor(const api::Object& object, Random& random) {
  if (random.Chance(40)) return Any(kOfAnyObject, random);
  const auto* pod = std::get_if<api::Ref<api::Pod>>(&object);
  if (pod == nullptr) return Any(kOfNodes, random);
  const bool is_bound = !(*pod)->spec.node_name.empty();
  return Any(is_bound && random.Chance(50) ? std::span<const BrokenField>(kOfBoundPods) : kOfPods,
             random);
}

std::string Broken(const api::Object& object, Random& random) {
  auto document = api::ParseJson(api::EncodeJson(object));
  CHECK(document.has_value());
  api::JsonObject& fields = document->as_object();
  if (random.Chance(50)) {
    const BrokenField& field = AnyFor(object, random);
    api::Json& part = fields[field.part];
    if (!part.is_object()) part = api::JsonObject();
    part.as_object()[field.name] = *api::ParseJson(field.value);
  }
  // Deleted with --grace-period=9000000000.
  api::JsonObject& metadata = fields["metadata"].as_object();
  if (metadata.contains("deletionTimestamp") && random.Chance(50))
    metadata["deletionTimestamp"] = "2311-07-28T16:00:00Z";
  return api::ToJsonText(*document);
}

}  // namespace

template <typename T>
std::optional<api::Object> BrokenWire::Decode(const api::Object& object) {
  api::UndecodableFields undecodable;
  auto decoded = api::DecodeJsonAs<T>(Broken(object, random_), strict_ ? nullptr : &undecodable);
  if (!decoded) return std::nullopt;
  auto seen = api::ReadWithCaution(*std::move(decoded), undecodable);
  if (!seen) return std::nullopt;
  return *std::move(seen);
}

std::optional<api::Object> BrokenWire::Pass(const api::Object& object) {
  if (std::holds_alternative<api::Ref<api::Pod>>(object)) return Decode<api::Pod>(object);
  if (std::holds_alternative<api::Ref<api::Node>>(object)) return Decode<api::Node>(object);
  return object;
}

}  // namespace berth::simulation
