#include "cmd/why_cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <utility>
#include <variant>

#include "api/json/document.h"
#include "api/json/parse.h"
#include "api/json/yaml.h"
#include "api/scheme/scheme.h"
#include "base/suggestion.h"
#include "base/terminal.h"
#include "cmd/config_command.h"
#include "cmd/feature_gate_flag.h"
#include "cmd/manifests.h"
#include "cmd/object_files.h"
#include "cmd/progress_line.h"
#include "cmd/schedule_cluster.h"
#include "explain/workload.h"
#include "scheduler/config/engine_options.h"
#include "scheduler/config/validate.h"
#include "scheduler/model/cluster.h"

namespace berth::cmd {
namespace {

void WhyNote(std::string_view text) { PrintError("berth why: note: {}\n", text); }

api::ObjectKey KeyOfPod(const api::Ref<api::Pod>& pod) {
  return {pod->metadata.namespace_, pod->metadata.name};
}

}  // namespace

Result<std::unique_ptr<WhyCluster>> WhyCluster::Read(
    const WhySource& source, const scheduler::framework::Registry& registry) {
  std::unique_ptr<WhyCluster> cluster(new WhyCluster);
  Status status = cluster->MakeEngine(source, registry);
  if (status)
    status = source.files.empty() ? cluster->ReadLive(source) : cluster->ReadFiles(source);
  if (!status) return std::unexpected(status.error());
  return cluster;
}

Status WhyCluster::MakeEngine(const WhySource& source,
                              const scheduler::framework::Registry& registry) {
  const auto features = ReadFeatureGates(source.feature_gates, "berth why");
  if (!features) return std::unexpected(features.error());
  features_ = *features;
  const auto loaded = LoadConfiguration(source.config_file, registry, features_);
  if (!loaded) return std::unexpected(loaded.error());
  for (const std::string& note : scheduler::config::Warnings(*loaded->completed)) {
    WhyNote(fmt::format("{}: {}", source.config_file, note));
  }
  auto options = scheduler::config::ToEngineOptions(*loaded->completed);
  if (!options) return std::unexpected(options.error());
  if (!options->extenders.empty()) WhyNote("extenders are not called");
  options->extenders.clear();
  features_ = options->features;
  profile_ = options->profiles.front().scheduler_name;
  auto engine = scheduler::engine::Engine::Make(*options, registry);
  if (!engine) return std::unexpected(engine.error());
  engine_ = *std::move(engine);
  return {};
}

Status WhyCluster::ReadFiles(const WhySource& source) {
  namespace_ = source.namespace_.empty() ? "default" : source.namespace_;
  auto manifests = ReadManifests(source.files, FieldCheck::kStrict);
  if (!manifests) return std::unexpected(manifests.error());
  if (const std::string skipped = manifests->SkippedText(); !skipped.empty()) WhyNote(skipped);
  auto read = MakeCluster(*std::move(manifests), features_, nullptr, nullptr);
  if (!read) return std::unexpected(read.error());
  for (const std::string& note : read->notes) WhyNote(note);
  now_ = read->start + Duration::Seconds(1);
  refusals_ = std::move(read->refusals);
  Deliver(read->objects);
  for (const api::Object& object : read->objects) {
    const auto* pod = std::get_if<api::Ref<api::Pod>>(&object);
    if (pod == nullptr) continue;
    const std::string& phase = (*pod)->status.phase;
    if (phase == "Succeeded" || phase == "Failed") finished_.emplace(KeyOfPod(*pod), *pod);
  }
  return ReadRaw(source.files);
}

Status WhyCluster::ReadRaw(const std::vector<std::string>& files) {
  const auto add = [this](api::Json& document) {
    api::JsonObject* object = document.if_object();
    if (object == nullptr) return;
    api::JsonArray* items = api::ArrayAt(object, "items");
    if (items == nullptr) return raw_.push_back(std::move(*object));
    for (api::Json& item : *items) {
      if (item.is_object()) raw_.push_back(std::move(item.get_object()));
    }
  };
  for (const std::string& path : files) {
    const auto within = ObjectFilesIn(path);
    if (!within) return std::unexpected(within.error());
    for (const std::string& file : *within) {
      if (file == "-") continue;  // It is read once.
      const auto text = ReadText(file);
      if (!text) return std::unexpected(text.error());
      const Status status =
          api::ForEachDocument(*text, [&](const api::DocumentText& document) -> Status {
            auto parsed = api::ParseJson(document.json);
            if (parsed) add(*parsed);
            return {};
          });
      if (!status) return status;
    }
  }
  return {};
}

Status WhyCluster::ReadLive(const WhySource& source) {
  const std::string file = source.kubeconfig.empty() ? DefaultKubeconfig() : source.kubeconfig;
  auto live = LiveCluster::Make(file, source.context);
  if (!live) return std::unexpected(live.error());
  live_ = *std::move(live);
  namespace_ = source.namespace_.empty() ? live_->default_namespace() : source.namespace_;
  ProgressLine line;
  auto readable =
      live_->ListReadable(features_, namespace_, [&](std::string_view resource, size_t objects) {
        line.Show(fmt::format("reading {}: {}", resource, objects));
      });
  if (!readable) return std::unexpected(readable.error());
  for (const std::string& note : readable->notes) WhyNote(note);
  left_out_ = std::move(readable->left_out);
  now_ = SystemClock().Now();
  Deliver(readable->objects);
  return {};
}

// Pods last: what they refer to is known then.
void WhyCluster::Deliver(const std::vector<api::Object>& objects) {
  for (const bool pods : {false, true}) {
    for (const api::Object& object : objects) {
      if (std::holds_alternative<api::Ref<api::Pod>>(object) != pods) continue;
      engine_->Handle(scheduler::engine::ObjectPut{object}, now_);
    }
  }
}

Result<api::Ref<api::Pod>> WhyCluster::FindPod(const std::string& name) {
  const scheduler::model::Cluster& cluster = engine_->cluster();
  const auto id = cluster.pods().Find(namespace_, name);
  if (id.valid()) return cluster.pod(id).object;
  if (live_ != nullptr) {
    // Finished pods are not listed.
    auto found = live_->GetPod({namespace_, name});
    if (!found) return std::unexpected(found.error());
    if (*found) return **found;
  }
  const auto finished = finished_.find({namespace_, name});
  if (finished != finished_.end()) return finished->second;
  Suggestion suggestion(name);
  cluster.pods().ForEach([&](const scheduler::model::PodRecord& pod) {
    if (pod.object->metadata.namespace_ == namespace_) {
      suggestion.Consider(pod.object->metadata.name);
    }
  });
  return Fail(fmt::format("pod \"{}\" not found in namespace \"{}\"{}", name, namespace_,
                          suggestion.Text()));
}

Result<std::vector<api::Ref<api::Pod>>> WhyCluster::PodsOf(const std::string& kind,
                                                           const std::string& api_version,
                                                           const std::string& name) {
  const scheduler::model::Cluster& cluster = engine_->cluster();
  std::vector<api::Ref<api::Pod>> pods;
  cluster.pods().ForEach([&](const scheduler::model::PodRecord& pod) {
    if (explain::BelongsTo(cluster, *pod.object, kind, {namespace_, name})) {
      pods.push_back(pod.object);
    }
  });
  std::ranges::sort(pods, {}, KeyOfPod);
  if (!pods.empty()) return pods;
  const auto* scheme_kind = api::scheme::FindKindByName(api_version, kind);
  if (live_ != nullptr && scheme_kind != nullptr) {
    const auto exists = live_->Has(*scheme_kind, {namespace_, name});
    if (!exists) return std::unexpected(exists.error());
    if (!*exists) {
      return Fail(fmt::format("{} \"{}\" not found in namespace \"{}\"", kind, name, namespace_));
    }
  }
  return Fail(fmt::format("{} \"{}\" in namespace \"{}\" has no pods that have not finished", kind,
                          name, namespace_));
}

std::vector<api::Ref<api::Pod>> WhyCluster::Pending(const std::string& in_namespace) const {
  std::vector<api::Ref<api::Pod>> pods;
  engine_->cluster().pods().ForEach([&](const scheduler::model::PodRecord& pod) {
    const api::ObjectMeta& meta = pod.object->metadata;
    if (!pod.object->spec.node_name.empty() || meta.deletion_timestamp) return;
    if (in_namespace.empty() || in_namespace == meta.namespace_) pods.push_back(pod.object);
  });
  std::ranges::sort(pods, {}, KeyOfPod);
  return pods;
}

std::vector<api::Ref<api::Pod>> WhyCluster::PodsIn(const std::string& namespace_name) const {
  std::vector<api::Ref<api::Pod>> pods;
  engine_->cluster().pods().ForEach([&](const scheduler::model::PodRecord& pod) {
    if (pod.object->metadata.namespace_ == namespace_name) pods.push_back(pod.object);
  });
  std::ranges::sort(pods, {}, KeyOfPod);
  return pods;
}

}  // namespace berth::cmd
