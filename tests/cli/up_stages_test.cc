// The life of pods on `berth up`, by stages and annotations, at an accelerated time.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth_process_testing.h"
#include "testing/raw_client.h"

namespace berth::cli {
namespace BERTH_TEST_FILE {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Returns the member at a path of names, or null.
const boost::json::value* Find(const boost::json::value& value,
                               std::initializer_list<std::string_view> path) {
  const boost::json::value* found = &value;
  for (const std::string_view name : path) {
    const boost::json::object* object = found->if_object();
    found = object ? object->if_contains(name) : nullptr;
    if (!found) return nullptr;
  }
  return found;
}

std::string TextAt(const boost::json::value& value, std::initializer_list<std::string_view> path) {
  const boost::json::value* found = Find(value, path);
  return found && found->is_string() ? std::string(found->get_string()) : "";
}

// Returns what kubectl prints of a pod with one container in READY, STATUS and RESTARTS.
std::string ShowPod(const boost::json::value& pod) {
  std::string status = TextAt(pod, {"status", "phase"});
  int64_t restarts = 0;
  bool ready = false;
  const boost::json::value* containers = Find(pod, {"status", "containerStatuses"});
  if (containers && !containers->as_array().empty()) {
    const boost::json::value& container = containers->as_array().front();
    ready = container.at("ready").as_bool();
    restarts = container.at("restartCount").as_int64();
    for (const std::string_view state : {"waiting", "terminated"}) {
      const std::string reason = TextAt(container, {"state", state, "reason"});
      if (!reason.empty()) status = reason;
    }
  }
  return fmt::format("{}/1 {} {}", ready ? 1 : 0, status, restarts);
}

using Histories = std::map<std::string, std::vector<std::string>>;

// A cluster of `berth up` whose clock runs fast: ten seconds take a fifth of one. Without leases,
// which a busy machine could not renew in time.
class FastCluster {
 public:
  explicit FastCluster(std::string_view stages, const std::string& seed = "0")
      : up_({BERTH_BINARY, "up", "--port", "0", "--nodes", "2", "--no-leases", "--speed", "50",
             "--stages", files_.Write("stages.yaml", stages), "--seed", seed, "--kubeconfig",
             files_.path("kubeconfig")}) {
    const std::string url = up_.WaitForLine("listening on ");
    port_ = static_cast<uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)));
  }

  // Creates the objects and follows the pods until `done` with what was seen of each: statuses
  // without repeats. An object is a path below /apis or /api, and YAML.
  template <typename Done>
  Histories Watch(const std::vector<std::pair<std::string, std::string>>& objects, Done done) {
    RawClient client(port_);
    client.Send(
        "GET /api/v1/namespaces/default/pods?watch=true HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
    client.ReadUntil("\r\n\r\n");
    for (const auto& [path, yaml] : objects) Create(path, yaml);
    Histories seen;
    while (!done(seen) && !::testing::Test::HasFailure()) {
      const std::string line = client.ReadUntil("\n");
      if (!line.starts_with("{")) continue;  // The size of a chunk.
      const boost::json::value event = boost::json::parse(line);
      std::vector<std::string>& history = seen[TextAt(event, {"object", "metadata", "name"})];
      std::string shown = ShowPod(event.at("object"));
      if (history.empty() || history.back() != shown) history.push_back(std::move(shown));
    }
    return seen;
  }

  int Stop() { return up_.End(SIGTERM); }

 private:
  void Create(const std::string& path, const std::string& yaml) {
    RawClient client(port_);
    client.Send(
        fmt::format("POST {} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
                    "Content-Type: application/yaml\r\nContent-Length: {}\r\n\r\n{}",
                    path, yaml.size(), yaml));
    EXPECT_THAT(client.ReadAll(), HasSubstr("HTTP/1.1 201 Created"));
  }

  TemporaryDirectory files_;
  RunningProcess up_;
  uint16_t port_ = 0;
};

constexpr std::string_view kPods = "/api/v1/namespaces/default/pods";

std::string StageOf(std::string_view name, std::string_view spec) {
  return fmt::format(
      "apiVersion: berth.dev/v1alpha1\nkind: Stage\nmetadata: {{name: {}}}\nspec: {{{}}}\n---\n",
      name, spec);
}

std::string PodOf(std::string_view name, std::string_view app) {
  return fmt::format(
      "apiVersion: v1\nkind: Pod\nmetadata: {{name: {}, labels: {{app: {}}}}}\n"
      "spec: {{containers: [{{name: c, image: i}}]}}\n",
      name, app);
}

