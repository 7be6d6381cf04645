#include "cmd/manifests.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

#include "api/field_errors.h"
#include "api/json/decode.h"
#include "api/json/document.h"
#include "api/json/json_text.h"
#include "api/json/parse.h"
#include "api/json/writer.h"
#include "api/json/yaml.h"
#include "api/scheme/known_kinds.h"
#include "api/scheme/schema.h"
#include "api/scheme/scheme.h"
#include "apiserver/registry/field_validation.h"
#include "base/suggestion.h"
#include "base/text.h"
#include "cmd/object_files.h"
#include "localcluster/workload_expansion.h"

namespace berth::cmd {
namespace {

using api::JsonArray;
using api::JsonObject;
using api::StringAt;

constexpr std::string_view kListSuffix = "List";

std::string_view ApiGroupOf(std::string_view api_version) {
  const size_t slash = api_version.find('/');
  return slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
}

// Returns the kind of the scheduler's objects that the decoder reads; null if it skips the object.
const api::KindInfo* DecodedKind(std::string_view api_version, std::string_view kind) {
  const auto* found = std::ranges::find(api::kKinds, kind, &api::KindInfo::kind);
  if (found == std::end(api::kKinds)) return nullptr;
  const bool same =
      api_version.empty() || ApiGroupOf(api_version) == ApiGroupOf(found->api_version);
  return same ? found : nullptr;
}

// Returns the API version that has the kind; empty if there is none.
std::string_view KnownVersionOf(std::string_view kind) {
  const auto found = std::ranges::find(api::scheme::Kinds(), kind, &api::scheme::Kind::kind);
  return found == api::scheme::Kinds().end() ? std::string_view() : found->api_version();
}

// Reports whether objects of the kind say which pods may be created.
bool IsLimit(const api::scheme::Kind& kind) {
  return kind.IsBuiltIn("LimitRange") || kind.IsBuiltIn("ResourceQuota") ||
         kind.IsBuiltIn("RuntimeClass");
}

class ManifestReader {
 public:
  explicit ManifestReader(FieldCheck check) : check_(check) {}

  // Returns false if nothing more should be read: the file cannot be read or decoded.
  bool ReadFile(const std::string& path, std::string_view flag) {
    const auto text = ReadText(path, flag);
    if (!text) {
      Report(text.error().message);
      return false;
    }
    file_ = path == "-" ? "standard input" : path;
    const Status status = api::ForEachDocument(
        *text, [&](const api::DocumentText& document) { return ReadDocument(document); });
    if (!status) Report(fmt::format("{}: {}", file_, status.error().message));
    return status.has_value();
  }

  Result<Manifests> Take() {
    if (problem_count_ == 0) return std::move(manifests_);
    std::string text = fmt::format("{}", fmt::join(problems_, "\n"));
    const size_t more = problem_count_ - problems_.size();
    if (more > 0) text += fmt::format("\nand {} more problems", more);
    return Fail(std::move(text));
  }

 private:
  // An object of a document.
  struct Item {
    api::Json& document;
    std::string place;  // "pods.yaml: document 2: items[0]"
    std::string kind;
    std::string api_version;
    const api::scheme::Kind* known = nullptr;  // Null if the scheme does not have it.
    api::ObjectKey key = {};
    std::string name = {};  // The place, and `Pod "default/web"`.
  };

  Status ReadDocument(const api::DocumentText& document) {
    auto parsed = api::ParseJson(document.json);
    if (!parsed || !parsed->is_object()) {
      // The decoder's errors say more.
      const auto decoded = api::DecodeDocument(document.json, document.first_line);
      if (!decoded) return std::unexpected(decoded.error());
      return parsed ? Fail("not a JSON object") : Status(std::unexpected(parsed.error()));
    }
    const std::string place = fmt::format("{}: document {}", file_, document.number);
    std::vector<std::string> duplicates;
    if (document.is_json) duplicates = api::DuplicateKeys(document.json);
    const size_t problems_before = problem_count_;
    for (const std::string& path : duplicates) {
      ReportField(fmt::format("{}: duplicate field \"{}\"", place, path));
    }
    std::vector<Item> items = ItemsOf(*parsed, place);
    for (Item& item : items) CheckItem(item);
    // Of duplicates the last one counts, as in Kubernetes.
    auto decoded = api::DecodeDocument(
        duplicates.empty() ? document.json : api::ToJsonText(*parsed), document.first_line);
    if (!decoded) {
      // A misspelt field may be what the decoder misses.
      if (problem_count_ > problems_before) return {};
      return std::unexpected(decoded.error());
    }
    decoded_ = *std::move(decoded);
    next_ = 0;
    for (Item& item : items) {
      if (Status status = AddItem(item); !status) return status;
    }
    return {};
  }

