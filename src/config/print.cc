#include "config/print.h"

#include <charconv>
#include <cmath>

#include "config/base64.h"
#include "config/field_writer.h"
#include "base/go_duration.h"

namespace berth::config {
namespace {

JsonValue TypedObject(std::string_view kind) {
  JsonValue object = JsonValue::Object();
  object.Add("apiVersion", JsonValue::String(kApiVersion));
  object.Add("kind", JsonValue::String(kind));
  return object;
}

}  // namespace

JsonValue ToJson(float number) {
  // The shortest text that reads back as the same number; in digits alone as far as they are exact.
  const float size = std::fabs(number);
  const bool is_plain = size == 0 || (size >= 1e-6F && size < 1e7F);
  char text[64];
  const auto format = is_plain ? std::chars_format::fixed : std::chars_format::scientific;
  const auto end = std::to_chars(text, text + sizeof(text), number, format).ptr;
  return JsonValue::Number(std::string(text, end));
}

JsonValue ToJson(Duration duration) { return JsonValue::String(FormatGoDuration(duration)); }

JsonValue ToJson(const Bytes& bytes) { return JsonValue::String(EncodeBase64(bytes.bytes)); }

JsonValue ArgsToJson(const PluginArgs& args) {
  JsonValue json;
  const bool is_known = VisitArgs(args, [&](std::string_view plugin, const auto& held) {
    json = TypedObject(std::string(plugin) + "Args");
    FieldWriter writer(json);
    Fields(writer, held);
  });
  if (is_known) return json;
  const auto* raw = std::any_cast<std::string>(&args);
  return raw == nullptr ? json : ParseJson(*raw).value_or(JsonValue());
}

JsonValue ToJson(const Configuration& configuration) {
  JsonValue object = TypedObject(kKind);
  FieldWriter writer(object);
  Fields(writer, configuration);
  return object;
}

std::string ToJsonText(const Configuration& configuration) {
  return ToJsonText(ToJson(configuration));
}

std::string ToYaml(const Configuration& configuration) { return ToYamlText(ToJson(configuration)); }

}  // namespace berth::config
