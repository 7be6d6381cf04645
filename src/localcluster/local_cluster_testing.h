// Scenario is a world for tests: a store in memory, a clock that moves when told, YAML in and short
// summaries out. Pods are placed by the simplest of schedulers.
#pragma once

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "api/json/yaml.h"
#include "apiserver/registry/api_testing.h"
#include "localcluster/local_cluster.h"
#include "localcluster/object_json.h"
#include "localcluster/pod_index.h"

namespace berth::localcluster {

struct Scenario : apiserver::registry::ApiFixture {
  explicit Scenario(LocalClusterOptions options = {}) : world(api, clock, options) {}

  // Creates all objects of the text, or replaces the specs of those that are there.
  void Apply(std::string_view yaml) {
    const auto documents = api::YamlToJson(yaml);
    ASSERT_TRUE(documents) << documents.error().message;
    for (const std::string& text : *documents) {
      const Json document = apiserver::registry::Doc(text);
      const JsonObject* fields = document.if_object();
      const Kind* kind =
          api::scheme::FindKindByName(StringAt(fields, "apiVersion"), StringAt(fields, "kind"));
      ASSERT_TRUE(kind) << text;
      std::string namespace_(StringAt(ObjectAt(fields, "metadata"), "namespace"));
      if (namespace_.empty() && kind->namespaced) namespace_ = "default";
      const auto made = api.Create(*kind, namespace_, document);
      if (!made && made.error().code == 409) {
        const std::string name(StringAt(ObjectAt(fields, "metadata"), "name"));
        const auto changed = api.Patch(*kind, {namespace_, name}, "",
                                       apiserver::patch::PatchType::kStrategic, document);
        ASSERT_EQ(apiserver::registry::ErrorOf(changed), "ok") << text;
      } else {
        ASSERT_EQ(apiserver::registry::ErrorOf(made), "ok") << text;
      }
    }
    Run();
  }
  void AddNodes(int count, std::string_view cpu = "4", std::string_view pods = "110") {
    for (int i = 0; i < count; ++i) {
      Make("nodes", fmt::format("{{'metadata':{{'name':'node-{}'}},'status':{{'capacity':"
                                "{{'cpu':'{}','memory':'16Gi','pods':'{}'}}}}}}",
                                i, cpu, pods));
    }
    Run();
  }

  // Everything that happens now, placing pods included.
  void Run() {
    do {
      world.RunUntilIdle();
    } while (places_pods && SchedulePods());
  }
  // Lets time pass, from one timer to the next.
  void AdvanceTime(Duration time) {
    const Instant end = clock.Now() + time;
    for (;;) {
      Run();
      const auto due = world.NextDue();
      if (!due || *due > end) break;
      clock.Advance(*due - clock.Now());
    }
    clock.Advance(end - clock.Now());
    Run();
  }
  void AdvanceSeconds(int64_t seconds) { AdvanceTime(Duration::Seconds(seconds)); }

  // Puts each pod that waits on the next node in turn that takes pods, or on the one it asks for.
  bool SchedulePods() {
    std::vector<std::string> open;
    for (const apiserver::store::ObjectPtr& node : store->List(Nodes().collection, {}).objects) {
      const Json document = apiserver::store::Parse(*node);
      const JsonObject* spec = ObjectAt(AsObject(document), "spec");
      if (!BoolAt(spec, "unschedulable") && EmptyAt(spec, "taints")) open.push_back(node->key.name);
    }
    bool placed = false;
    for (const apiserver::store::ObjectPtr& object : store->List(Pods().collection, {}).objects) {
      if (!object->fields[0].empty() || open.empty()) continue;
      PodIndex index;
      const Json document = apiserver::store::Parse(*object);
      index.Put(object, document.get_object());
      const std::string& target = index.Find(object->key)->target;
      const std::string node = target.empty() ? open[next_node++ % open.size()] : target;
      Json binding = apiserver::registry::Doc("{'target':{'kind':'Node'}}");
      SetString(binding.at("target").get_object(), "name", node);
      placed |= api.Bind(object->key, binding).has_value();
    }
    return placed;
  }

