#include "apiserver/crd/definition.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "api/json/document.h"
#include "apiserver/admission/strategy.h"
#include "apiserver/crd/schema.h"

namespace berth::apiserver::crd {
namespace {

const api::JsonObject* NamesOf(const api::JsonObject& definition) {
  return api::ObjectAt(api::ObjectAt(&definition, "spec"), "names");
}

std::string_view StorageVersionOf(const api::JsonObject& definition) {
  const api::JsonArray* versions = api::ArrayAt(api::ObjectAt(&definition, "spec"), "versions");
  for (size_t i = 0; versions != nullptr && i < versions->size(); ++i) {
    const api::JsonObject* version = api::AsObject((*versions)[i]);
    if (api::BoolAt(version, "storage")) return api::StringAt(version, "name");
  }
  return {};
}

}  // namespace

std::string ToLower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

void DefaultDefinition(api::JsonObject& definition) {
  api::JsonObject& spec = api::EnsureObject(definition, "spec");
  api::JsonObject& names = api::EnsureObject(spec, "names");
  const std::string kind(api::StringAt(&names, "kind"));
  if (!kind.empty()) {
    api::DefaultString(names, "singular", ToLower(kind));
    api::DefaultString(names, "listKind", kind + "List");
  }
  if (api::At(&spec, "conversion") == nullptr) {
    api::SetString(api::EnsureObject(spec, "conversion"), "strategy", "None");
  }
}

void NoteStorageVersion(api::JsonObject& definition) {
  const std::string storage(StorageVersionOf(definition));
  if (storage.empty()) return;
  api::JsonArray& stored =
      api::EnsureArray(api::EnsureObject(definition, "status"), "storedVersions");
  if (std::ranges::find(stored, api::Json(storage)) == stored.end()) stored.emplace_back(storage);
}

namespace {

class WarningCollector {
 public:
  void Visit(const api::JsonObject& schema) {
    if (warnings_.size() >= api::kMaxReportedErrors) return;
    const std::string_view format = api::StringAt(&schema, "format");
    if (!format.empty() && !IsKnown(format, api::StringAt(&schema, "type"))) {
      Add(fmt::format("unrecognized format \"{}\"", api::Limited(format)));
    }
    for (const auto& member : schema) {
      const std::string_view key = member.key();
      const api::Json& value = member.value();
      if (key == "items" || key == "additionalProperties" || key == "not") {
        if (const api::JsonObject* part = value.if_object()) Visit(*part);
      } else if (key == "properties") {
        const api::JsonObject* properties = value.if_object();
        if (properties == nullptr) continue;
        for (const auto& property : *properties) {
          if (const api::JsonObject* part = property.value().if_object()) Visit(*part);
        }
      } else if (key == "allOf" || key == "anyOf" || key == "oneOf") {
        const api::JsonArray* list = value.if_array();
        for (size_t i = 0; list != nullptr && i < list->size(); ++i) {
          if (const api::JsonObject* part = (*list)[i].if_object()) Visit(*part);
        }
      }
    }
  }

  void Add(std::string warning) {
    if (std::ranges::find(warnings_, warning) == warnings_.end()) {
      warnings_.push_back(std::move(warning));
    }
  }

  std::vector<std::string> Take() { return std::move(warnings_); }

 private:
  static bool IsKnown(std::string_view format, std::string_view type) {
    const SchemaType of = type == "integer"                  ? SchemaType::kInteger
                          : type == "number"                 ? SchemaType::kNumber
                          : type.empty() || type == "string" ? SchemaType::kString
                                                             : SchemaType::kObject;
    return FindFormat(format, of) != Format::kNone;
  }

