#include "apiserver/crd/rule_values.h"

#include <algorithm>
#include <string_view>

#include "api/json/document.h"
#include "apiserver/crd/escaped_name.h"
#include "apiserver/crd/formats.h"
#include "apiserver/crd/rule_types.h"
#include "apiserver/crd/schema.h"
#include "base/base64.h"
#include "cel/containers.h"
#include "cel/evaluation.h"
#include "cel/time_text.h"

namespace berth::apiserver::crd {
namespace {

using cel::Value;

class HiddenJson final : public cel::HiddenData {
 public:
  explicit HiddenJson(const api::Json& json) : json_(json) {}

  bool Equals(const cel::HiddenData& other, cel::Evaluation& evaluation) const override {
    return AreEqual(json_, static_cast<const HiddenJson&>(other).json_, evaluation);
  }

 private:
  static bool AreEqual(const api::Json& a, const api::Json& b, cel::Evaluation& evaluation) {
    if (!evaluation.Spend(1)) return false;
    if (a.is_array() && b.is_array()) {
      const api::JsonArray& left = a.get_array();
      const api::JsonArray& right = b.get_array();
      return std::ranges::equal(left, right, [&](const api::Json& x, const api::Json& y) {
        return AreEqual(x, y, evaluation);
      });
    }
    if (a.is_object() && b.is_object()) {
      const api::JsonObject& left = a.get_object();
      const api::JsonObject& right = b.get_object();
      return left.size() == right.size() && std::ranges::all_of(left, [&](const auto& member) {
               const api::Json* value = right.if_contains(member.key());
               return value != nullptr && AreEqual(member.value(), *value, evaluation);
             });
    }
    if (a.is_string() && b.is_string()) {
      evaluation.SpendOnText(Value::String(api::AsString(a)));
    }
    return a == b;
  }

