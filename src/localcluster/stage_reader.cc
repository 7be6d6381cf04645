#include "localcluster/stage_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "api/field_errors.h"
#include "api/json/json_text.h"
#include "api/json/parse.h"
#include "api/json/writer.h"
#include "api/json/yaml.h"
#include "base/suggestion.h"
#include "base/text.h"
#include "localcluster/object_json.h"

namespace berth::localcluster {

namespace {

using api::FieldErrors;
using api::FieldPath;
using Names = std::initializer_list<std::string_view>;

constexpr std::string_view kStageVersion = "berth.dev/v1alpha1";
constexpr std::string_view kKwokGroup = "kwok.x-k8s.io/";
constexpr int64_t kMaxStageMillis = kMaxStageSeconds * 1000;
constexpr int64_t kOomExitCode = 137;
constexpr int64_t kMaxStageTimes = 1'000'000;

constexpr std::array<std::pair<std::string_view, StageStatus>, 9> kStatuses = {{
    {"Running", StageStatus::kRunning},
    {"ImagePullBackOff", StageStatus::kImagePullBackOff},
    {"Ready", StageStatus::kReady},
    {"NotReady", StageStatus::kNotReady},
    {"Completed", StageStatus::kCompleted},
    {"Error", StageStatus::kError},
    {"OOMKilled", StageStatus::kOomKilled},
    {"KeepsRunning", StageStatus::kKeepsRunning},
    {"Deleted", StageStatus::kDeleted},
}};

constexpr std::array<std::pair<std::string_view, StageRequirement::Operator>, 4> kOperators = {{
    {"In", StageRequirement::Operator::kIn},
    {"NotIn", StageRequirement::Operator::kNotIn},
    {"Exists", StageRequirement::Operator::kExists},
    {"DoesNotExist", StageRequirement::Operator::kDoesNotExist},
}};

// Parses a path such as .metadata.ownerReferences[].kind or .metadata.labels["example.com/a"].
// Returns nullopt if it is not one.
std::optional<std::vector<std::string>> ParsePath(std::string_view text) {
  constexpr std::string_view kNameCharacters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  std::vector<std::string> steps;
  while (!text.empty()) {
    if (steps.size() == kMaxPathSteps) return std::nullopt;
    if (text.starts_with("[]")) {
      if (steps.empty()) return std::nullopt;
      steps.emplace_back();
      text.remove_prefix(2);
      continue;
    }
    const bool quoted = text.starts_with("[\"");
    if (!quoted && text.front() != '.') return std::nullopt;
    text.remove_prefix(quoted ? 2 : 1);
    const size_t end =
        quoted ? text.find('"') : std::min(text.find_first_not_of(kNameCharacters), text.size());
    if (end == 0 || end == std::string_view::npos) return std::nullopt;
    steps.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
    if (!quoted) continue;
    if (!text.starts_with("\"]")) return std::nullopt;
    text.remove_prefix(2);
  }
  return steps.empty() ? std::nullopt : std::optional(std::move(steps));
}

// Reads one stage, and reports what is wrong with it.
class StageReader {
 public:
  StageReader(const JsonObject& document, FieldErrors& errors)
      : document_(document), errors_(errors) {}

  Stage Read() {
    CheckMembers(document_, {}, {"apiVersion", "kind", "metadata", "spec"});
    if (const JsonObject* metadata = Member(&document_, {}, "metadata")) {
      CheckMembers(*metadata, {"metadata"}, {"name", "labels", "annotations"});
      stage_.name = Text(*metadata, {"metadata"}, "name");
    }
    if (stage_.name.empty()) errors_.Required("metadata.name");
    const JsonObject* spec = Member(&document_, {}, "spec");
    if (!spec) {
      errors_.Required("spec");
      return std::move(stage_);
    }
    const FieldPath path{"spec"};
    CheckMembers(*spec, path, {"resourceRef", "selector", "weight", "delay", "next"});
    if (const JsonObject* resource = Member(spec, path, "resourceRef")) ReadResource(*resource);
    if (const JsonObject* selector = Member(spec, path, "selector")) ReadSelector(*selector);
    stage_.weight =
        static_cast<uint32_t>(Number(*spec, path, "weight", 0, kMaxStageWeight).value_or(0));
    const JsonObject* delay = Member(spec, path, "delay");
    if (delay) ReadDelay(*delay);
    const JsonObject* next = Member(spec, path, "next");
    if (next) {
      ReadNext(*next, delay != nullptr);
    } else {
      errors_.Required("spec.next.status");
    }
    return std::move(stage_);
  }

