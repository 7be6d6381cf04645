#include "scheduler/config/print.h"

#include <charconv>
#include <cmath>

#include "base/base64.h"
#include "base/go_duration.h"
#include "scheduler/config/field_codec.h"

namespace berth::scheduler::config {
namespace {

api::JsonValue TypedObject(std::string_view kind) {
  api::JsonValue object = api::JsonValue::Object();
  object.Add("apiVersion", api::JsonValue::String(kApiVersion));
  object.Add("kind", api::JsonValue::String(kind));
  return object;
}

}  // namespace

api::JsonValue ToJson(float number) {
  // The shortest text that reads back as the same number, without an exponent as far as digits are
  // exact.
  const float size = std::fabs(number);
  const bool is_plain = size == 0 || (size >= 1e-6F && size < 1e7F);
  char text[64];
  const auto format = is_plain ? std::chars_format::fixed : std::chars_format::scientific;
  const auto end = std::to_chars(text, text + sizeof(text), number, format).ptr;
  return api::JsonValue::Number(std::string(text, end));
}

api::JsonValue ToJson(Duration duration) {
  return api::JsonValue::String(FormatGoDuration(duration));
}

api::JsonValue ToJson(const framework::Bytes& bytes) {
  return api::JsonValue::String(EncodeBase64(bytes.bytes));
}

api::JsonValue ArgsToJson(const framework::PluginArgs& args) {
  api::JsonValue json;
  const bool is_known = VisitArgs(args, [&](std::string_view plugin, const auto& held) {
    json = TypedObject(std::string(plugin) + "Args");
    FieldWriter writer(json);
    Fields(writer, held);
  });
  if (is_known) return json;
  const auto* raw = std::any_cast<std::string>(&args);
  return raw == nullptr ? json : api::ParseJson(*raw).value_or(api::JsonValue());
}

api::JsonValue ToJson(const Configuration& configuration) {
  api::JsonValue object = TypedObject(kKind);
  FieldWriter writer(object);
  Fields(writer, configuration);
  return object;
}

std::string ToJsonText(const Configuration& configuration) {
  return ToJsonText(ToJson(configuration));
}

std::string ToYaml(const Configuration& configuration) {
  return api::ToYamlText(ToJson(configuration));
}

}  // namespace berth::scheduler::config