  std::vector<std::string> warnings_;
};

}  // namespace

std::vector<std::string> WarningsOf(const api::JsonObject& definition) {
  WarningCollector collector;
  const api::JsonObject* spec = api::ObjectAt(&definition, "spec");
  if (api::StringAt(api::ObjectAt(spec, "conversion"), "strategy") == "Webhook") {
    collector.Add(
        "spec.conversion: Berth calls no webhooks; objects are converted as with strategy None");
  }
  const api::JsonArray* versions = api::ArrayAt(spec, "versions");
  for (size_t i = 0; versions != nullptr && i < versions->size(); ++i) {
    const api::JsonObject* schema =
        api::ObjectAt(api::ObjectAt(api::AsObject((*versions)[i]), "schema"), "openAPIV3Schema");
    if (schema != nullptr) collector.Visit(*schema);
  }
  return collector.Take();
}

void TakenNames::Add(const api::JsonObject& definition) {
  const api::JsonObject* accepted =
      api::ObjectAt(api::ObjectAt(&definition, "status"), "acceptedNames");
  for (const std::string_view key : {"plural", "singular"}) {
    const std::string_view name = api::StringAt(accepted, key);
    if (!name.empty()) resources.emplace(name);
  }
  const api::JsonArray* short_names = api::ArrayAt(accepted, "shortNames");
  for (size_t i = 0; short_names != nullptr && i < short_names->size(); ++i) {
    resources.emplace(api::AsString((*short_names)[i]));
  }
  for (const std::string_view key : {"kind", "listKind"}) {
    const std::string_view name = api::StringAt(accepted, key);
    if (!name.empty()) kinds.emplace(name);
  }
}

namespace {

struct NameConflict {
  std::string_view reason;
  std::string message;
};

// Copies the names that are free to `accepted`. Returns the last conflict.
std::optional<NameConflict> TakeNames(const api::JsonObject& wanted, const TakenNames& others,
                                      api::JsonObject& accepted) {
  struct Row {
    std::string_view key;
    std::string_view reason;
    bool is_kind;
  };
  constexpr std::array kRows = std::to_array<Row>({{"plural", "PluralConflict", false},
                                                   {"singular", "SingularConflict", false},
                                                   {"kind", "KindConflict", true},
                                                   {"listKind", "ListKindConflict", true}});
  const auto in_use = [](std::string_view name) {
    return fmt::format("\"{}\" is already in use", name);
  };
  std::optional<NameConflict> conflict;
  const auto take = [&](const Row& row) {
    const std::string_view name = api::StringAt(&wanted, row.key);
    const auto& taken = row.is_kind ? others.kinds : others.resources;
    if (taken.contains(name)) {
      conflict = {row.reason, in_use(name)};
    } else {
      api::SetString(accepted, row.key, name);
    }
  };
  for (const Row& row : kRows) {
    if (!row.is_kind) take(row);
  }
  const api::JsonArray* short_names = api::ArrayAt(&wanted, "shortNames");
  std::vector<std::string> used;
  for (size_t i = 0; short_names != nullptr && i < short_names->size(); ++i) {
    const std::string_view name = api::AsString((*short_names)[i]);
    if (others.resources.contains(name)) used.push_back(in_use(name));
  }
  if (!used.empty()) {
    conflict = {"ShortNamesConflict",
                used.size() == 1 ? used[0] : fmt::format("[{}]", fmt::join(used, ", "))};
  } else if (short_names != nullptr) {
    accepted["shortNames"] = *short_names;
  } else {
    accepted.erase("shortNames");
  }
  for (const Row& row : kRows) {
    if (row.is_kind) take(row);
  }
  if (const api::Json* categories = api::At(&wanted, "categories")) {
    accepted["categories"] = *categories;
  } else {
    accepted.erase("categories");
  }
  return conflict;
}

}  // namespace

void AcceptNames(api::JsonObject& definition, const TakenNames& others, Instant now) {
  const api::JsonObject* names = NamesOf(definition);
  if (names == nullptr) return;
  const api::JsonObject wanted = *names;
  api::JsonObject& status = api::EnsureObject(definition, "status");
  const auto conflict = TakeNames(wanted, others, api::EnsureObject(status, "acceptedNames"));
  if (conflict) {
    admission::SetCondition(status, "NamesAccepted", "False", conflict->reason, conflict->message,
                            now);
    if (!HasCondition(definition, "Established")) {
      admission::SetCondition(status, "Established", "False", "NotAccepted",
                              "not all names are accepted", now);
    }
    return;
  }
  admission::SetCondition(status, "NamesAccepted", "True", "NoConflicts", "no conflicts found",
                          now);
  admission::SetCondition(status, "Established", "True", "InitialNamesAccepted",
                          "the initial names have been accepted", now);
}

bool HasCondition(const api::JsonObject& definition, std::string_view type) {
  const api::JsonArray* conditions =
      api::ArrayAt(api::ObjectAt(&definition, "status"), "conditions");
  return conditions != nullptr && std::ranges::any_of(*conditions, [&](const api::Json& element) {
           const api::JsonObject* condition = api::AsObject(element);
           return api::StringAt(condition, "type") == type &&
                  api::StringAt(condition, "status") == "True";
         });
}

}  // namespace berth::apiserver::crd