  // Returns the object, or those of a list.
  static std::vector<Item> ItemsOf(api::Json& document, const std::string& place) {
    JsonObject& fields = document.get_object();
    const std::string kind(StringAt(&fields, "kind"));
    const std::string api_version(StringAt(&fields, "apiVersion"));
    JsonArray* const items = api::ArrayAt(&fields, "items");
    std::vector<Item> found;
    if (!kind.ends_with(kListSuffix)) {
      found.push_back({document, place, kind, api_version});
      return found;
    }
    const std::string item_kind = kind.substr(0, kind.size() - kListSuffix.size());
    if (items == nullptr && !item_kind.empty() && KnownVersionOf(item_kind).empty()) {
      found.push_back({document, place, kind, api_version});
      return found;
    }
    for (size_t i = 0; items != nullptr && i < items->size(); ++i) {
      const JsonObject* const item = (*items)[i].if_object();
      if (item == nullptr) continue;  // The decoder reports it.
      std::string own_kind(StringAt(item, "kind"));
      std::string own_version(StringAt(item, "apiVersion"));
      // The items of a PodList need neither.
      if (own_kind.empty() && own_version.empty()) own_version = api_version;
      if (own_kind.empty()) own_kind = item_kind;
      found.push_back({(*items)[i], fmt::format("{}: items[{}]", place, i), std::move(own_kind),
                       std::move(own_version)});
    }
    return found;
  }

  // Reports what is wrong with the kind and the fields.
  void CheckItem(Item& item) {
    const JsonObject& fields = item.document.get_object();
    if (item.kind.empty()) return ReportMissing(item, "kind");
    if (item.api_version.empty()) return ReportMissing(item, "apiVersion");
    item.known = api::scheme::FindKindByName(item.api_version, item.kind);
    if (item.known == nullptr) return CheckUnknownKind(item);
    const JsonObject* metadata = api::ObjectAt(&fields, "metadata");
    item.key.name = StringAt(metadata, "name");
    if (item.known->namespaced) {
      item.key.namespace_ = StringAt(metadata, "namespace");
      if (item.key.namespace_.empty()) item.key.namespace_ = "default";
    }
    item.name = fmt::format("{}: {} \"{}\"", item.place, item.kind, Shorten(item.key.ToString()));
    CheckFields(item);
  }

  // Reports that the object has no kind or apiVersion, or which field was probably meant.
  void ReportMissing(const Item& item, std::string_view missing) {
    for (const auto& member : item.document.get_object()) {
      const std::string_view name = member.key();
      if (name == missing) return;  // Of a wrong type: the decoder reports it.
      Suggestion suggestion(name);
      suggestion.Consider(missing);
      if (suggestion.best().empty()) continue;
      return Report(fmt::format("{}: unknown field \"{}\": {}; did you mean \"{}\"?", item.place,
                                Shorten(name), Shorten(api::ToJsonText(member.value())), missing));
    }
    if (missing == "kind") return;  // The decoder reports it.
    const std::string_view version = KnownVersionOf(item.kind);
    Report(fmt::format("{}: apiVersion not set{}", item.place,
                       version.empty() ? "" : fmt::format("; {} has {}", item.kind, version)));
  }

