// `berth schedule` names every misspelt field, and does not complain about right ones: for the
// objects of random clusters, for objects of every kind with any of its fields, and for the objects
// of the conformance vectors.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/value.hpp>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/json/document.h"
#include "api/json/encode.h"
#include "api/json/parse.h"
#include "api/json/writer.h"
#include "api/scheme/schema.h"
#include "api/scheme/scheme.h"
#include "base/random.h"
#include "base/suggestion.h"
#include "cmd/conformance_file.h"
#include "cmd/manifests.h"
#include "testing/random_cluster.h"
#include "testing/temporary_directory.h"

namespace berth {
namespace BERTH_TEST_FILE {

using api::Json;
using api::JsonArray;
using api::JsonObject;
using api::scheme::Kind;
using api::scheme::Schema;
using api::scheme::SchemaField;

// Returns the error of `berth schedule -f` with this object; empty if there is none.
std::string ErrorOf(const Json& object) {
  static const TemporaryDirectory files;
  const auto read = cmd::ReadManifests({files.Write("o.json", api::ToJsonText(object))},
                                       cmd::FieldCheck::kStrict);
  return read ? "" : read.error().message;
}

// --- objects of any fields ---

class DocumentGenerator {
 public:
  explicit DocumentGenerator(Random& random) : random_(random) {}

  Json Object(const Kind& kind) {
    JsonObject object = Fields(*api::scheme::SchemaOf(kind.api_version(), kind.kind), 6);
    api::SetString(object, "apiVersion", kind.api_version());
    api::SetString(object, "kind", kind.kind);
    JsonObject& metadata = api::EnsureObject(object, "metadata");
    api::SetString(metadata, "name", "o");
    return object;
  }

 private:
  JsonObject Fields(const Schema& schema, int depth) {
    JsonObject object;
    for (const SchemaField& field : schema.fields) {
      if (random_.Chance(depth > 0 ? 30 : 5)) object[field.name] = Value(field, depth - 1);
    }
    return object;
  }

  Json Value(const SchemaField& field, int depth) {
    if (field.shape == SchemaField::Shape::kOne) return Element(field, depth);
    if (field.shape == SchemaField::Shape::kList) {
      JsonArray list;
      for (uint64_t i = random_.Below(3); i > 0; --i) list.push_back(Element(field, depth));
      return list;
    }
    JsonObject map;
    for (const char* key : {"a", "b.example.com/c"}) {
      if (random_.Chance(50)) map[key] = Element(field, depth);
    }
    return map;
  }

  Json Element(const SchemaField& field, int depth) {
    using Type = SchemaField::Type;
    switch (field.type) {
      case Type::kSchema:
        return depth < -4 ? JsonObject() : Fields(*field.schema, depth);
      case Type::kInt:
      case Type::kLong:
      case Type::kDouble:
        return 7;
      case Type::kBool:
        return true;
      case Type::kTime:
      case Type::kMicroTime:
        return "2026-01-01T00:00:00Z";
      case Type::kQuantity:
        return "100m";
      case Type::kIntOrString:
        return "50%";
      case Type::kStrings:
        return JsonArray{"x"};
      case Type::kObject:
        return JsonObject{{"any", "thing"}};
      default:
        return "eA==";
    }
  }

