#include "benchmark/field_decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/json/document.h"
#include "api/json/parse.h"
#include "api/json/writer.h"
#include "api/json/yaml.h"
#include "base/go_duration.h"
#include "base/suggestion.h"
#include "benchmark/perf_config.h"

namespace berth::benchmark {
namespace {

const api::JsonObject kNoFields;

// A day: nobody waits longer for a benchmark.
constexpr Duration kMaxDuration = Duration::Seconds(86'400);

std::string Shown(const api::Json& value) {
  constexpr size_t kMost = 80;
  std::string text = api::ToJsonText(value);
  if (text.size() > kMost) text = text.substr(0, kMost) + "...";
  return text;
}

TemplateValue ToTemplateValue(const api::Json& value) {
  if (value.is_null()) return {};
  if (const bool* flag = value.if_bool()) return *flag;
  if (const auto whole = api::AsInt(&value)) return *whole;
  if (const double* number = value.if_double()) return *number;
  if (value.is_string()) return std::string(api::AsString(value));
  return api::ToJsonText(value);
}

}  // namespace

const api::Json* Parameters::Find(std::string_view name) {
  const api::Json* value = values_ == nullptr ? nullptr : values_->if_contains(name);
  if (value != nullptr) used_.emplace(name);
  return value;
}

std::vector<std::string> Parameters::Unused() const {
  std::vector<std::string> unused;
  if (values_ == nullptr) return unused;
  for (const auto& member : *values_) {
    if (!used_.contains(member.key())) unused.emplace_back(member.key());
  }
  return unused;
}

FieldDecoder::FieldDecoder(const api::Json& value, std::string where, Parameters* parameters)
    : object_(value.if_object()), where_(std::move(where)), parameters_(parameters) {
  if (object_ != nullptr) return;
  object_ = &kNoFields;
  Refuse("", fmt::format("{} is not an object", Shown(value)));
}

void FieldDecoder::Refuse(std::string_view field, std::string_view problem) {
  if (!problem_.empty()) return;
  problem_ = field.empty() ? fmt::format("{}: {}", where_, problem)
                           : fmt::format("{}: {}: {}", where_, field, problem);
}

Status FieldDecoder::Finish() {
  for (const auto& member : *object_) {
    if (!ok()) break;
    if (known_.contains(member.key())) continue;
    const std::string_view name = member.key();
    Suggestion suggestion(name);
    for (const std::string& known : known_) suggestion.Consider(known);
    Refuse("", fmt::format("unknown field \"{}\"{}", name, suggestion.Text()));
  }
  if (ok()) return {};
  return Fail(problem_);
}

const api::Json* FieldDecoder::Lookup(std::string_view field) {
  known_.emplace(field);
  return api::At(object_, field);
}

const api::Json* FieldDecoder::Any(std::string_view field) { return Lookup(field); }

const api::JsonArray* FieldDecoder::Array(std::string_view field) {
  const api::Json* value = Lookup(field);
  if (value == nullptr) return nullptr;
  if (!value->is_array()) Refuse(field, fmt::format("{} is not a list", Shown(*value)));
  return value->if_array();
}

std::optional<std::string> FieldDecoder::OptionalText(std::string_view field) {
  const api::Json* value = Lookup(field);
  if (value == nullptr) return std::nullopt;
  if (!value->is_string()) Refuse(field, fmt::format("{} is not a string", Shown(*value)));
  return std::string(api::AsString(value));
}

std::string FieldDecoder::Text(std::string_view field) { return OptionalText(field).value_or(""); }

bool FieldDecoder::Flag(std::string_view field) {
  const api::Json* value = Lookup(field);
  if (value != nullptr && !value->is_bool()) {
    Refuse(field, fmt::format("{} is not true or false", Shown(*value)));
  }
  return value != nullptr && value->is_bool() && value->get_bool();
}

double FieldDecoder::Number(std::string_view field) {
  const api::Json* value = Lookup(field);
  if (value == nullptr) return 0;
  if (!value->is_number()) Refuse(field, fmt::format("{} is not a number", Shown(*value)));
  return value->is_number() ? value->to_number<double>() : 0;
}

std::vector<std::string> FieldDecoder::Texts(std::string_view field) {
  std::vector<std::string> texts;
  const api::JsonArray* array = Array(field);
  for (size_t i = 0; array != nullptr && i < array->size(); ++i) {
    const api::Json& value = (*array)[i];
    if (!value.is_string()) Refuse(field, fmt::format("{} is not a string", Shown(value)));
    texts.emplace_back(api::AsString(value));
  }
  return texts;
}

std::map<std::string, std::string> FieldDecoder::TextMap(std::string_view field) {
  std::map<std::string, std::string> map;
  const api::Json* value = Lookup(field);
  if (value == nullptr) return map;
  const api::JsonObject* object = value->if_object();
  if (object == nullptr) {
    Refuse(field, fmt::format("{} is not an object", Shown(*value)));
    return map;
  }
  for (const auto& member : *object) {
    if (!member.value().is_string()) {
      Refuse(field, fmt::format("{} is not a string", Shown(member.value())));
    }
    map.emplace(member.key(), api::AsString(member.value()));
  }
  return map;
}

api::StringMap FieldDecoder::Labels(std::string_view field) {
  api::StringMap labels;
  for (auto& [key, value] : TextMap(field)) labels.emplace(key, value);
  return labels;
}

std::map<std::string, bool> FieldDecoder::Flags(std::string_view field) {
  std::map<std::string, bool> flags;
  const api::Json* value = Lookup(field);
  if (value == nullptr) return flags;
  if (!value->is_object()) Refuse(field, fmt::format("{} is not an object", Shown(*value)));
  for (const auto& member : value->is_object() ? value->get_object() : kNoFields) {
    const bool* flag = member.value().if_bool();
    if (flag == nullptr) {
      Refuse(field, fmt::format("{}: {} is not true or false", std::string_view(member.key()),
                                Shown(member.value())));
    }
    flags.emplace(member.key(), flag != nullptr && *flag);
  }
  return flags;
}

// --- parameters ---

const api::Json* FieldDecoder::ParameterOf(std::string_view field) {
  const std::string name = Text(field);
  if (name.empty()) return nullptr;
  if (!name.starts_with('$')) {
    Refuse(field, fmt::format("\"{}\" is not a parameter; it must begin with $", name));
    return nullptr;
  }
  const api::Json* value = parameters_ == nullptr ? nullptr : parameters_->Find(name.substr(1));
  if (value == nullptr) {
    Refuse(field, fmt::format("parameter {} is undefined; add it to the workload's params", name));
  }
  return value;
}

int64_t FieldDecoder::ToCount(std::string_view field, const api::Json& value) {
  const auto count = api::AsInt(&value);
  if (count && *count >= 0 && *count <= kMaxCount) return *count;
  Refuse(field, fmt::format("{} is not a number from 0 to {}", Shown(value), kMaxCount));
  return 0;
}

int64_t FieldDecoder::CountParameter(std::string_view field, int64_t absent) {
  const api::Json* value = ParameterOf(field);
  return value == nullptr ? absent : ToCount(field, *value);
}

int64_t FieldDecoder::Count(std::string_view field, int64_t absent) {
  const api::Json* own = Lookup(field);
  const int64_t count = own == nullptr ? absent : ToCount(field, *own);
  return CountParameter(std::string(field) + "Param", count);
}

bool FieldDecoder::ParameterFlag(std::string_view field) {
  const bool own = Flag(field);
  const std::string name = std::string(field) + "Param";
  const api::Json* value = ParameterOf(name);
  if (value == nullptr) return own;
  if (!value->is_bool()) Refuse(name, fmt::format("{} is not true or false", Shown(*value)));
  return value->is_bool() && value->get_bool();
}

Duration FieldDecoder::ParameterDuration(std::string_view field) {
  std::string name(field);
  const api::Json* value = Lookup(field);
  if (const api::Json* parameter = ParameterOf(name + "Param")) {
    value = parameter;
    name += "Param";
  }
  if (value == nullptr) return {};
  const auto duration = ParseGoDuration(api::AsString(value));
  if (duration && *duration >= Duration{} && *duration <= kMaxDuration) return *duration;
  Refuse(name, fmt::format("{} is not a duration such as 10s, of at most a day", Shown(*value)));
  return {};
}

TemplateValues FieldDecoder::Values(std::string_view field) {
  TemplateValues values;
  const api::Json* given = Lookup(field);
  if (given == nullptr) return values;
  if (!given->is_object()) Refuse(field, fmt::format("{} is not an object", Shown(*given)));
  for (const auto& member : given->is_object() ? given->get_object() : kNoFields) {
    const std::string_view text = api::AsString(member.value());
    TemplateValue& value = values[std::string(member.key())];
    if (!text.starts_with('$')) {
      value = ToTemplateValue(member.value());
      continue;
    }
    const size_t bar = text.find('|');
    const std::string_view name = text.substr(1, bar == text.npos ? bar : bar - 1);
    const api::Json* parameter = parameters_ == nullptr ? nullptr : parameters_->Find(name);
    if (parameter != nullptr) {
      value = ToTemplateValue(*parameter);
    } else if (bar != text.npos) {
      const auto json = api::FirstDocumentToJson(text.substr(bar + 1));
      const auto parsed = json ? api::ParseJson(*json) : std::unexpected(json.error());
      if (parsed) value = ToTemplateValue(*parsed);
      if (!parsed) Refuse(field, fmt::format("{}: {}", text, parsed.error().message));
    } else {
      Refuse(field,
             fmt::format("parameter ${} is undefined; add it to the workload's params", name));
    }
  }
  return values;
}

}  // namespace berth::benchmark