TEST(UpStages, PodsAreSlowCrashAndComplete) {
  constexpr std::string_view kJob =
      "apiVersion: batch/v1\nkind: Job\nmetadata: {name: job}\nspec:\n"
      "  completionMode: Indexed\n  completions: 1\n"
      "  template: {spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}\n";
  FastCluster cluster(
      StageOf("slow",
              "selector: {matchLabels: {app: slow}}, delay: {durationMilliseconds: 3000}, "
              "next: {status: Running}") +
      StageOf("crash",
              "selector: {matchLabels: {app: crash}}, delay: {durationMilliseconds: "
              "2000}, next: {status: Error, exitCode: 3}"));
  const std::vector<std::pair<std::string, std::string>> objects = {
      {std::string(kPods), PodOf("crash", "crash")},
      {std::string(kPods), PodOf("slow", "slow")},
      {"/apis/batch/v1/namespaces/default/jobs", std::string(kJob)}};
  Histories seen = cluster.Watch(objects, [](Histories& histories) {
    const auto ends_with = [&](std::string_view prefix, std::string_view end) {
      return std::ranges::any_of(histories, [&](const auto& entry) {
        return entry.first.starts_with(prefix) && !entry.second.empty() &&
               entry.second.back() == end;
      });
    };
    return histories["crash"].size() >= 7 && ends_with("slow", "1/1 Running 0") &&
           ends_with("job-", "0/1 Completed 0");
  });
  seen["crash"].resize(7);
  EXPECT_THAT(seen["crash"],
              ElementsAre("0/1 Pending 0", "1/1 Running 0", "0/1 Error 0", "1/1 Running 1",
                          "0/1 Error 1", "0/1 CrashLoopBackOff 1", "1/1 Running 2"));
  EXPECT_THAT(seen["slow"],
              ElementsAre("0/1 Pending 0", "0/1 ContainerCreating 0", "1/1 Running 0"));
  EXPECT_THAT(seen.lower_bound("job-")->second,
              ElementsAre("0/1 Pending 0", "1/1 Running 0", "0/1 Completed 0"));
  EXPECT_EQ(cluster.Stop(), 0);
}

// Returns the first statuses of eight pods that crash, are slow or cannot start, by lot.
Histories RunWithSeed(const std::string& seed) {
  constexpr size_t kStatuses = 6;
  constexpr size_t kCount = 8;
  std::vector<std::pair<std::string, std::string>> pods;
  for (size_t i = 0; i < kCount; ++i) {
    pods.emplace_back(kPods, PodOf(fmt::format("pod-{}", i), "any"));
  }
  FastCluster cluster(
      StageOf("fast", "weight: 1, next: {status: Running}") +
          StageOf("slow",
                  "weight: 1, delay: {durationMilliseconds: 100, "
                  "jitterDurationMilliseconds: 3000}, next: {status: Running}") +
          StageOf("fails", "weight: 1, next: {status: ImagePullBackOff, times: 2}") +
          StageOf("ready",
                  "delay: {durationMilliseconds: 100, jitterDurationMilliseconds: 4000}, "
                  "next: {status: Ready}") +
          StageOf("crash",
                  "delay: {durationMilliseconds: 100, jitterDurationMilliseconds: 4000}, "
                  "next: {status: OOMKilled}"),
      seed);
  Histories seen = cluster.Watch(pods, [&](const Histories& histories) {
    return histories.size() == kCount && std::ranges::all_of(histories, [&](const auto& entry) {
             return entry.second.size() >= kStatuses;
           });
  });
  for (auto& [name, history] : seen) history.resize(std::min(history.size(), kStatuses));
  EXPECT_EQ(cluster.Stop(), 0);
  return seen;
}

TEST(UpStages, TheSameSeedGivesTheSameStatuses) {
  const Histories first = RunWithSeed("1");
  EXPECT_EQ(RunWithSeed("1"), first);
  EXPECT_NE(RunWithSeed("2"), first);
}

TEST(UpStages, WrongFilesAreRefused) {
  const TemporaryDirectory files;
  const std::string wrong = files.Write("s.yaml", StageOf("a", "delai: {}, next: {status: Ready}"));
  struct Case {
    std::vector<std::string> arguments;
    std::string want;
  };
  const Case cases[] = {
      {{"--stages", wrong},
       "berth up: " + wrong +
           ": document 1: Stage \"a\": unknown field \"spec.delai\": {}; did you mean "
           "\"delay\"?\n"},
      {{"--stages", "/nowhere.yaml"}, "berth up: --stages /nowhere.yaml: No such file"},
      {{"--stages", wrong, "--no-kubelets"}, "--stages cannot be used with --no-kubelets"},
  };
  for (const Case& c : cases) {
    std::vector<std::string> arguments{"up", "--port", "0"};
    arguments.insert(arguments.end(), c.arguments.begin(), c.arguments.end());
    const ProcessResult ended = RunBerth(arguments);
    EXPECT_EQ(ended.code, 1);
    EXPECT_THAT(ended.err, HasSubstr(c.want));
  }
}

// The files of the documentation.
TEST(UpStages, TheExampleIsValid) {
  const TemporaryDirectory files;
  const std::string examples = BERTH_SOURCE_DIR "/examples/up/";
  RunningProcess up({BERTH_BINARY, "up", "--port", "0", "--nodes", "3", "--stages",
                     examples + "stages.yaml", "-f", examples + "workloads.yaml", "--kubeconfig",
                     files.path("kubeconfig")});
  EXPECT_THAT(up.WaitForLine("listening on "), HasSubstr("http://"));
  EXPECT_EQ(up.err(), "");
  EXPECT_EQ(up.End(SIGTERM), 0);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::cli
