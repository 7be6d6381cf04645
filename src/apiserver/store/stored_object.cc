#include "apiserver/store/stored_object.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"

namespace berth::apiserver::store {
namespace {

size_t CountDigits(Version version) { return fmt::formatted_size("{}", version); }

// Replaces `count` characters at `at` by the digits of `version`. Reserves no excess capacity,
// since objects are long-lived.
std::string Splice(std::string_view json, size_t at, size_t count, Version version) {
  const fmt::format_int digits(version);
  std::string spliced;
  spliced.reserve(json.size() - count + digits.size());
  spliced.append(json.substr(0, at));
  spliced.append(digits.data(), digits.size());
  spliced.append(json.substr(at + count));
  return spliced;
}

}  // namespace

size_t MemoryOf(const Object& object) {
  size_t bytes = sizeof(Object) + object.key.namespace_.capacity() + object.key.name.capacity() +
                 object.uid.capacity() + object.json.capacity() +
                 object.labels.capacity() * sizeof(object.labels[0]) +
                 object.fields.capacity() * sizeof(object.fields[0]);
  for (const auto& [key, value] : object.labels) bytes += key.capacity() + value.capacity();
  for (const std::string& field : object.fields) bytes += field.capacity();
  return bytes;
}

std::shared_ptr<Object> MakeObject(Draft draft, Version expected) {
  CHECK(draft.version_at <= draft.object.json.size());
  auto object = std::make_shared<Object>(std::move(draft.object));
  object->json = Splice(object->json, draft.version_at, 0, expected);
  object->version_at = draft.version_at;
  object->version = expected;
  return object;
}

void Stamp(Object& object, Version version) {
  const fmt::format_int digits(version);
  object.json.replace(object.version_at, CountDigits(object.version), digits.data(), digits.size());
  object.version = version;
}

ObjectPtr WithVersion(const Object& object, Version version) {
  auto copy = std::make_shared<Object>();
  copy->key = object.key;
  copy->uid = object.uid;
  copy->version = version;
  copy->labels = object.labels;
  copy->fields = object.fields;
  copy->json = Splice(object.json, object.version_at, CountDigits(object.version), version);
  copy->version_at = object.version_at;
  return copy;
}

}  // namespace berth::apiserver::store
