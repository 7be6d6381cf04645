// Load test of the API server over HTTP/1.1 on loopback, in memory: writes, reads, lists, watch
// fan-out and memory, on one server that fills up meanwhile; then the same with custom resources
// and, for comparison, ConfigMaps.
//
//   apiserver_bench [PODS [WATCHERS [CUSTOM]]]     100,000, 1,000 and 100,000 by default
//
// The server has two threads, its clients one; all are in this process. On a machine with other
// load, the server's CPU time per request is more meaningful than the rate.
#include <fmt/format.h>
#include <malloc.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "apiserver/server.h"
#include "base/check.h"
#include "load_client.h"

namespace berth::bench {
namespace {

constexpr size_t kConnections = 16;
constexpr size_t kNodes = 5'000;
constexpr size_t kPodsPerNamespace = 10'000;  // The size of one list.
constexpr size_t kLists = 20;
constexpr size_t kWatchedPods = 1'000;
constexpr size_t kSingleWrites = 100;
// Enough to saturate both threads of the server.
constexpr size_t kListConnections = 2;

void Append(std::string& out, std::string_view method, std::string_view target,
            std::string_view body = {}, std::string_view type = "application/json") {
  const auto to = std::back_inserter(out);
  fmt::format_to(to, "{} {} HTTP/1.1\r\nHost: localhost\r\nAccept: application/json\r\n", method,
                 target);
  if (!body.empty()) {
    fmt::format_to(to, "Content-Type: {}\r\nContent-Length: {}\r\n", type, body.size());
  }
  out.append("\r\n").append(body);
}

std::string NamespaceOf(size_t pod) { return fmt::format("team-{}", pod / kPodsPerNamespace); }

std::string PodPath(size_t pod) {
  return fmt::format("/api/v1/namespaces/{}/pods/web-{}", NamespaceOf(pod), pod);
}

void CreateNamespace(size_t number, std::string& out) {
  Append(out, "POST", "/api/v1/namespaces",
         fmt::format(R"({{"metadata":{{"name":"team-{}"}}}})", number));
}

void CreateNode(size_t number, std::string& out) {
  Append(out, "POST", "/api/v1/nodes",
         fmt::format(
             R"({{"kind":"Node","apiVersion":"v1","metadata":{{"name":"node-{}","labels":)"
             R"({{"kubernetes.io/hostname":"node-{}","kubernetes.io/os":"linux",)"
             R"("topology.kubernetes.io/zone":"zone-{}"}}}},"spec":{{"podCIDR":"10.0.0.0/24"}},)"
             R"("status":{{"capacity":{{"cpu":"32","memory":"128Gi","pods":"110"}},)"
             R"("allocatable":{{"cpu":"32","memory":"128Gi","pods":"110"}},)"
             R"("conditions":[{{"type":"Ready","status":"True","reason":"KubeletReady",)"
             R"("message":"kubelet is posting ready status"}}]}}}})",
             number, number, number % 3));
}

void CreatePod(std::string_view namespace_, size_t number, std::string& out) {
  Append(
      out, "POST", fmt::format("/api/v1/namespaces/{}/pods", namespace_),
      fmt::format(
          R"({{"kind":"Pod","apiVersion":"v1","metadata":{{"name":"web-{}","labels":)"
          R"({{"app":"web","pod-template-hash":"7c6dc5ddfc"}}}},"spec":{{"containers":[)"
          R"({{"name":"web","image":"registry.local/web:1.2","ports":[{{"containerPort":8080}}],)"
          R"("resources":{{"requests":{{"cpu":"100m","memory":"128Mi"}},)"
          R"("limits":{{"memory":"256Mi"}}}}}}],"tolerations":[{{"key":"spot",)"
          R"("operator":"Exists","effect":"NoSchedule"}}],"priority":0}}}})",
          number));
}

void BindPod(size_t number, std::string& out) {
  Append(out, "POST", PodPath(number) + "/binding",
         fmt::format(R"({{"kind":"Binding","apiVersion":"v1","target":{{"kind":"Node",)"
                     R"("name":"node-{}"}}}})",
                     number % kNodes));
}

// The patch that kube-scheduler sends for an unschedulable pod.
void PatchStatus(size_t number, std::string& out) {
  constexpr std::string_view kPatch =
      R"({"status":{"conditions":[{"type":"PodScheduled","status":"False",)"
      R"("reason":"Unschedulable","message":"0/5000 nodes are available: 5000 Insufficient cpu.",)"
      R"("lastProbeTime":null,"lastTransitionTime":"2026-01-01T00:00:00Z"}]}})";
  Append(out, "PATCH", PodPath(number) + "/status", kPatch,
         "application/strategic-merge-patch+json");
}

// Formats as "12,345".
std::string Grouped(double number) {
  std::string digits = fmt::format("{:.0f}", number);
  for (size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

void Print(std::string_view what, double count, std::string_view unit, const Cost& cost) {
  fmt::print("{:<34}{:>11} {:<9}{:>9.1f} us of server CPU each\n", what,
             Grouped(count / cost.seconds), unit, cost.other_cpu_seconds / count * 1e6);
  std::fflush(stdout);
}

// Sends `count` requests and prints their rate.
void Measure(std::string_view what, LoadClient& client, size_t count, int status,
             const LoadClient::MakeRequest& make) {
  const Stopwatch stopwatch;
  client.Run(count, status, make);
  Print(what, static_cast<double>(count), "/s", stopwatch.Read());
}

void MeasureLists(uint16_t port, std::string_view what, const std::string& path) {
  LoadClient client(port, kListConnections);
  const auto list = [&path](size_t, std::string& out) { Append(out, "GET", path); };
  const Stopwatch stopwatch;
  const uint64_t bytes = client.Run(kLists, 200, list);
  const Cost cost = stopwatch.Read();
  fmt::print("{:<34}{:>11.1f} {:<9}{:>9.1f} MB/s\n", fmt::format("lists of 10,000 {}", what),
             static_cast<double>(kLists) / cost.seconds, "/s",
             static_cast<double>(bytes) / cost.seconds / 1e6);
}

// Creates all pods at once: measures how many events per second the server delivers, and how far
// the slowest watcher is behind the last write.
void MeasureFanOut(LoadClient& client, Watchers& watchers, size_t count) {
  const Stopwatch stopwatch;
  Cost write_cost;
  std::thread writer([&] {
    const Stopwatch writing;
    client.Run(kWatchedPods, 201, [](size_t i, std::string& out) { CreatePod("fan-out", i, out); });
    write_cost = writing.Read();
  });
  const uint64_t bytes = watchers.ReadUntil(kWatchedPods);
  const double seconds = stopwatch.Read().seconds;
  writer.join();
  Cost cost = stopwatch.Read();
  cost.seconds = seconds;
  cost.other_cpu_seconds -= write_cost.own_cpu_seconds;
  Print(fmt::format("events to {} watchers", Grouped(static_cast<double>(count))),
        static_cast<double>(count * kWatchedPods), "/s", cost);
  fmt::print("{:<34}{:>11.0f} {:<9}{:>9.1f} MB/s\n", "  slowest watcher after last write",
             std::max(0.0, seconds - write_cost.seconds) * 1e3, "ms",
             static_cast<double>(bytes) / seconds / 1e6);
}

// Creates one pod at a time: measures from sending the request until the last watcher has the
// event.
void MeasureLag(LoadClient& client, Watchers& watchers) {
  std::vector<double> lags;
  for (size_t i = kWatchedPods; i < kWatchedPods + kSingleWrites; ++i) {
    const Stopwatch stopwatch;
    client.Run(1, 201, [i](size_t, std::string& out) { CreatePod("fan-out", i, out); });
    watchers.ReadUntil(i + 1);
    lags.push_back(stopwatch.Read().seconds * 1e3);
  }
  std::ranges::sort(lags);
  fmt::print("{:<34}{:>11.1f} {:<9}{:>9.1f} ms at worst\n", "one write to the last watcher",
             lags[lags.size() / 2], "ms", lags.back());
}

double ResidentMiB() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) return std::strtod(line.c_str() + 6, nullptr) / 1024;
  }
  return 0;
}

void PrintMemory(const std::string& what, double mebibytes) {
  fmt::print("{:<34}{:>11} {:<9}\n", what, Grouped(mebibytes), "MiB");
  std::fflush(stdout);
}

// Both ends of a thousand connections are descriptors of this process.
void AllowManyFiles() {
  rlimit files{};
  CHECK(::getrlimit(RLIMIT_NOFILE, &files) == 0);
  files.rlim_cur = files.rlim_max;
  CHECK(::setrlimit(RLIMIT_NOFILE, &files) == 0);
}

void Run(size_t pods, size_t watcher_count) {
  AllowManyFiles();
  auto server = apiserver::ApiServer::Start({});
  CHECK(server.has_value());
  const uint16_t port = (*server)->port();
  LoadClient client(port, kConnections);

  client.Run((pods - 1) / kPodsPerNamespace + 1, 201, CreateNamespace);
  Measure("node creates", client, kNodes, 201, CreateNode);
  Measure("pod creates", client, pods, 201,
          [](size_t i, std::string& out) { CreatePod(NamespaceOf(i), i, out); });
  Measure("pod gets", client, pods, 200,
          [](size_t i, std::string& out) { Append(out, "GET", PodPath(i)); });
  Measure("pod status patches", client, pods, 200, PatchStatus);
  Measure("pod binds", client, pods, 201, BindPod);
  PrintMemory(fmt::format("resident, {} pods on {}", Grouped(static_cast<double>(pods)),
                          Grouped(static_cast<double>(kNodes))),
              ResidentMiB());
  MeasureLists(port, "pods", "/api/v1/namespaces/team-0/pods");

  if (watcher_count == 0) return;
  client.Run(1, 201, [](size_t, std::string& out) {
    Append(out, "POST", "/api/v1/namespaces", R"({"metadata":{"name":"fan-out"}})");
  });
  Watchers watchers(
      port, watcher_count,
      fmt::format("/api/v1/pods?watch=1&resourceVersion={}", (*server)->store().version()));
  MeasureFanOut(client, watchers, watcher_count);
  MeasureLag(client, watchers);
}

// A resource with objects of the same content, in 10,000s per namespace.
struct Resource {
  std::string_view name;
  std::string_view root;  // Of its paths.
  std::string_view resource;
  std::string_view head;     // `"kind":...,"apiVersion":...`
  std::string_view content;  // The rest of an object.
};

constexpr Resource kConfigMaps = {
    "configmaps", "/api/v1", "configmaps", R"("kind":"ConfigMap","apiVersion":"v1")",
    R"("data":{"schedule":"*/5 * * * *","image":"registry.local/web:1.2","suspend":"false",)"
    R"("replicas":"3","zone":"eu-1"})"};
constexpr Resource kCronTabs = {
    "custom resources", "/apis/example.com/v1", "crontabs",
    R"("kind":"CronTab","apiVersion":"example.com/v1")",
    R"("spec":{"schedule":"*/5 * * * *","image":"registry.local/web:1.2","suspend":false,)"
    R"("replicas":3,"zone":"eu-1"})"};

constexpr std::string_view kDefinition =
    R"({"metadata":{"name":"crontabs.example.com"},"spec":{"group":"example.com",)"
    R"("scope":"Namespaced","names":{"plural":"crontabs","kind":"CronTab"},"versions":[{)"
    R"("name":"v1","served":true,"storage":true,"subresources":{"status":{}},)"
    R"("schema":{"openAPIV3Schema":{"type":"object","required":["spec"],"properties":{)"
    R"("spec":{"type":"object","required":["schedule"],"properties":{)"
    R"("schedule":{"type":"string","pattern":"^(\\S+\\s+){4}\\S+$"},)"
    R"("image":{"type":"string","maxLength":200},"suspend":{"type":"boolean","default":false},)"
    R"("replicas":{"type":"integer","minimum":0,"maximum":100,"default":1},)"
    R"("zone":{"type":"string","enum":["eu-1","eu-2"]}}},)"
    R"("status":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}}}]}})";

// Creates, gets and lists `count` objects, and reads the initial state of a watch.
void MeasureResource(LoadClient& client, uint16_t port, const Resource& resource, size_t count) {
  const auto path = [&](size_t i) {
    return fmt::format("{}/namespaces/{}/{}", resource.root, NamespaceOf(i), resource.resource);
  };
  ::malloc_trim(0);  // What others have freed would be used again.
  const double before = ResidentMiB();
  Measure(fmt::format("{} creates", resource.name), client, count, 201,
          [&](size_t i, std::string& out) {
            Append(
                out, "POST", path(i),
                fmt::format(R"({{{},"metadata":{{"name":"web-{}","labels":{{"app":"web"}}}},{}}})",
                            resource.head, i, resource.content));
          });
  Measure(fmt::format("{} gets", resource.name), client, count, 200,
          [&](size_t i, std::string& out) {
            Append(out, "GET", fmt::format("{}/web-{}", path(i), i));
          });
  PrintMemory(fmt::format("resident, of {} more", Grouped(static_cast<double>(count))),
              ResidentMiB() - before);
  MeasureLists(port, resource.name, path(0));
  const Stopwatch stopwatch;
  Watchers watchers(port, 1, fmt::format("{}/{}?watch=1", resource.root, resource.resource));
  watchers.ReadUntil(count);
  Print("  initial events of a watch", static_cast<double>(count), "/s", stopwatch.Read());
}

void CompareResources(size_t count) {
  auto server = apiserver::ApiServer::Start({});
  CHECK(server.has_value());
  const uint16_t port = (*server)->port();
  LoadClient client(port, kConnections);
  client.Run((count - 1) / kPodsPerNamespace + 1, 201, CreateNamespace);
  client.Run(1, 201, [](size_t, std::string& out) {
    Append(out, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", kDefinition);
  });
  for (const Resource& resource : {kConfigMaps, kCronTabs}) {
    MeasureResource(client, port, resource, count);
  }
}

}  // namespace
}  // namespace berth::bench

int main(int argc, char** argv) {
  const auto argument = [&](int index, size_t fallback) {
    return argc > index ? std::strtoull(argv[index], nullptr, 10) : fallback;
  };
  const size_t pods = argument(1, 100'000);
  CHECK(pods > 0);
  berth::bench::Run(pods, argument(2, 1'000));
  if (const size_t custom = argument(3, 100'000)) berth::bench::CompareResources(custom);
}