 private:
  // Reports the members that a stage does not have.
  void CheckMembers(const JsonObject& object, const FieldPath& path, Names known) {
    for (const auto& [key, value] : object) {
      const std::string_view name = key;
      if (std::ranges::find(known, name) != known.end()) continue;
      Suggestion suggestion(name);
      for (const std::string_view candidate : known) suggestion.Consider(candidate);
      errors_.Add({.reason = "FieldValueInvalid",
                   .message = fmt::format(
                       "unknown field \"{}\": {}{}", api::Limited((path / name).text), Quote(value),
                       suggestion.best().empty()
                           ? ""
                           : fmt::format("; did you mean \"{}\"?", suggestion.best())),
                   .field = ""});
    }
  }
  static std::string Quote(const Json& value) { return Shorten(api::ToJsonText(value)); }
  void Refuse(const FieldPath& path, const Json& value, std::string_view detail) {
    errors_.InvalidText(path, Quote(value), detail);
  }

  const JsonObject* Member(const JsonObject* object, const FieldPath& path, std::string_view name) {
    const Json* value = At(object, name);
    if (value && !value->is_object()) Refuse(path / name, *value, "must be an object");
    return AsObject(value);
  }
  const JsonArray* List(const JsonObject& object, const FieldPath& path, std::string_view name) {
    const Json* value = At(&object, name);
    if (value && !value->is_array()) Refuse(path / name, *value, "must be a list");
    return value ? value->if_array() : nullptr;
  }
  std::string Text(const JsonObject& object, const FieldPath& path, std::string_view name) {
    const Json* value = At(&object, name);
    if (value && !value->is_string()) Refuse(path / name, *value, "must be a string");
    return std::string(AsString(value));
  }
  std::optional<int64_t> Number(const JsonObject& object, const FieldPath& path,
                                std::string_view name, int64_t least, int64_t most) {
    const Json* value = At(&object, name);
    if (!value) return std::nullopt;
    const auto number = api::AsInt(value);
    if (number && *number >= least && *number <= most) return number;
    Refuse(path / name, *value, fmt::format("must be an integer from {} to {}", least, most));
    return std::nullopt;
  }
  // Returns the value of a table by its name; reports a name that the table does not have.
  template <typename T, size_t kSize>
  std::optional<T> OneOf(const std::array<std::pair<std::string_view, T>, kSize>& table,
                         const JsonObject& object, const FieldPath& path, std::string_view name) {
    const std::string text = Text(object, path, name);
    const auto found = std::ranges::find(table, text, &std::pair<std::string_view, T>::first);
    if (found != table.end()) return found->second;
    if (!At(&object, name)) {
      errors_.Required(path / name);
    } else if (object.at(name).is_string()) {
      std::array<std::string_view, kSize> names;
      std::ranges::transform(table, names.begin(), [](const auto& entry) { return entry.first; });
      errors_.NotSupported(path / name, text, names);
    }
    return std::nullopt;
  }

  void ReadResource(const JsonObject& resource) {
    const FieldPath path{"spec.resourceRef"};
    CheckMembers(resource, path, {"apiGroup", "kind"});
    const std::string group = Text(resource, path, "apiGroup");
    if (!group.empty() && group != "v1") errors_.NotSupported(path / "apiGroup", group, {"v1"});
    const std::string kind = Text(resource, path, "kind");
    if (kind != "Pod") errors_.NotSupported(path / "kind", kind, {"Pod"});
  }

  void Require(const FieldPath& path, StageRequirement requirement) {
    if (stage_.requirements.size() == kMaxStageRequirements) {
      return errors_.Forbidden(path, fmt::format("a stage may have {} requirements in its selector",
                                                 kMaxStageRequirements));
    }
    stage_.requirements.push_back(std::move(requirement));
  }