  // "3 web-* Running" for pods alike; what names generate is a star, "!" a deletion under way and
  // "?" one that is not ready.
  std::string ShowPods(const std::string& namespace_ = "default") const {
    std::map<std::string, int> alike;
    apiserver::store::ListQuery query;
    query.namespace_ = namespace_;
    for (const apiserver::store::ObjectPtr& object :
         store->List(Pods().collection, query).objects) {
      const Json document = apiserver::store::Parse(*object);
      const JsonObject* metadata = ObjectAt(AsObject(document), "metadata");
      const JsonObject* status = ObjectAt(AsObject(document), "status");
      const std::string_view prefix = StringAt(metadata, "generateName");
      std::string name = prefix.empty() ? object->key.name : std::string(prefix) + "*";
      if (const std::string* hash = LabelOf(*object, "pod-template-hash")) {
        if (const size_t at = name.find(*hash); at != std::string::npos) {
          name.replace(at, hash->size(), "#");
        }
      }
      const std::string_view phase = StringAt(status, "phase");
      std::string_view mark = At(metadata, "deletionTimestamp") ? "!" : "";
      if (mark.empty() && phase == "Running" && !IsTrue(status, "Ready")) mark = "?";
      ++alike[fmt::format("{} {}{}", name, phase, mark)];
    }
    std::vector<std::string> lines;
    for (const auto& [line, count] : alike) lines.push_back(fmt::format("{} {}", count, line));
    return fmt::format("{}", fmt::join(lines, ", "));
  }
  // The fields of the status that are numbers, as "replicas=3 readyReplicas=2".
  std::string Counts(std::string_view kind, std::string_view name) const {
    const Json document = Get(kind, name);
    const JsonObject* status = ObjectAt(AsObject(document), "status");
    std::map<std::string, int64_t> counts;
    for (const auto& [key, value] : status ? *status : JsonObject()) {
      if (const auto number = api::AsInt(&value)) counts[std::string(key)] = *number;
    }
    counts.erase("observedGeneration");
    std::vector<std::string> texts;
    for (const auto& [key, count] : counts) texts.push_back(fmt::format("{}={}", key, count));
    return fmt::format("{}", fmt::join(texts, " "));
  }
  // The conditions of the status, as "Available=True Progressing=True(NewReplicaSetAvailable)".
  std::string Conditions(std::string_view kind, std::string_view name) const {
    const Json document = Get(kind, name);
    std::vector<std::string> texts;
    for (const JsonObject& one : ObjectsAt(ObjectAt(AsObject(document), "status"), "conditions")) {
      const std::string_view reason = StringAt(&one, "reason");
      texts.push_back(fmt::format("{}={}{}", StringAt(&one, "type"), StringAt(&one, "status"),
                                  reason.empty() ? "" : fmt::format("({})", reason)));
    }
    std::ranges::sort(texts);
    return fmt::format("{}", fmt::join(texts, " "));
  }
  std::vector<std::string> Names(const Kind& kind,
                                 const std::string& namespace_ = "default") const {
    apiserver::store::ListQuery query;
    if (kind.namespaced) query.namespace_ = namespace_;
    std::vector<std::string> names;
    for (const auto& object : store->List(kind.collection, query).objects) {
      names.push_back(object->key.name);
    }
    return names;
  }
  // Those indexes and queues that hold anything.
  std::vector<std::string> Leftovers() const {
    std::vector<std::string> sizes = world.Sizes();
    std::erase_if(sizes, [](const std::string& size) { return size.ends_with("=0"); });
    return sizes;
  }

  LocalCluster world;
  bool places_pods = true;
  size_t next_node = 0;
};

}  // namespace berth::localcluster
