// A world for tests of the EngineDriver: a store in memory, the Api on it, a clock that stands
// still and a driver that works when it is told to.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/json/value.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/api_world.h"
#include "config/defaults.h"
#include "config/engine_options.h"
#include "driver/engine_driver.h"
#include "plugins/registry.h"
#include "world/store_connection.h"

namespace berth::world {

using apiserver::Doc;
using apiserver::Json;
using driver::EngineDriver;

inline EngineOptions DefaultEngine() {
  config::Configuration configuration;
  config::ApplyDefaults(configuration);
  auto options = config::ToEngineOptions(configuration);
  EXPECT_TRUE(options.has_value());
  return *std::move(options);
}

class DriverWorld {
 public:
  explicit DriverWorld(size_t history = 50'000, EngineOptions engine = DefaultEngine(),
                       ExtenderCall call_extender = {})
      : store(*store::Store::Open({.collections = apiserver::Collections(), .history = history},
                                  nullptr)) {
    StoreConnectionOptions options;
    options.call_extender = std::move(call_extender);
    options.log = [this](const std::string& line) { log.push_back(line); };
    driver = *MakeDriver(api, clock, std::move(options), {.engine = std::move(engine)},
                         InTreeRegistry());
  }

  // Single quotes stand for double ones.
  void Create(std::string_view kind, std::string_view text) {
    const apiserver::Kind& which = apiserver::KindOf(kind);
    const auto created = api.Create(which, which.namespaced ? "default" : "", Doc(text));
    EXPECT_EQ(apiserver::ErrorOf(created), "ok");
  }
  void Node(std::string_view name, std::string_view cpu = "4") {
    Create("nodes", fmt::format("{{'metadata':{{'name':'{0}','labels':{{"
                                "'kubernetes.io/hostname':'{0}'}}}},'status':{{'capacity':"
                                "{{'cpu':'{1}','memory':'8Gi','pods':'110'}},'conditions':"
                                "[{{'type':'Ready','status':'True'}}]}}}}",
                                name, cpu));
  }
  // `more` continues the spec: ",'priorityClassName':'high'".
  void Pod(std::string_view name, std::string_view cpu = "1", std::string_view more = "") {
    Create("pods", fmt::format("{{'metadata':{{'name':'{}'}},'spec':{{'containers':[{{'name':'c',"
                               "'image':'i','resources':{{'requests':{{'cpu':'{}'}}}}}}]{}}}}}",
                               name, cpu, more));
  }
  // At once, as a kubelet ends a pod.
  void Delete(std::string_view kind, std::string_view name) {
    apiserver::DeleteOptions options;
    options.grace_period_seconds = 0;
    const auto deleted = api.Delete(apiserver::KindOf(kind), NameOf(kind, name), options);
    EXPECT_EQ(apiserver::ErrorOf(deleted), "ok");
  }
  void Merge(std::string_view kind, std::string_view name, std::string_view patch,
             std::string_view subresource = "") {
    const auto patched = api.Patch(apiserver::KindOf(kind), NameOf(kind, name), subresource,
                                   apiserver::PatchType::kMerge, Doc(patch));
    EXPECT_EQ(apiserver::ErrorOf(patched), "ok");
  }
  // The stored document, or null.
  Json Get(std::string_view kind, std::string_view name) const {
    const auto object = store->Get(apiserver::KindOf(kind).collection, NameOf(kind, name));
    return object ? apiserver::Parse(*object) : Json();
  }
  std::string NodeOf(std::string_view pod) const {
    const Json document = Get("pods", pod);
    return std::string(apiserver::StringAt(
        apiserver::ObjectAt(apiserver::AsObject(document), "spec"), "nodeName"));
  }
  // "Warning FailedScheduling: 0/1 nodes ... (x2)", one for each event about the pod.
  std::vector<std::string> EventsOf(std::string_view pod) const;

  // Lets the driver work, and work again whenever time gives it something to do, for so long.
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
  std::unique_ptr<store::Store> store;
  apiserver::Api api{*store, clock, 1};
  std::unique_ptr<EngineDriver> driver;

 private:
  static store::ObjectName NameOf(std::string_view kind, std::string_view name) {
    return {apiserver::KindOf(kind).namespaced ? "default" : "", std::string(name)};
  }
};

inline std::vector<std::string> DriverWorld::EventsOf(std::string_view pod) const {
  std::vector<std::string> lines;
  for (const auto& object : store->List(apiserver::KindOf("events").collection, {}).objects) {
    const Json document = apiserver::Parse(*object);
    const auto* event = apiserver::AsObject(document);
    const auto at = [&](std::string_view key) { return apiserver::StringAt(event, key); };
    if (apiserver::StringAt(apiserver::ObjectAt(event, "involvedObject"), "name") != pod) continue;
    std::string line = fmt::format("{} {}: {}", at("type"), at("reason"), at("message"));
    if (const auto* series = apiserver::ObjectAt(event, "series")) {
      line += fmt::format(" (x{})", apiserver::IntAt(series, "count").value_or(0));
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace berth::world