  Status AddItem(Item& item) {
    const api::KindInfo* const info = DecodedKind(item.api_version, item.kind);
    std::optional<api::Object> object;
    if (info != nullptr && next_ < decoded_.size()) object = std::move(decoded_[next_++]);
    if (item.known == nullptr) return {};
    // The decoder has checked the fields that it reads.
    const auto checked =
        apiserver::registry::CheckFieldTypes(*item.known, item.document.get_object());
    if (!checked) Report(fmt::format("{}: {}", item.name, checked.error().message));
    const bool read = object && info->api_version == item.api_version;
    const bool workload = localcluster::IsWorkload(*item.known);
    const bool limit = IsLimit(*item.known);
    if (!read && !workload && !limit) {
      ++manifests_.skipped[item.kind];
      return {};
    }
    if (item.key.name.empty()) return Fail(fmt::format("{}: metadata.name is required", item.kind));
    const auto [first, is_new] =
        seen_.try_emplace({item.known, item.key.namespace_, item.key.name}, file_);
    if (!is_new) {
      return Fail(fmt::format("{} \"{}\": duplicate object; first defined in {}", item.kind,
                              item.key.ToString(), first->second));
    }
    Manifest& manifest = manifests_.objects.emplace_back();
    manifest.place = item.name;
    if (read) manifest.object = std::move(object);
    if (workload || limit) {
      api::SetString(item.document.get_object(), "kind", item.kind);
      api::SetString(item.document.get_object(), "apiVersion", item.api_version);
      (workload ? manifest.workload : manifest.limit) = item.known;
      manifest.document = std::move(item.document);
    }
    return {};
  }

  void CheckUnknownKind(const Item& item) {
    if (api::scheme::IsKubernetesKind(item.api_version, item.kind)) {
      ++manifests_.skipped[item.kind];
    } else if (api::scheme::MayBeCustomResource(item.api_version)) {
      ++manifests_.skipped[Shorten(fmt::format("{}.{}", item.kind, ApiGroupOf(item.api_version)))];
    } else {
      Report(fmt::format("{}: {}", item.place,
                         api::scheme::UnknownKindMessage(item.api_version, item.kind)));
    }
  }

  void CheckFields(const Item& item) {
    constexpr size_t kMaxPath = 300;
    if (check_ != FieldCheck::kIgnore) {
      for (const auto& field : api::scheme::FindUnknownFields(*item.known, item.document)) {
        const std::string hint =
            field.nearest.empty() ? "" : fmt::format("; did you mean \"{}\"?", field.nearest);
        ReportField(fmt::format("{}: unknown field \"{}\": {}{}", item.name,
                                Shorten(field.path, kMaxPath), field.value, hint));
      }
    }
  }

  // Reports a field that does not exist, or exists twice.
  void ReportField(std::string text) {
    if (check_ == FieldCheck::kStrict) return Report(std::move(text));
    if (check_ == FieldCheck::kWarn) manifests_.warnings.push_back(std::move(text));
  }
  void Report(std::string text) {
    if (++problem_count_ <= api::kMaxReportedErrors) problems_.push_back(std::move(text));
  }

  const FieldCheck check_;
  Manifests manifests_;
  std::vector<std::string> problems_;
  size_t problem_count_ = 0;  // Including those beyond the limit.
  // By kind, namespace and name: the file.
  std::map<std::tuple<const api::scheme::Kind*, std::string, std::string>, std::string> seen_;

  std::string file_;                  // The current one.
  std::vector<api::Object> decoded_;  // The scheduler's objects of the current document...
  size_t next_ = 0;                   // ...and the first that has not been taken.
};

}  // namespace

std::string Manifests::SkippedText() const {
  constexpr size_t kMaxKinds = 8;
  size_t count = 0;
  std::vector<std::string> kinds;
  for (const auto& [kind, number] : skipped) {
    count += number;
    if (kinds.size() < kMaxKinds) kinds.push_back(fmt::format("{} {}", number, kind));
  }
  if (count == 0) return "";
  if (skipped.size() > kMaxKinds) {
    kinds.push_back(fmt::format("{} other kinds", skipped.size() - kMaxKinds));
  }
  return fmt::format("skipped {} {} of kinds that berth schedule does not read: {}", count,
                     count == 1 ? "object" : "objects", fmt::join(kinds, ", "));
}

Result<Manifests> ReadManifests(const std::vector<std::string>& paths, FieldCheck check) {
  ManifestReader reader(check);
  for (const std::string& path : paths) {
    const auto files = ObjectFilesIn(path);
    if (!files) return std::unexpected(files.error());
    for (const std::string& file : *files) {
      if (!reader.ReadFile(file, file == path ? "--filename" : "")) return reader.Take();
    }
  }
  return reader.Take();
}

}  // namespace berth::cmd
