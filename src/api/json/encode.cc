#include "api/json/encode.h"

#include <set>
#include <variant>

#include "api/json/fields.h"
#include "api/json/fields_devices.h"
#include "api/json/fields_pod.h"
#include "api/json/fields_storage.h"
#include "api/json/writer.h"
#include "api/timestamp.h"

namespace berth::api {

namespace {

bool IsZero(const std::string& text) { return text.empty(); }
bool IsZero(int32_t number) { return number == 0; }
bool IsZero(int64_t number) { return number == 0; }
bool IsZero(bool value) { return !value; }
template <typename T>
bool IsZero(const std::vector<T>& list) {
  return list.empty();
}
template <typename T>
bool IsZero(const std::map<std::string, T, std::less<>>& map) {
  return map.empty();
}
template <typename T>
bool IsZero(const std::optional<T>& value) {
  return !value;
}

// The visitor of fields.h that writes.
class FieldWriter {
 public:
  explicit FieldWriter(JsonWriter& json) : json_(json) {}

  template <typename T>
  void operator()(std::string_view name, const T& field) {
    if (!IsZero(field)) Required(name, field);
  }

  template <typename T>
  void Required(std::string_view name, const T& field) {
    json_.Key(name);
    Write(field);
  }

  template <typename FieldsOfGroup>
  void Group(std::string_view name, FieldsOfGroup fields) {
    const size_t before = json_.mark();
    json_.Key(name);
    json_.BeginObject();
    fields(*this);
    const bool empty = json_.at_start();
    json_.EndObject();
    if (empty) json_.Rewind(before);
  }

  template <typename T>
  void Wrapped(std::string_view name, std::string_view inner, const std::optional<T>& field) {
    if (!field) return;
    json_.Key(name);
    json_.BeginObject();
    Required(inner, *field);
    json_.EndObject();
  }

  void Names(std::string_view name, std::string_view inner, const std::vector<std::string>& names) {
    if (names.empty()) return;
    json_.Key(name);
    json_.BeginArray();
    for (const std::string& entry : names) {
      json_.BeginObject();
      Required(inner, entry);
      json_.EndObject();
    }
    json_.EndArray();
  }

  void Keys(std::string_view name, const std::set<std::string, std::less<>>& keys) {
    if (keys.empty()) return;
    json_.Key(name);
    json_.BeginObject();
    for (const std::string& key : keys) {
      json_.Key(key);
      json_.Null();
    }
    json_.EndObject();
  }

  void Choice(std::string_view name, const std::string& field) { (*this)(name, field); }

  template <typename Variant, typename T>
  void Alternative(std::string_view name, const Variant& variant, As<T>) {
    if (const T* source = std::get_if<T>(&variant)) Required(name, *source);
  }

 private:
  void Write(const std::string& text) { json_.String(text); }
  void Write(int32_t number) { json_.Int(number); }
  void Write(int64_t number) { json_.Int(number); }
  void Write(bool value) { json_.Bool(value); }
  void Write(const Quantity& quantity) { json_.String(quantity.ToString()); }
  void Write(Instant instant) { json_.String(FormatTimestamp(instant)); }
  void Write(const RawJson& raw) { raw.json != nullptr ? json_.Raw(*raw.json) : json_.Null(); }

  template <typename T>
  void Write(const std::optional<T>& value) {
    Write(*value);
  }

  template <typename T>
  void Write(const std::vector<T>& list) {
    json_.BeginArray();
    for (const T& element : list) Write(element);
    json_.EndArray();
  }

  template <typename T>
  void Write(const std::map<std::string, T, std::less<>>& map) {
    json_.BeginObject();
    for (const auto& [key, value] : map) Required(key, value);
    json_.EndObject();
  }

  template <typename T>
  void Write(const T& object) {
    json_.BeginObject();
    Fields(*this, object);
    json_.EndObject();
  }

  JsonWriter& json_;
};

}  // namespace

template <typename T>
std::string EncodeJson(const T& object) {
  JsonWriter json;
  FieldWriter writer(json);
  json.BeginObject();
  writer.Required("apiVersion", std::string(KindOf<T>().api_version));
  writer.Required("kind", std::string(KindOf<T>().kind));
  Fields(writer, object);
  json.EndObject();
  return json.Take();
}

std::string EncodeJson(const Object& object) {
  return std::visit([](const auto& ref) { return EncodeJson(*ref); }, object);
}

template std::string EncodeJson(const Pod&);
template std::string EncodeJson(const Node&);
template std::string EncodeJson(const Namespace&);
template std::string EncodeJson(const Service&);
template std::string EncodeJson(const ReplicationController&);
template std::string EncodeJson(const ReplicaSet&);
template std::string EncodeJson(const StatefulSet&);
template std::string EncodeJson(const PersistentVolume&);
template std::string EncodeJson(const PersistentVolumeClaim&);
template std::string EncodeJson(const StorageClass&);
template std::string EncodeJson(const CsiNode&);
template std::string EncodeJson(const CsiDriver&);
template std::string EncodeJson(const CsiStorageCapacity&);
template std::string EncodeJson(const VolumeAttachment&);
template std::string EncodeJson(const PodDisruptionBudget&);
template std::string EncodeJson(const PriorityClass&);
template std::string EncodeJson(const ResourceClaim&);
template std::string EncodeJson(const DeviceClass&);
template std::string EncodeJson(const ResourceSlice&);
template std::string EncodeJson(const PodGroup&);

}  // namespace berth::api
