#include <fmt/format.h>

#include <boost/json.hpp>

#include "kinds/kinds.h"
#include "kinds/schema.h"

namespace berth::apiserver {
namespace {

// Collects the paths of fields that the schema does not know. The path grows and shrinks with the
// walk.
class Walk {
 public:
  explicit Walk(std::vector<std::string>& unknown) : unknown_(unknown) {}

  void Object(const Schema& schema, const Json& value) {
    if (!value.is_object()) return;
    for (const auto& [key, child] : value.get_object()) {
      const size_t length = path_.size();
      if (length != 0) path_ += '.';
      path_ += std::string_view(key);
      if (const SchemaField* field = schema.Find(key)) {
        Field(*field, child);
      } else {
        unknown_.push_back(fmt::format("unknown field \"{}\"", path_));
      }
      path_.resize(length);
    }
  }

 private:
  void Field(const SchemaField& field, const Json& value) {
    if (field.type != SchemaField::Type::kSchema) return;
    switch (field.shape) {
      case SchemaField::Shape::kOne:
        Object(*field.schema, value);
        return;
      case SchemaField::Shape::kList:
        List(*field.schema, value);
        return;
      case SchemaField::Shape::kMap:
        Map(*field.schema, value);
    }
  }

  void List(const Schema& schema, const Json& value) {
    if (!value.is_array()) return;
    size_t index = 0;
    for (const Json& item : value.get_array()) {
      const size_t length = path_.size();
      path_ += '[' + std::to_string(index++) + ']';
      Object(schema, item);
      path_.resize(length);
    }
  }

  void Map(const Schema& schema, const Json& value) {
    if (!value.is_object()) return;
    for (const auto& [key, item] : value.get_object()) {
      const size_t length = path_.size();
      path_ += '.';
      path_ += std::string_view(key);
      Object(schema, item);
      path_.resize(length);
    }
  }

  std::vector<std::string>& unknown_;
  std::string path_;
};

}  // namespace

std::vector<std::string> UnknownFields(const Kind& kind, const Json& object) {
  std::vector<std::string> unknown;
  const Schema* schema = SchemaOf(kind.api_version(), kind.kind);
  if (schema != nullptr) Walk(unknown).Object(*schema, object);
  return unknown;
}

}  // namespace berth::apiserver
