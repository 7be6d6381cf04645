#include "scheduler/config/load.h"

#include <fmt/format.h>

#include "api/json/yaml.h"
#include "scheduler/config/configuration.h"
#include "scheduler/config/defaults.h"
#include "scheduler/config/field_codec.h"
#include "scheduler/config/validate.h"

namespace berth::scheduler::config {
namespace {

using Problems = std::vector<std::string>;

constexpr std::string_view kInternalVersion = "kubescheduler.config.k8s.io/__internal";

struct TypeMeta {
  std::string api_version;
  std::string kind;
};

Result<TypeMeta> ReadTypeMeta(const StrictJson& json) {
  TypeMeta meta;
  if (json.IsNull()) return meta;
  const auto fail = [](std::string_view why) {
    return Fail(fmt::format("couldn't get version/kind; json parse error: {}", why));
  };
  if (json.kind != StrictJson::Kind::kObject) {
    return fail(fmt::format("json: cannot unmarshal {} into an object", ToString(json.kind)));
  }
  DecodeProblems problems;
  for (const auto& [name, field] :
       {std::pair("apiVersion", &meta.api_version), std::pair("kind", &meta.kind)}) {
    if (const StrictJson* value = json.Find(name))
      Read(*value, api::FieldPath{name}, *field, problems);
  }
  if (!problems.values.empty()) return fail(problems.values.front());
  return meta;
}

std::string NotRegistered(const TypeMeta& meta) {
  return fmt::format("no kind \"{}\" is registered for version \"{}\"", meta.kind,
                     meta.api_version);
}

bool IsArgsKind(std::string_view kind) {
  bool found = false;
  ForEachArgsKind([&](std::string_view plugin, auto) {
    found = found || kind == std::string(plugin) + "Args";
  });
  return found;
}

// Checks that the document is a configuration of a supported version.
Status CheckType(const TypeMeta& meta) {
  if (meta.kind.empty()) return Fail("Object 'Kind' is missing");
  if (meta.api_version.empty()) return Fail("Object 'apiVersion' is missing");
  const bool is_known_version =
      meta.api_version == kApiVersion || meta.api_version == kInternalVersion;
  if (is_known_version && meta.kind == kKind) return {};
  if (is_known_version && IsArgsKind(meta.kind)) {
    return Fail(fmt::format("couldn't decode as {}, got {}, Kind={}: ", kKind, meta.api_version,
                            meta.kind));
  }
  return Fail(NotRegistered(meta));
}

Problems AllOf(DecodeProblems problems) {
  Problems all = std::move(problems.values);
  for (const std::string& problem : problems.strict) {
    all.push_back("strict decoding error: " + problem);
  }
  return all;
}

template <typename T>
void ReadTypedObject(const StrictJson& json, T& out, DecodeProblems& problems) {
  FieldReader reader(json, api::FieldPath{}, problems);
  reader.Ignore("apiVersion");
  reader.Ignore("kind");
  Fields(reader, out);
  reader.Finish();
}

// kube-scheduler's internal version has no defaults and, in Berth, no fields.
std::expected<Configuration, Problems> DecodeInternal(const StrictJson& json,
                                                      const model::Features& features) {
  DecodeProblems problems;
  FieldReader reader(json, api::FieldPath{}, problems);
  reader.Ignore("apiVersion");
  reader.Ignore("kind");
  reader.Finish();
  if (!problems.strict.empty()) return std::unexpected(AllOf(std::move(problems)));
  Configuration zero;
  zero.features = features;
  zero.parallelism = 0;
  zero.leader_election = {.leader_elect = false,
                          .lease_duration = {},
                          .renew_deadline = {},
                          .retry_period = {},
                          .resource_lock = "",
                          .resource_name = "",
                          .resource_namespace = ""};
  zero.client_connection = {
      .kubeconfig = "", .accept_content_types = "", .content_type = "", .qps = 0, .burst = 0};
  zero.enable_profiling = false;
  zero.percentage_of_nodes_to_score.reset();
  zero.pod_initial_backoff_seconds = 0;
  zero.pod_max_backoff_seconds = 0;
  return zero;
}

// apiVersion and kind of arguments are optional, but must match if present.
Status CheckArgsType(const StrictJson& json, const std::string& plugin) {
  auto meta = ReadTypeMeta(json);
  if (!meta) return Fail("decoding args for plugin " + plugin + ": " + meta.error().message);
  const std::string wanted = plugin + "Args";
  if (meta->kind.empty()) meta->kind = wanted;
  if (meta->api_version.empty()) meta->api_version = kApiVersion;
  if (meta->api_version != kApiVersion || (meta->kind != wanted && !IsArgsKind(meta->kind))) {
    return Fail("decoding args for plugin " + plugin + ": " + NotRegistered(*meta));
  }
  if (meta->kind == wanted) return {};
  return Fail(fmt::format("args for plugin {} were not of type {}.{}, got {}.{}", plugin, wanted,
                          kGroup, meta->kind, kGroup));
}

// Replaces the JSON in `config.args` by the plugin's struct, or by its text if the plugin is
// unknown.
void DecodeArgs(PluginConfig& config, const api::FieldPath& path, DecodeProblems& problems) {
  const auto* held = std::any_cast<StrictJson>(&config.args);
  const StrictJson json = held == nullptr ? StrictJson() : *held;
  const bool is_known = WithArgsKind(config.name, [&]<typename Args>(std::type_identity<Args>) {
    const std::string where = "decoding ." + path.text + ": ";
    Args args;
    DecodeProblems inner;
    if (Status type = CheckArgsType(json, config.name); !type) {
      problems.values.push_back(where + type.error().message);
    } else {
      ReadTypedObject(json, args, inner);
    }
    const std::string what = where + "decoding args for plugin " + config.name + ": ";
    for (const std::string& problem : inner.values) problems.values.push_back(what + problem);
    for (const std::string& problem : inner.strict) problems.strict.push_back(what + problem);
    config.args = std::move(args);
  });
  if (is_known) return;
  config.args =
      json.IsNull() ? framework::PluginArgs() : framework::PluginArgs(std::string(json.raw));
}

}  // namespace

std::expected<Configuration, Problems> Decode(std::string_view text,
                                              const model::Features& features) {
  const auto fail = [](const Error& error) { return std::unexpected(Problems{error.message}); };
  const Result<std::string> document = api::FirstDocumentToJson(text);
  if (!document) return fail(document.error());
  const Result<StrictJson> json = ParseStrictJson(*document);
  if (!json) return fail(Error{"json parse error: " + json.error().message});
  const Result<TypeMeta> meta = ReadTypeMeta(*json);
  if (!meta) return fail(meta.error());
  if (const Status type = CheckType(*meta); !type) return fail(type.error());
  if (meta->api_version == kInternalVersion) return DecodeInternal(*json, features);

  Configuration configuration;
  configuration.features = features;
  DecodeProblems problems;
  ReadTypedObject(*json, configuration, problems);
  for (size_t i = 0; i < configuration.profiles.size(); ++i) {
    std::vector<PluginConfig>& configs = configuration.profiles[i].plugin_config;
    for (size_t j = 0; j < configs.size(); ++j) {
      DecodeArgs(configs[j], (api::FieldPath{"profiles"}[i] / "pluginConfig")[j], problems);
    }
  }
  Problems all = AllOf(std::move(problems));
  if (!all.empty()) return std::unexpected(std::move(all));
  ApplyDefaults(configuration);
  return configuration;
}

namespace {

std::unexpected<Error> FailWith(std::string_view file, const std::vector<std::string>& problems) {
  std::string message;
  for (const std::string& problem : problems) {
    if (!message.empty()) message += '\n';
    message += std::string(file) + ": " + problem;
  }
  return Fail(std::move(message));
}

}  // namespace

Result<Configuration> Load(std::string_view text, std::string_view file,
                           const model::Features& features) {
  auto configuration = Decode(text, features);
  if (!configuration) return FailWith(file, configuration.error());
  const std::vector<std::string> errors = Validate(*configuration);
  if (!errors.empty()) return FailWith(file, errors);
  return *std::move(configuration);
}

}  // namespace berth::scheduler::config
