#include "api/protobuf/descriptors.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "api/protobuf/descriptor_tables.h"
#include "base/check.h"

namespace berth::api::protobuf {
namespace {

using enum FieldType;

constexpr std::array kTypes = std::to_array<std::pair<std::string_view, FieldType>>({
    {"string", kString},
    {"bytes", kBytes},
    {"int", kInt},
    {"bool", kBool},
    {"Quantity", kQuantity},
    {"Time", kTime},
    {"MicroTime", kMicroTime},
    {"Duration", kDuration},
    {"IntOrString", kIntOrString},
    {"RawExtension", kRawExtension},
    {"strings", kStrings},
});

// The API versions whose kinds have tables, and the group's name in the tables.
constexpr std::array kGroups = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"v1", "core"},
    {"apps/v1", "apps"},
    {"batch/v1", "batch"},
    {"policy/v1", "policy"},
    {"policy/v1beta1", "policy"},
    {"scheduling.k8s.io/v1", "scheduling"},
    {"coordination.k8s.io/v1", "coordination"},
    {"coordination.k8s.io/v1beta1", "coordination"},
    {"events.k8s.io/v1", "events"},
    {"autoscaling/v1", "autoscaling"},
    {"storage.k8s.io/v1", "storage"},
    {"resource.k8s.io/v1", "resource"},
    {"authentication.k8s.io/v1", "authentication"},
    {"authorization.k8s.io/v1", "authorization"},
    {"rbac.authorization.k8s.io/v1", "rbac"},
});

template <typename Table>
auto Lookup(const Table& table, std::string_view key)
    -> std::optional<typename Table::value_type::second_type> {
  const auto found =
      std::ranges::find(table, key, [](const auto& row) -> std::string_view { return row.first; });
  if (found == table.end()) return std::nullopt;
  return found->second;
}

std::string_view Trim(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

// Removes and returns the text before `separator`, or all of it if there is none.
std::string_view Cut(std::string_view& text, char separator) {
  const size_t end = std::min(text.find(separator), text.size());
  const std::string_view head = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return head;
}

bool TakePrefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

// Calls `use` with each message line joined with its continuation lines.
template <typename Use>
void ForEachEntry(std::string_view text, const Use& use) {
  std::string entry;
  while (!text.empty()) {
    const std::string_view line = Cut(text, '\n');
    if (line.empty()) continue;
    if (!line.starts_with(' ') && !entry.empty()) {
      use(std::string_view(entry));
      entry.clear();
    }
    entry += line;
  }
  if (!entry.empty()) use(std::string_view(entry));
}

}  // namespace

const FieldDescriptor* MessageDescriptor::Find(uint32_t number) const {
  const auto field = std::ranges::lower_bound(fields, number, {}, &FieldDescriptor::number);
  return field != fields.end() && field->number == number ? &*field : nullptr;
}

const Descriptors& Descriptors::Get() {
  static const Descriptors schema;
  return schema;
}

Descriptors::Descriptors() {
  const std::array tables = {
      kProtobufMeta,         kProtobufCore,           kProtobufCorePod,       kProtobufCoreVolumes,
      kProtobufApps,         kProtobufBatch,          kProtobufPolicy,        kProtobufScheduling,
      kProtobufCoordination, kProtobufEvents,         kProtobufAutoscaling,   kProtobufStorage,
      kProtobufResource,     kProtobufAuthentication, kProtobufAuthorization, kProtobufRbac,
  };
  // Names first, so that fields can refer to any message.
  for (const DescriptorTable& table : tables) {
    ForEachEntry(table.text, [&](std::string_view entry) {
      const std::string name = std::string(table.group) + "." + std::string(Cut(entry, ':'));
      const bool added = messages_.try_emplace(name, MessageDescriptor{name, {}}).second;
      CHECK(added);
    });
  }
  for (const DescriptorTable& table : tables) AddTable(table.group, table.text);
}

void Descriptors::AddTable(std::string_view group, std::string_view text) {
  ForEachEntry(text, [&](std::string_view entry) {
    const std::string name = std::string(group) + "." + std::string(Cut(entry, ':'));
    MessageDescriptor& message = messages_.find(name)->second;
    while (!entry.empty()) AddField(group, Trim(Cut(entry, ';')), message);
    std::ranges::sort(message.fields, {}, &FieldDescriptor::number);
  });
}

void Descriptors::AddField(std::string_view group, std::string_view text,
                           MessageDescriptor& message) {
  FieldDescriptor field;
  const std::string_view number = Cut(text, ' ');
  std::from_chars(number.data(), number.data() + number.size(), field.number);
  CHECK(field.number > 0 && message.Find(field.number) == nullptr);
  const std::string_view name = Cut(text, ' ');
  if (name != "=") field.name = name;
  std::string_view type = text.empty() ? "string" : text;
  field.keep_zero = TakePrefix(type, "*");
  if (TakePrefix(type, "[]")) field.shape = FieldDescriptor::Shape::kList;
  if (TakePrefix(type, "{}")) field.shape = FieldDescriptor::Shape::kMap;
  if (const auto known = Lookup(kTypes, type)) {
    field.type = *known;
  } else {
    field.type = kMessage;
    field.message = Refer(group, type);
    CHECK(field.message != nullptr);
  }
  message.fields.push_back(std::move(field));
}

const MessageDescriptor* Descriptors::Refer(std::string_view group, std::string_view name) const {
  for (const std::string& full : {std::string(group) + "." + std::string(name),
                                  "meta." + std::string(name), std::string(name)}) {
    const auto found = messages_.find(full);
    if (found != messages_.end()) return &found->second;
  }
  return nullptr;
}

const MessageDescriptor* Descriptors::Find(std::string_view api_version,
                                           std::string_view kind) const {
  if (kind == "DeleteOptions" || kind == "Status") return Refer("meta", kind);
  const auto group = Lookup(kGroups, api_version);
  if (!group) return nullptr;
  const auto found = messages_.find(std::string(*group) + "." + std::string(kind));
  return found == messages_.end() ? nullptr : &found->second;
}

}  // namespace berth::api::protobuf
