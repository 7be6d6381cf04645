// EmbeddedCluster is an EngineDriver on a store in memory, for tests. Its clock stands still, and
// the driver runs when the test calls Run.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/json/value.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/registry/api_testing.h"
#include "runtime/embedded/store_connection.h"
#include "runtime/engine_driver.h"
#include "scheduler/config/defaults.h"
#include "scheduler/config/engine_options.h"
#include "scheduler/plugins/in_tree_registry.h"
#include "testing/require.h"

namespace berth::runtime::embedded {

using api::Json;
using apiserver::registry::Doc;

inline scheduler::engine::EngineOptions DefaultEngine() {
  scheduler::config::Configuration configuration;
  scheduler::config::ApplyDefaults(configuration);
  return Require(scheduler::config::ToEngineOptions(configuration));
}

class EmbeddedCluster {
 public:
  explicit EmbeddedCluster(size_t history = 50'000,
                           scheduler::engine::EngineOptions engine = DefaultEngine(),
                           ExtenderCall call_extender = {})
      : store(Require(apiserver::store::Store::Open(
            {.collections = api::scheme::CollectionNames(), .history = history}, nullptr))) {
    StoreConnectionOptions options;
    options.call_extender = std::move(call_extender);
    options.log = [this](const std::string& line) { log.push_back(line); };
    driver = Require(MakeDriver(api, clock, std::move(options), {.engine = std::move(engine)},
                                scheduler::plugins::InTreeRegistry()));
  }

  // Single quotes stand for double ones.
  void Create(std::string_view kind, std::string_view text) {
    const api::scheme::Kind& which = api::scheme::KindOf(kind);
    const auto created = api.Create(which, which.namespaced ? "default" : "", Doc(text));
    EXPECT_EQ(apiserver::registry::ErrorOf(created), "ok");
  }
  void Node(std::string_view name, std::string_view cpu = "4") {
    Create("nodes", fmt::format("{{'metadata':{{'name':'{0}','labels':{{"
                                "'kubernetes.io/hostname':'{0}'}}}},'status':{{'capacity':"
                                "{{'cpu':'{1}','memory':'8Gi','pods':'110'}},'conditions':"
                                "[{{'type':'Ready','status':'True'}}]}}}}",
                                name, cpu));
  }
  // Creates a pod. `more` continues the spec: ",'priorityClassName':'high'".
  void Pod(std::string_view name, std::string_view cpu = "1", std::string_view more = "") {
    Create("pods", fmt::format("{{'metadata':{{'name':'{}'}},'spec':{{'containers':[{{'name':'c',"
                               "'image':'i','resources':{{'requests':{{'cpu':'{}'}}}}}}]{}}}}}",
                               name, cpu, more));
  }
  // Deletes the object at once, as a kubelet ends a pod.
  void Delete(std::string_view kind, std::string_view name) {
    apiserver::registry::DeleteOptions options;
    options.grace_period_seconds = 0;
    const auto deleted = api.Delete(api::scheme::KindOf(kind), NameOf(kind, name), options);
    EXPECT_EQ(apiserver::registry::ErrorOf(deleted), "ok");
  }
  void Merge(std::string_view kind, std::string_view name, std::string_view patch,
             std::string_view subresource = "") {
    const auto patched = api.Patch(api::scheme::KindOf(kind), NameOf(kind, name), subresource,
                                   apiserver::patch::PatchType::kMerge, Doc(patch));
    EXPECT_EQ(apiserver::registry::ErrorOf(patched), "ok");
  }
  // Returns the stored document, or null.
  Json Get(std::string_view kind, std::string_view name) const {
    const auto object = store->Get(api::scheme::KindOf(kind).collection, NameOf(kind, name));
    return object ? apiserver::store::Parse(*object) : Json();
  }
  std::string NodeOf(std::string_view pod) const {
    const Json document = Get("pods", pod);
    return std::string(api::StringAt(api::ObjectAt(api::AsObject(document), "spec"), "nodeName"));
  }
  // Returns "Warning FailedScheduling: 0/1 nodes ... (x2)" for each event about the pod.
  std::vector<std::string> EventsOf(std::string_view pod) const;

  // Runs the driver until it is idle, and again at each of its wake-ups within `time`.
  void Run(Duration time = {}) {
    const Instant end = clock.Now() + time;
    driver->RunUntilIdle();
    for (auto wake = driver->engine().next_wake(); wake && *wake <= end;
         wake = driver->engine().next_wake()) {
      clock.Advance(std::max(*wake - clock.Now(), Duration::Millis(1)));
      driver->RunUntilIdle();
    }
    clock.Advance(std::max(end - clock.Now(), Duration{}));
  }

  SimClock clock{Instant::FromUnixSeconds(1767225600)};  // 2026-01-01T00:00:00Z
  std::vector<std::string> log;
  std::unique_ptr<apiserver::store::Store> store;
  apiserver::registry::Api api{*store, clock, 1};
  std::unique_ptr<EngineDriver> driver;

 private:
  static apiserver::store::ObjectName NameOf(std::string_view kind, std::string_view name) {
    return {api::scheme::KindOf(kind).namespaced ? "default" : "", std::string(name)};
  }
};

inline std::vector<std::string> EmbeddedCluster::EventsOf(std::string_view pod) const {
  std::vector<std::string> lines;
  for (const auto& object : store->List(api::scheme::KindOf("events").collection, {}).objects) {
    const Json document = apiserver::store::Parse(*object);
    const auto* event = api::AsObject(document);
    const auto at = [&](std::string_view key) { return api::StringAt(event, key); };
    if (api::StringAt(api::ObjectAt(event, "involvedObject"), "name") != pod) continue;
    std::string line = fmt::format("{} {}: {}", at("type"), at("reason"), at("message"));
    if (const auto* series = api::ObjectAt(event, "series")) {
      line += fmt::format(" (x{})", api::IntAt(series, "count").value_or(0));
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace berth::runtime::embedded