  void ReadMap(const JsonObject& selector, std::string_view name, std::string_view member) {
    const FieldPath path{"spec.selector"};
    const JsonObject* map = Member(&selector, path, name);
    if (!map) return;
    for (const auto& [key, value] : *map) {
      if (errors_.full()) return;
      const std::string_view label = key;
      if (!value.is_string() || label.empty()) {
        Refuse(path / name / label, value, "must be a string");
        continue;
      }
      Require(path / name, {.path = {"metadata", std::string(member), std::string(label)},
                            .op = StageRequirement::Operator::kIn,
                            .values = {std::string(AsString(value))}});
    }
  }

  void ReadSelector(const JsonObject& selector) {
    const FieldPath path{"spec.selector"};
    CheckMembers(selector, path, {"matchLabels", "matchAnnotations", "matchExpressions"});
    ReadMap(selector, "matchLabels", "labels");
    ReadMap(selector, "matchAnnotations", "annotations");
    const JsonArray* expressions = List(selector, path, "matchExpressions");
    for (size_t i = 0; expressions && i < expressions->size() && !errors_.full(); ++i) {
      const FieldPath at = (path / "matchExpressions")[i];
      if (const JsonObject* fields = (*expressions)[i].if_object()) {
        ReadExpression(*fields, at);
      } else {
        Refuse(at, (*expressions)[i], "must be an object");
      }
    }
  }

  void ReadExpression(const JsonObject& fields, const FieldPath& path) {
    using Operator = StageRequirement::Operator;
    CheckMembers(fields, path, {"key", "operator", "values"});
    const std::string key = Text(fields, path, "key");
    auto steps = ParsePath(key);
    if (!steps) {
      errors_.Invalid(path / "key", Shorten(key),
                      "must be a path such as .metadata.namespace, "
                      ".metadata.ownerReferences[].kind or .metadata.labels[\"example.com/name\"]");
    }
    const auto op = OneOf(kOperators, fields, path, "operator");
    std::vector<std::string> values = ReadValues(fields, path);
    if (!steps || !op) return;
    const bool compares = *op == Operator::kIn || *op == Operator::kNotIn;
    if (compares && values.empty()) errors_.Required(path / "values");
    if (!compares && !values.empty()) {
      errors_.Forbidden(path / "values", "must be empty for Exists and DoesNotExist");
    }
    Require(path, {.path = *std::move(steps), .op = *op, .values = std::move(values)});
  }

  std::vector<std::string> ReadValues(const JsonObject& fields, const FieldPath& path) {
    std::vector<std::string> values;
    const JsonArray* list = List(fields, path, "values");
    if (list && list->size() > kMaxRequirementValues) {
      errors_.TooMany(path / "values", list->size(), kMaxRequirementValues);
      return {};
    }
    for (size_t i = 0; list && i < list->size(); ++i) {
      const Json& value = (*list)[i];
      if (!value.is_string()) Refuse((path / "values")[i], value, "must be a string");
      values.emplace_back(AsString(value));
    }
    return values;
  }

  void ReadDelay(const JsonObject& delay) {
    constexpr std::string_view kJitter = "jitterDurationMilliseconds";
    const FieldPath path{"spec.delay"};
    CheckMembers(delay, path, {"durationMilliseconds", kJitter});
    const int64_t millis =
        Number(delay, path, "durationMilliseconds", 0, kMaxStageMillis).value_or(0);
    const auto jitter = Number(delay, path, kJitter, 0, kMaxStageMillis);
    if (jitter && *jitter < millis) {
      errors_.Invalid(path / kJitter, *jitter,
                      "must not be less than durationMilliseconds: the delay is between the two");
    }
    stage_.delay = Duration::Millis(millis);
    stage_.longest_delay = Duration::Millis(jitter.value_or(millis));
  }

