#include "cmd/json_fields.h"

#include <fmt/format.h>

namespace berth {

void JsonFields::Complain(std::string_view key, std::string_view what) {
  if (!error_) error_ = Error{fmt::format("field \"{}\": {}", key, what)};
}

Status JsonFields::status() const {
  if (error_) return std::unexpected(*error_);
  return {};
}

std::optional<JsonFields::Value> JsonFields::Find(Value object, std::string_view key) {
  simdjson::dom::object fields;
  if (object.get(fields) != simdjson::SUCCESS) {
    Complain(key, "the value around it is not an object");
    return std::nullopt;
  }
  Value value;
  if (fields.at_key(key).get(value) != simdjson::SUCCESS || value.is_null()) return std::nullopt;
  return value;
}

JsonFields::Value JsonFields::Require(Value object, std::string_view key) {
  const auto found = Find(object, key);
  if (!found) Complain(key, "missing");
  return found.value_or(object);
}

template <typename T>
T JsonFields::Get(Value value, std::string_view key, std::string_view wanted) {
  T result{};
  if (value.get(result) != simdjson::SUCCESS) {
    Complain(key, fmt::format("must be {}", wanted));
    return T{};
  }
  return result;
}

std::string JsonFields::StringOf(Value value, std::string_view key) {
  return std::string(Get<std::string_view>(value, key, "a string"));
}

std::string JsonFields::String(Value object, std::string_view key) {
  return OptionalString(object, key).value_or("");
}

std::optional<std::string> JsonFields::OptionalString(Value object, std::string_view key) {
  const auto found = Find(object, key);
  if (!found) return std::nullopt;
  return StringOf(*found, key);
}

int64_t JsonFields::Int(Value object, std::string_view key) {
  const auto found = Find(object, key);
  return found ? Get<int64_t>(*found, key, "a whole number of 64 bits") : 0;
}

bool JsonFields::Bool(Value object, std::string_view key) {
  const auto found = Find(object, key);
  return found ? Get<bool>(*found, key, "true or false") : false;
}

std::vector<JsonFields::Value> JsonFields::List(Value object, std::string_view key) {
  std::vector<Value> result;
  const auto found = Find(object, key);
  if (!found) return result;
  simdjson::dom::array items;
  if (found->get(items) != simdjson::SUCCESS) {
    Complain(key, "must be a list");
    return result;
  }
  for (const Value item : items) result.push_back(item);
  return result;
}

std::map<std::string, JsonFields::Value> JsonFields::Fields(Value object, std::string_view key) {
  std::map<std::string, Value> result;
  const auto found = Find(object, key);
  if (!found) return result;
  simdjson::dom::object fields;
  if (found->get(fields) != simdjson::SUCCESS) {
    Complain(key, "must be an object");
    return result;
  }
  for (const auto& [name, value] : fields) result.emplace(name, value);
  return result;
}

std::vector<std::string> JsonFields::Strings(Value object, std::string_view key) {
  std::vector<std::string> result;
  for (const Value item : List(object, key)) result.push_back(StringOf(item, key));
  return result;
}

std::map<std::string, int64_t> JsonFields::Ints(Value object, std::string_view key) {
  std::map<std::string, int64_t> result;
  for (const auto& [name, value] : Fields(object, key)) {
    result.emplace(name, Get<int64_t>(value, name, "a whole number of 64 bits"));
  }
  return result;
}

std::string JsonText(JsonFields::Value value) { return simdjson::minify(value); }

}  // namespace berth
