#include "cmd/why_fix.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/object.hpp>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "base/terminal.h"
#include "cmd/command_line.h"
#include "cmd/why_apply.h"
#include "cmd/why_print.h"
#include "cmd/why_subject.h"
#include "cmd/why_text.h"
#include "explain/patches.h"
#include "explain/pod_explanation_json.h"

namespace berth::cmd {
namespace {

// What --watch waits for: the pods of the subject that are there now.
Result<RunningPods> Look(const WhyOptions& options,
                         const scheduler::framework::Registry& registry) {
  auto cluster = WhyCluster::Read(options.source, registry);
  if (!cluster) return std::unexpected(cluster.error());
  const auto subject = ParseWhySubject(options.subject);
  if (!subject) return std::unexpected(subject.error());
  std::vector<api::Ref<api::Pod>> pods;
  if (subject->kind == "Pod") {
    // While it is created again, it is absent.
    if (const auto pod = (*cluster)->FindPod(subject->name)) pods.push_back(*pod);
  } else if (auto found = (*cluster)->PodsOf(subject->kind, subject->api_version, subject->name)) {
    pods = *std::move(found);
  }
  std::erase_if(pods, [](const auto& pod) { return pod->metadata.deletion_timestamp; });
  RunningPods progress{.pods = pods.size()};
  for (const api::Ref<api::Pod>& pod : pods) progress.running += pod->status.phase == "Running";
  return progress;
}

int ApplyFix(const WhyOptions& options, const WhyCluster& cluster,
             const scheduler::framework::Registry& registry, const explain::PodExplanation& pod) {
  const auto steps = explain::StepsOf(pod.fixes->fixes[options.fix - 1], pod.workload);
  const Status applied =
      ApplySteps(steps, {options.yes, options.source.kubeconfig, options.source.context});
  if (!applied) return WhyFailed(applied.error().message);
  if (!options.watch) return kExitOk;
  WhyOptions watched = options;
  watched.source.namespace_ = cluster.namespace_name();
  const Status ran = WatchUntilRunning(
      [&] { return Look(watched, registry); },
      [](Duration wait) { std::this_thread::sleep_for(std::chrono::nanoseconds(wait.nanos)); });
  return ran ? kExitOk : WhyFailed(ran.error().message);
}

}  // namespace

int PrintFix(const WhyOptions& options, const WhyCluster& cluster,
             const scheduler::framework::Registry& registry, const explain::PodExplanation& pod) {
  const size_t found = pod.fixes ? pod.fixes->fixes.size() : 0;
  if (options.fix > found) {
    return WhyFailed(fmt::format(
        "--fix {}: there {} {} fix{} for {}", options.fix, found == 1 ? "is" : "are",
        found == 0 ? "no" : fmt::format("{}", found), found == 1 ? "" : "es", options.subject));
  }
  if (options.apply) return ApplyFix(options, cluster, registry, pod);
  if (options.output == "json") {
    return PrintAnswer(options, cluster, "", explain::PatchesJson(pod, options.fix));
  }
  Print("{}", StepsText(pod.fixes->fixes[options.fix - 1], pod.workload, options.output == "yaml"));
  return kExitOk;
}

}  // namespace berth::cmd