  void ReadNext(const JsonObject& next, bool has_delay) {
    const FieldPath path{"spec.next"};
    CheckMembers(next, path, {"status", "exitCode", "times"});
    const auto exit_code = Number(next, path, "exitCode", 1, 255);
    stage_.times = Number(next, path, "times", 1, kMaxStageTimes).value_or(0);
    const auto status = OneOf(kStatuses, next, path, "status");
    if (!status) return;
    stage_.status = *status;
    const std::string_view word = StringAt(&next, "status");
    const auto forbid = [&](std::string field) {
      errors_.Forbidden(std::move(field), fmt::format("has no effect with status {}", word));
    };
    const bool exits = MomentOf(*status) == StageMoment::kExit;
    const bool lasts = *status == StageStatus::kNotReady || *status == StageStatus::kKeepsRunning;
    if (At(&next, "exitCode") && *status != StageStatus::kError) forbid(path / "exitCode");
    const bool repeats = (exits && !lasts) || *status == StageStatus::kImagePullBackOff;
    if (At(&next, "times") && !repeats) forbid(path / "times");
    if (has_delay && lasts) forbid("spec.delay");
    if (*status == StageStatus::kError) stage_.exit_code = exit_code.value_or(1);
    if (*status == StageStatus::kOomKilled) stage_.exit_code = kOomExitCode;
  }

  const JsonObject& document_;
  FieldErrors& errors_;
  Stage stage_;
};

// Returns what is wrong with the type of the document, or "".
std::string CheckType(const JsonObject& document) {
  const std::string_view version = StringAt(&document, "apiVersion");
  const std::string_view kind = StringAt(&document, "kind");
  if (kind == "Stage" && version == kStageVersion) return {};
  const std::string found =
      fmt::format("apiVersion \"{}\", kind \"{}\": ", Shorten(version), Shorten(kind));
  if (kind == "Stage" && version.starts_with(kKwokGroup)) {
    return fmt::format(
        "{}must be apiVersion {}: stages of KWOK have templates, instead of which "
        "those of Berth have next.status",
        found, kStageVersion);
  }
  return fmt::format("{}must be apiVersion {}, kind Stage", found, kStageVersion);
}

// Reads the stages of a file until there are too many errors.
class StageFileReader {
 public:
  Status ReadDocument(const api::DocumentText& text) {
    if (errors_.full()) return {};
    if (stages_.size() == kMaxStages) {
      return Fail(fmt::format("a file may have {} stages", kMaxStages));
    }
    const auto document = api::ParseJson(text.json);
    if (!document) return Fail(document.error().message);
    const JsonObject* fields = document->if_object();
    if (!fields) return Fail("not an object");
    if (std::string wrong = CheckType(*fields); !wrong.empty()) return Fail(std::move(wrong));
    FieldErrors errors;
    if (text.is_json) {
      for (const std::string& path : api::DuplicateKeys(text.json)) {
        errors.Add(
            {.reason = {}, .message = fmt::format("duplicate field \"{}\"", path), .field = {}});
      }
    }
    Stage stage = StageReader(*fields, errors).Read();
    if (!stage.name.empty() && !names_.insert(stage.name).second) {
      errors.Duplicate("metadata.name", stage.name);
    }
    std::string place = fmt::format("document {}: ", text.number);
    if (!stage.name.empty()) place += fmt::format("Stage \"{}\": ", Shorten(stage.name));
    for (const std::string& error : errors.TakeTexts()) {
      errors_.Add({.reason = {}, .message = place + error, .field = {}});
    }
    stages_.push_back(std::move(stage));
    return {};
  }

  std::vector<std::string> TakeErrors() { return errors_.TakeTexts(); }
  std::vector<Stage> TakeStages() { return std::move(stages_); }

 private:
  std::vector<Stage> stages_;
  std::set<std::string> names_;
  FieldErrors errors_;
};

}  // namespace

Result<PodStages> ReadStages(std::string_view text, std::string_view file) {
  if (text.size() > kMaxStageFileBytes) {
    return Fail(fmt::format("{}: larger than {} bytes", file, kMaxStageFileBytes));
  }
  StageFileReader reader;
  const Status status = api::ForEachDocument(
      text, [&](const api::DocumentText& document) { return reader.ReadDocument(document); });
  std::vector<std::string> errors = reader.TakeErrors();
  if (!status) errors.push_back(status.error().message);
  for (std::string& error : errors) error = fmt::format("{}: {}", file, error);
  if (!errors.empty()) return Fail(fmt::format("{}", fmt::join(errors, "\n")));
  std::vector<Stage> stages = reader.TakeStages();
  if (stages.empty()) return Fail(fmt::format("{}: contains no Stage", file));
  return PodStages(std::move(stages));
}

}  // namespace berth::localcluster
