#include "scheduler/config/print.h"

#include <charconv>
#include <cmath>

#include "api/json/parse.h"
#include "api/json/writer.h"
#include "api/json/yaml_writer.h"
#include "base/base64.h"
#include "base/go_duration.h"
#include "scheduler/config/field_codec.h"

namespace berth::scheduler::config {
namespace {

api::JsonObject TypedObject(std::string_view kind) {
  return {{"apiVersion", kApiVersion}, {"kind", kind}};
}

}  // namespace

api::Json ToJson(float number) {
  // The double that has the shortest text of the float: 0.1, not 0.10000000149011612.
  char text[64];
  const auto end = std::to_chars(text, text + sizeof(text), number).ptr;
  double wide = 0;
  std::from_chars(text, end, wide);
  constexpr double kExact = 1e15;
  const bool is_whole = std::fabs(wide) < kExact && wide == std::trunc(wide);
  return is_whole ? api::Json(static_cast<int64_t>(wide)) : api::Json(wide);
}

api::Json ToJson(Duration duration) { return api::Json(FormatGoDuration(duration)); }

api::Json ToJson(const framework::Bytes& bytes) { return api::Json(EncodeBase64(bytes.bytes)); }

api::Json ArgsToJson(const framework::PluginArgs& args) {
  api::JsonObject json;
  const bool is_known = VisitArgs(args, [&](std::string_view plugin, const auto& held) {
    json = TypedObject(std::string(plugin) + "Args");
    FieldWriter writer(json);
    Fields(writer, held);
  });
  if (is_known) return json;
  const auto* raw = std::any_cast<std::string>(&args);
  return raw == nullptr ? api::Json() : api::ParseJson(*raw).value_or(api::Json());
}

api::Json ToJson(const Configuration& configuration) {
  api::JsonObject object = TypedObject(kKind);
  FieldWriter writer(object);
  Fields(writer, configuration);
  return object;
}

std::string ToJsonText(const Configuration& configuration) {
  return api::ToJsonText(ToJson(configuration));
}

std::string ToYaml(const Configuration& configuration) {
  return api::ToYamlText(ToJson(configuration));
}

}  // namespace berth::scheduler::config
