// TestCluster is a local cluster for tests: a store in memory, a manual clock, YAML as input and
// short summaries as output. A trivial scheduler places its pods.
#pragma once

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/json/yaml.h"
#include "apiserver/registry/api_testing.h"
#include "localcluster/local_cluster.h"
#include "localcluster/object_json.h"
#include "localcluster/pod_index.h"

namespace berth::localcluster {

struct TestCluster : apiserver::registry::ApiFixture {
  explicit TestCluster(LocalClusterOptions options = {})
      : local_cluster(api, clock, std::move(options)) {}

  // Creates all objects in the YAML, or patches those that exist.
  void Apply(std::string_view yaml) {
    const auto documents = api::YamlToJson(yaml);
    ASSERT_TRUE(documents) << documents.error().message;
    for (const std::string& text : *documents) {
      const Json document = apiserver::registry::Doc(text);
      const JsonObject* fields = document.if_object();
      const api::scheme::KindPtr kind =
          api.kinds()->FindByName(StringAt(fields, "apiVersion"), StringAt(fields, "kind"));
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

  // Processes everything that is due now, including the placement of pods.
  void Run() {
    do {
      local_cluster.RunUntilIdle();
    } while (schedules_pods && SchedulePods());
  }
  // Advances the clock from one timer to the next.
  void AdvanceTime(Duration time) {
    const Instant end = clock.Now() + time;
    for (;;) {
      Run();
      const auto due = local_cluster.NextDue();
      if (!due || *due > end) break;
      clock.Advance(*due - clock.Now());
    }
    clock.Advance(end - clock.Now());
    Run();
  }
  void AdvanceSeconds(int64_t seconds) { AdvanceTime(Duration::Seconds(seconds)); }

  // Binds each pending pod to the next node without taints, or to the one it requires. Reports
  // whether any was bound.
  bool SchedulePods() {
    std::vector<std::string> eligible;
    for (const apiserver::store::ObjectPtr& node : store->List(Nodes().collection, {}).objects) {
      const Json document = apiserver::store::Parse(*node);
      const JsonObject* spec = ObjectAt(AsObject(document), "spec");
      if (!BoolAt(spec, "unschedulable") && EmptyAt(spec, "taints"))
        eligible.push_back(node->key.name);
    }
    bool placed = false;
    for (const apiserver::store::ObjectPtr& object : store->List(Pods().collection, {}).objects) {
      if (!object->fields[0].empty() || eligible.empty()) continue;
      PodIndex index;
      const Json document = apiserver::store::Parse(*object);
      index.Put(object, document.get_object());
      const std::string& target = index.Find(object->key)->target;
      const std::string node = target.empty() ? eligible[next_node++ % eligible.size()] : target;
      Json binding = apiserver::registry::Doc("{'target':{'kind':'Node'}}");
      SetString(binding.at("target").get_object(), "name", node);
      placed |= api.Bind(object->key, binding).has_value();
    }
    return placed;
  }

  // Summarizes pods as "3 web-* Running". A generated suffix is "*", a template hash "#"; "!" marks
  // a pod that is being deleted, "?" one that is not ready.
  std::string ShowPods(const std::string& namespace_ = "default") const {
    std::map<std::string, int> counts;
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
      ++counts[fmt::format("{} {}{}", name, phase, mark)];
    }
    std::vector<std::string> lines;
    for (const auto& [line, count] : counts) lines.push_back(fmt::format("{} {}", count, line));
    return fmt::format("{}", fmt::join(lines, ", "));
  }
  // Returns the numeric fields of the status, as "readyReplicas=2 replicas=3".
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
  // Returns the conditions of the status, as "Available=True
  // Progressing=True(NewReplicaSetAvailable)".
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
  // Returns the events about the object in the order in which they were written, as
  // "Normal SuccessfulCreate Created pod: web-x". A count above one follows: " (x3)".
  std::vector<std::string> EventsOf(std::string_view name) const {
    std::vector<std::pair<apiserver::store::Version, std::string>> events;
    for (const auto& object : store->List(api::scheme::KindOf("events").collection, {}).objects) {
      const Json document = apiserver::store::Parse(*object);
      const JsonObject* fields = AsObject(document);
      if (StringAt(ObjectAt(fields, "involvedObject"), "name") != name) continue;
      std::string text = fmt::format("{} {} {}", StringAt(fields, "type"),
                                     StringAt(fields, "reason"), StringAt(fields, "message"));
      const int64_t count = IntAt(fields, "count").value_or(1);
      if (count > 1) text += fmt::format(" (x{})", count);
      events.emplace_back(object->version, std::move(text));
    }
    std::ranges::sort(events);
    std::vector<std::string> texts;
    for (auto& [version, text] : events) texts.push_back(std::move(text));
    return texts;
  }
  // Returns the indexes and queues that are not empty.
  std::vector<std::string> Leftovers() const {
    std::vector<std::string> sizes = local_cluster.Sizes();
    std::erase_if(sizes, [](const std::string& size) { return size.ends_with("=0"); });
    return sizes;
  }

  LocalCluster local_cluster;
  bool schedules_pods = true;
  size_t next_node = 0;
};

}  // namespace berth::localcluster