  Random& random_;
};

// --- misspelt fields ---

// A field of a document.
struct Place {
  JsonObject* parent;
  const Schema* schema;  // Of the parent.
  std::string path;      // Of the parent, with the dot that follows.
  std::string name;
};

void FindPlaces(const Schema& schema, JsonObject& object, const std::string& path,
                std::vector<Place>& places) {
  for (auto& [key, value] : object) {
    const std::string name(key);
    const SchemaField* field = schema.Find(name);
    if (field == nullptr) continue;
    places.push_back({&object, &schema, path, name});
    if (field->type != SchemaField::Type::kSchema) continue;
    if (JsonObject* const child = value.if_object()) {
      if (field->shape == SchemaField::Shape::kOne) {
        FindPlaces(*field->schema, *child, path + name + ".", places);
      } else {
        for (auto& [entry, inner] : *child) {
          if (inner.is_object()) {
            FindPlaces(*field->schema, inner.get_object(),
                       fmt::format("{}{}.{}.", path, name, std::string_view(entry)), places);
          }
        }
      }
    }
    JsonArray* const list = value.if_array();
    for (size_t i = 0; list != nullptr && i < list->size(); ++i) {
      if (!(*list)[i].is_object()) continue;
      FindPlaces(*field->schema, (*list)[i].get_object(), fmt::format("{}{}[{}].", path, name, i),
                 places);
    }
  }
}

// Changes, inserts or deletes one character.
std::string Misspell(Random& random, std::string word) {
  const size_t at = random.Below(word.size());
  const char letter = static_cast<char>('a' + random.Below(26));
  switch (random.Below(3)) {
    case 0:
      word[at] = letter;
      break;
    case 1:
      word.insert(at, 1, letter);
      break;
    default:
      word.erase(at, 1);
  }
  return word;
}

// Misspells a random field of the object and checks that it is named, with the nearest that exists.
void CheckMisspelt(Random& random, const Kind& kind, Json object) {
  const Schema& schema = *api::scheme::SchemaOf(kind.api_version(), kind.kind);
  std::vector<Place> places;
  FindPlaces(schema, object.get_object(), "", places);
  ASSERT_FALSE(places.empty());
  const Place place = places[random.Below(places.size())];
  const std::string wrong = Misspell(random, place.name);
  if (wrong.empty() || place.schema->Find(wrong) != nullptr) return;
  Json value = std::move(place.parent->at(place.name));
  place.parent->erase(place.name);
  (*place.parent)[wrong] = std::move(value);
  const std::string error = ErrorOf(object);
  EXPECT_NE(error.find(fmt::format("unknown field \"{}{}\": ", place.path, wrong)),
            std::string::npos)
      << error << "\nin " << api::ToJsonText(object);
  const std::string_view hint = "; did you mean \"";
  const size_t at = error.find(hint);
  ASSERT_NE(at, std::string::npos) << error;
  const size_t begin = at + hint.size();
  const std::string nearest = error.substr(begin, error.find('"', begin) - begin);
  EXPECT_NE(place.schema->Find(nearest), nullptr) << error;
  EXPECT_LE(EditDistance(nearest, wrong), EditDistance(place.name, wrong)) << error;
}

TEST(StrictDecoding, ObjectsOfRandomClustersPassAndMisspeltOnesDoNot) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    Random random(seed);
    for (const api::Object& object : ObjectsOf(ClusterGenerator(seed).Snapshot(2))) {
      const Json document = *api::ParseJson(api::EncodeJson(object));
      ASSERT_EQ(ErrorOf(document), "") << api::ToJsonText(document);
      const api::KindInfo& info = api::KindOf(object);
      CheckMisspelt(random, *api::scheme::FindKindByName(info.api_version, info.kind), document);
    }
  }
}

TEST(StrictDecoding, ObjectsOfEveryKindPassAndMisspeltOnesDoNot) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    for (const Kind& kind : api::scheme::Kinds()) {
      if (api::scheme::SchemaOf(kind.api_version(), kind.kind) == nullptr) continue;
      Random random(seed);
      const Json document = DocumentGenerator(random).Object(kind);
      ASSERT_EQ(ErrorOf(document), "") << api::ToJsonText(document);
      CheckMisspelt(random, kind, document);
    }
  }
}

// --- the conformance vectors ---

// Checks all Kubernetes objects within `value`; returns their number.
size_t CheckObjectsIn(const Json& value) {
  size_t count = 0;
  if (const JsonArray* list = value.if_array()) {
    for (const Json& item : *list) count += CheckObjectsIn(item);
  }
  const JsonObject* object = value.if_object();
  if (object == nullptr) return count;
  const Kind* kind = api::scheme::FindKindByName(api::StringAt(object, "apiVersion"),
                                                 api::StringAt(object, "kind"));
  if (kind != nullptr && object->contains("metadata")) {
    EXPECT_TRUE(api::scheme::UnknownFields(*kind, value).empty()) << api::ToJsonText(value);
    return count + 1;
  }
  for (const auto& [key, member] : *object) count += CheckObjectsIn(member);
  return count;
}

TEST(StrictDecoding, ObjectsOfTheConformanceVectorsPass) {
  size_t count = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(BERTH_SOURCE_DIR "/tests/conformance")) {
    if (entry.path().filename() == "README.md") continue;
    const auto file = cmd::CaseFile::Read(entry.path());
    ASSERT_TRUE(file.has_value()) << file.error().message;
    for (const cmd::CaseFile::Row& row : file->rows()) {
      const auto parsed = api::ParseJson(row.text);
      ASSERT_TRUE(parsed.has_value());
      count += CheckObjectsIn(*parsed);
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(count, 10'000U);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth
