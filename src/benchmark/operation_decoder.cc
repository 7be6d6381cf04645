#include "benchmark/operation_decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "api/json/document.h"
#include "base/suggestion.h"
#include "benchmark/perf_config.h"

namespace berth::benchmark {
namespace {

using DefaultPod = std::optional<std::string>;

std::optional<TemplateFile> OptionalTemplate(FieldDecoder& fields, std::string_view field) {
  auto path = fields.OptionalText(field);
  if (!path) return std::nullopt;
  return TemplateFile{*std::move(path)};
}

TemplateFile RequiredTemplate(FieldDecoder& fields, std::string_view field) {
  TemplateFile file{fields.Text(field)};
  if (file.path.empty()) fields.Refuse(field, "must be set");
  return file;
}

void Require(FieldDecoder& fields, std::string_view field, const std::string& value) {
  if (value.empty()) fields.Refuse(field, "must be set");
}

// --- nodes ---

void ReadAllocatable(FieldDecoder& outer, const api::Json& json, CreateNodes& nodes) {
  FieldDecoder fields(json, "nodeAllocatableStrategy");
  NodeAllocatableStrategy strategy;
  strategy.node_allocatable = fields.TextMap("nodeAllocatable");
  strategy.migrated_plugins = fields.Texts("migratedPlugins");
  const api::Json* drivers = fields.Any("csiNodeAllocatable");
  if (const api::JsonObject* by_name = api::AsObject(drivers)) {
    for (const auto& member : *by_name) {
      FieldDecoder driver(member.value(), std::string(member.key()));
      std::optional<int64_t> count;
      if (api::At(member.value().if_object(), "count") != nullptr) count = driver.Count("count");
      strategy.csi_drivers.emplace(member.key(), count);
      if (auto done = driver.Finish(); !done) {
        fields.Refuse("csiNodeAllocatable", done.error().message);
      }
    }
  }
  if (auto done = fields.Finish(); !done) outer.Refuse("", done.error().message);
  nodes.strategy = std::move(strategy);
}

Operation ReadCreateNodes(FieldDecoder& fields, const DefaultPod&) {
  CreateNodes nodes;
  nodes.count = fields.Count("count");
  nodes.node = OptionalTemplate(fields, "nodeTemplatePath");
  TemplateValues values = fields.Values("templateParams");
  if (nodes.node) nodes.node->values = std::move(values);
  if (const api::Json* json = fields.Any("uniqueNodeLabelStrategy")) {
    FieldDecoder strategy(*json, "uniqueNodeLabelStrategy");
    nodes.strategy = UniqueLabelStrategy{strategy.Text("labelKey")};
    if (auto done = strategy.Finish(); !done) fields.Refuse("", done.error().message);
  }
  if (const api::Json* json = fields.Any("labelNodePrepareStrategy")) {
    FieldDecoder strategy(*json, "labelNodePrepareStrategy");
    LabelNodeStrategy label{strategy.Text("labelKey"), strategy.Texts("labelValues")};
    if (label.values.empty()) strategy.Refuse("labelValues", "must not be empty");
    if (auto done = strategy.Finish(); !done) fields.Refuse("", done.error().message);
    nodes.strategy = std::move(label);
  }
  if (const api::Json* json = fields.Any("nodeAllocatableStrategy")) {
    ReadAllocatable(fields, *json, nodes);
  }
  return nodes;
}

Operation ReadCreateNamespaces(FieldDecoder& fields, const DefaultPod&) {
  CreateNamespaces namespaces;
  namespaces.prefix = fields.Text("prefix");
  namespaces.count = fields.Count("count");
  namespaces.object = OptionalTemplate(fields, "namespaceTemplatePath");
  Require(fields, "prefix", namespaces.prefix);
  return namespaces;
}

// --- pods ---

Operation ReadCreatePods(FieldDecoder& fields, const DefaultPod& default_pod) {
  CreatePods pods;
  pods.count = fields.Count("count");
  const int64_t multiplier = fields.CountParameter("countMultiplierParam", 1);
  if (multiplier != 1 && pods.count > kMaxCount / std::max<int64_t>(multiplier, 1)) {
    fields.Refuse("countMultiplierParam", fmt::format("more than {} pods", kMaxCount));
  }
  pods.count *= multiplier;
  pods.steady_state = fields.ParameterFlag("steadyState");
  pods.duration = fields.ParameterDuration("duration");
  pods.collect_metrics = fields.Flag("collectMetrics");
  pods.namespace_ = fields.OptionalText("namespace");
  pods.pod = OptionalTemplate(fields, "podTemplatePath");
  if (!pods.pod && default_pod) pods.pod = TemplateFile{*default_pod};
  TemplateValues values = fields.Values("templateParams");
  if (pods.pod) pods.pod->values = std::move(values);
  pods.skip_wait = fields.Flag("skipWaitToCompletion");
  pods.volume = OptionalTemplate(fields, "persistentVolumeTemplatePath");
  pods.volume_claim = OptionalTemplate(fields, "persistentVolumeClaimTemplatePath");
  pods.signature_batch = fields.Count("signatureBatchSize");
  if (pods.collect_metrics && pods.skip_wait) {
    fields.Refuse("", "collectMetrics and skipWaitToCompletion cannot be true at the same time");
  }
  if (pods.skip_wait && pods.steady_state) {
    fields.Refuse("", "skipWaitToCompletion and steadyState cannot be true at the same time");
  }
  if (pods.steady_state && pods.duration <= Duration{}) {
    fields.Refuse("duration", "must be positive in a steady state");
  }
  if (pods.steady_state && pods.count == 0) fields.Refuse("count", "must be positive");
  if (pods.volume_claim && !pods.volume) {
    fields.Refuse("persistentVolumeTemplatePath", "must be set with its claim");
  }
  return pods;
}

Operation ReadDeletePods(FieldDecoder& fields, const DefaultPod&) {
  DeletePods deletion;
  deletion.namespace_ = fields.Text("namespace");
  deletion.labels = fields.Labels("labelSelector");
  deletion.skip_wait = fields.Flag("skipWaitToCompletion");
  deletion.per_second = fields.Count("deletePodsPerSecond");
  Require(fields, "namespace", deletion.namespace_);
  return deletion;
}

Operation ReadChurn(FieldDecoder& fields, const DefaultPod&) {
  constexpr int64_t kDefaultMillis = 500;
  Churn churn;
  const std::string mode = fields.Text("mode");
  churn.recreate = mode == "recreate";
  if (mode != "recreate" && mode != "create") {
    fields.Refuse("mode", fmt::format("\"{}\" is neither create nor recreate", mode));
  }
  churn.number = fields.Count("number");
  const int64_t millis = fields.Count("intervalMilliseconds");
  churn.interval = Duration::Millis(millis == 0 ? kDefaultMillis : millis);
  churn.namespace_ = fields.OptionalText("namespace");
  for (std::string& path : fields.Texts("templatePaths"))
    churn.objects.push_back({std::move(path)});
  if (churn.recreate && churn.number == 0) fields.Refuse("number", "must be positive in recreate");
  if (churn.objects.empty()) fields.Refuse("templatePaths", "must not be empty");
  return churn;
}

Operation ReadBarrier(FieldDecoder& fields, const DefaultPod&) {
  Barrier barrier;
  barrier.namespaces = fields.Texts("namespaces");
  barrier.labels = fields.Labels("labelSelector");
  const std::string stage = fields.Text("stageRequirement");
  barrier.attempted = stage == "Attempted";
  if (!barrier.attempted && !stage.empty() && stage != "Scheduled") {
    fields.Refuse("stageRequirement",
                  fmt::format("\"{}\" is neither Scheduled nor Attempted", stage));
  }
  return barrier;
}

Operation ReadSleep(FieldDecoder& fields, const DefaultPod&) {
  return Sleep{fields.ParameterDuration("duration")};
}

// --- measuring ---

Operation ReadStartCollecting(FieldDecoder& fields, const DefaultPod&) {
  StartCollecting start{fields.Text("name"), fields.Texts("namespaces"),
                        fields.Labels("labelSelector")};
  if (start.namespaces.empty()) fields.Refuse("namespaces", "must not be empty");
  return start;
}

Operation ReadStopCollecting(FieldDecoder&, const DefaultPod&) { return StopCollecting{}; }

Operation ReadProfile(FieldDecoder& fields, const DefaultPod&) {
  fields.Text("type");
  fields.Text("filePath");
  return Ignored{};
}

// --- other objects ---

Operation ReadCreateAny(FieldDecoder& fields, const DefaultPod&) {
  CreateAny create{fields.Text("namespace"), RequiredTemplate(fields, "templatePath"),
                   fields.Count("count", 1)};
  create.object.values = fields.Values("templateParams");
  return create;
}

Operation ReadUpdateAny(FieldDecoder& fields, const DefaultPod&) {
  UpdateAny update;
  update.namespace_ = fields.Text("namespace");
  update.object = RequiredTemplate(fields, "templatePath");
  update.object.values = fields.Values("templateParams");
  update.count = fields.Count("count", 1);
  update.per_second = fields.Count("updatePerSecond");
  update.subresources = fields.Texts("subresources");
  return update;
}

Operation ReadCreateResourceClaims(FieldDecoder& fields, const DefaultPod&) {
  CreateResourceClaims claims{fields.Text("namespace"), RequiredTemplate(fields, "templatePath"),
                              fields.Count("count")};
  Require(fields, "namespace", claims.namespace_);
  return claims;
}

Operation ReadCreateResourceDriver(FieldDecoder& fields, const DefaultPod&) {
  CreateResourceDriver driver{fields.Text("driverName"), fields.Text("nodes"),
                              fields.Count("maxClaimsPerNode")};
  Require(fields, "driverName", driver.driver);
  Require(fields, "nodes", driver.nodes);
  return driver;
}

Operation ReadAllocResourceClaims(FieldDecoder& fields, const DefaultPod&) {
  return AllocResourceClaims{fields.Text("namespace")};
}

// As any other object: whether there are pod groups, the API server knows.
Operation ReadCreatePodGroups(FieldDecoder& fields, const DefaultPod&) {
  CreateAny groups{fields.Text("namespace"), RequiredTemplate(fields, "templatePath"),
                   fields.Count("count")};
  groups.object.values = fields.Values("templateParams");
  Require(fields, "namespace", groups.namespace_);
  if (groups.count == 0) fields.Refuse("count", "must be positive");
  return groups;
}

struct NamedOpcode {
  std::string_view name;
  Operation (*read)(FieldDecoder& fields, const DefaultPod& default_pod);
};
constexpr auto kOpcodes = std::to_array<NamedOpcode>({
    {"allocResourceClaims", ReadAllocResourceClaims},
    {"barrier", ReadBarrier},
    {"churn", ReadChurn},
    {"createAny", ReadCreateAny},
    {"createNamespaces", ReadCreateNamespaces},
    {"createNodes", ReadCreateNodes},
    {"createPodGroups", ReadCreatePodGroups},
    {"createPods", ReadCreatePods},
    {"createResourceClaims", ReadCreateResourceClaims},
    {"createResourceDriver", ReadCreateResourceDriver},
    {"deletePods", ReadDeletePods},
    {"sleep", ReadSleep},
    {"startCollectingMetrics", ReadStartCollecting},
    {"startCollectingProfile", ReadProfile},
    {"stopCollectingMetrics", ReadStopCollecting},
    {"stopCollectingProfile", ReadProfile},
    {"updateAny", ReadUpdateAny},
});
constexpr std::string_view kPodSets = "createPodSets";

void RefuseOpcode(FieldDecoder& fields, const std::string& opcode) {
  Suggestion suggestion(opcode);
  for (const NamedOpcode& known : kOpcodes) suggestion.Consider(known.name);
  suggestion.Consider(kPodSets);
  fields.Refuse("opcode", fmt::format("unknown opcode \"{}\"{}", opcode, suggestion.Text()));
}

// A set of pods is one createPods operation in each of the namespaces prefix-0, prefix-1, ...
Result<std::vector<Operation>> ReadPodSets(FieldDecoder& fields, const std::string& where,
                                           Parameters& parameters, const DefaultPod& default_pod) {
  const int64_t count = fields.Count("count");
  const std::string prefix = fields.Text("namespacePrefix");
  const api::Json* each = fields.Any("createPodsOp");
  Require(fields, "namespacePrefix", prefix);
  if (each == nullptr) fields.Refuse("createPodsOp", "must be set");
  if (count > static_cast<int64_t>(kMaxOperations)) {
    fields.Refuse("count", fmt::format("more than {} sets", kMaxOperations));
  }
  if (auto done = fields.Finish(); !done) return std::unexpected(done.error());
  auto decoded = DecodeOperations(*each, where + ": createPodsOp", parameters, default_pod);
  if (!decoded) return decoded;
  auto* pods = decoded->size() == 1 ? std::get_if<CreatePods>(&decoded->front()) : nullptr;
  if (pods == nullptr) return Fail(where + ": createPodsOp: opcode: must be createPods");
  std::vector<Operation> operations;
  for (int64_t i = 0; i < count; ++i) {
    pods->namespace_ = fmt::format("{}-{}", prefix, i);
    operations.emplace_back(*pods);
  }
  return operations;
}

}  // namespace

Result<std::vector<Operation>> DecodeOperations(const api::Json& json, const std::string& where,
                                                Parameters& parameters,
                                                const DefaultPod& default_pod) {
  FieldDecoder fields(json, where, &parameters);
  const std::string opcode = fields.Text("opcode");
  if (opcode == kPodSets) return ReadPodSets(fields, where, parameters, default_pod);
  std::vector<Operation> operations;
  for (const NamedOpcode& known : kOpcodes) {
    if (known.name == opcode) operations.push_back(known.read(fields, default_pod));
  }
  if (operations.empty()) RefuseOpcode(fields, opcode);
  if (auto done = fields.Finish(); !done) return std::unexpected(done.error());
  return operations;
}

}  // namespace berth::benchmark