  const api::Json& json_;
};

// The types of Go that a value has there, for errors.
std::string_view GoTypeOf(const api::Json& json) {
  switch (json.kind()) {
    case boost::json::kind::bool_:
      return "bool";
    case boost::json::kind::string:
      return "string";
    case boost::json::kind::int64:
      return "int64";
    case boost::json::kind::array:
      return "[]interface {}";
    case boost::json::kind::object:
      return "map[string]interface {}";
    default:
      return "float64";
  }
}

}  // namespace

Value RuleValues::Of(const Schema& schema, const api::Json& json) {
  const auto known = known_.find(&json);
  return known != known_.end() ? known->second : Convert(schema, json);
}

Value RuleValues::Convert(const Schema& schema, const api::Json& json) {
  const Value value = ConvertTyped(schema, json);
  if (!schema.rules.empty()) known_[&json] = value;
  return value;
}

Value RuleValues::ConvertTyped(const Schema& schema, const api::Json& json) {
  const auto fail = [&](std::string_view wanted) {
    return Value::Error(arena_.Copy(std::string("invalid data, expected ")
                                        .append(wanted)
                                        .append(", got ")
                                        .append(GoTypeOf(json))));
  };
  if (json.is_null()) {
    return schema.nullable ? Value()
                           : Value::Error("invalid data, got null for schema with nullable=false");
  }
  if (schema.int_or_string) {
    if (json.is_string()) return Value::String(api::AsString(json));
    if (json.is_int64()) return Value::Int(json.get_int64());
    return Value::Error(
        "invalid data, expected XIntOrString value to be either a string or integer");
  }
  switch (schema.type) {
    case SchemaType::kObject:
      if (!json.is_object()) {
        return Value::Error(
            "invalid data, expected a map for the provided schema with type=object");
      }
      if (schema.additional_schema != nullptr && schema.properties.empty() &&
          !schema.embedded_resource) {
        return ConvertMap(*schema.additional_schema, json.get_object());
      }
      return ConvertObject(schema, json.get_object());
    case SchemaType::kArray:
      if (!json.is_array()) {
        return Value::Error(
            "invalid data, expected an array for the provided schema with type=array");
      }
      return ConvertList(schema, json.get_array());
    case SchemaType::kString:
      return json.is_string() ? ConvertText(schema, api::AsString(json)) : fail("string");
    case SchemaType::kNumber:
      return json.is_number() ? Value::Double(json.to_number<double>()) : fail("float");
    case SchemaType::kInteger:
      return json.is_int64() ? Value::Int(json.get_int64()) : fail("int");
    case SchemaType::kBoolean:
      return json.is_bool() ? Value::Bool(json.get_bool()) : fail("bool");
    case SchemaType::kAny:
      break;
  }
  return Hidden(json);
}

Value RuleValues::HiddenKey(std::string_view name) {
  // No identifier has such a name.
  return Value::String(arena_.Copy(std::string(1, '\x01').append(name)));
}

Value RuleValues::Hidden(const api::Json& json) { return Value::Of(arena_.New<HiddenJson>(json)); }

Value RuleValues::ConvertObject(const Schema& schema, const api::JsonObject& object) {
  const bool is_resource = &schema == root_ || schema.embedded_resource;
  cel::MapBuilder map(arena_, static_cast<uint32_t>(object.size()));
  for (const auto& member : object) {
    const std::string_view name = member.key();
    const Schema* property = RuleProperty(schema, is_resource, name);
    const bool is_readable =
        property != nullptr && property->is_visible_to_rules && !member.value().is_null();
    const auto identifier = is_readable ? EscapedName(name) : std::nullopt;
    if (identifier) {
      map.Set(Value::String(*identifier == name ? name : arena_.Copy(*identifier)),
              Convert(*property, member.value()));
    } else {
      map.Set(HiddenKey(name), Hidden(member.value()));
    }
  }
  return map.Build();
}

Value RuleValues::ConvertMap(const Schema& values, const api::JsonObject& object) {
  cel::MapBuilder map(arena_, static_cast<uint32_t>(object.size()));
  for (const auto& member : object) {
    map.Set(Value::String(member.key()), Convert(values, member.value()));
  }
  return map.Build();
}

const cel::ListIdentity* RuleValues::IdentityOf(const Schema& schema) {
  if (schema.list_type == Schema::ListType::kAtomic) return nullptr;
  const cel::ListIdentity*& identity = identities_[&schema];
  if (identity != nullptr) return identity;
  const size_t count = schema.list_type == Schema::ListType::kMap ? schema.map_keys.size() : 0;
  auto* fields = arena_.NewArray<std::string_view>(count);
  for (size_t i = 0; i < count; ++i) {
    fields[i] = arena_.Copy(EscapedName(schema.map_keys[i]).value_or(schema.map_keys[i]));
  }
  identity = arena_.New<cel::ListIdentity>(cel::ListIdentity{{fields, count}});
  return identity;
}

Value RuleValues::ConvertList(const Schema& schema, const api::JsonArray& array) {
  if (schema.items == nullptr) {
    return Value::Error("invalid array type, expected Items with a non-empty Schema");
  }
  const auto size = static_cast<uint32_t>(array.size());
  auto* items = arena_.NewArray<Value>(size);
  for (uint32_t i = 0; i < size; ++i) items[i] = Convert(*schema.items, array[i]);
  return Value::List(
      arena_.New<cel::ListData>(cel::ListData{items, size, size, IdentityOf(schema)}), size);
}

Value RuleValues::ConvertText(const Schema& schema, std::string_view text) {
  const auto timestamp = [&](std::string rfc3339) {
    // RFC 3339 allows small letters.
    std::ranges::replace(rfc3339, 't', 'T');
    std::ranges::replace(rfc3339, 'z', 'Z');
    const auto parsed = cel::ParseTimestamp(rfc3339);
    return parsed ? Value::Of(arena_.New<cel::Timestamp>(*parsed))
                  : Value::Error("Invalid date-time formatted string");
  };
  switch (schema.constraints != nullptr ? schema.constraints->format : Format::kNone) {
    case Format::kDuration: {
      const auto duration = ParseFormattedDuration(text);
      return duration ? Value::Duration(duration->nanos) : Value::Error("Invalid duration");
    }
    case Format::kDate:
      return timestamp(std::string(text) + "T00:00:00Z");
    case Format::kDateTime:
      return timestamp(std::string(text));
    case Format::kByte: {
      const auto bytes = DecodeBase64(text);
      return bytes ? Value::Bytes(arena_.Copy(*bytes))
                   : Value::Error("Invalid byte formatted string");
    }
    default:
      return Value::String(text);
  }
}

}  // namespace berth::apiserver::crd
