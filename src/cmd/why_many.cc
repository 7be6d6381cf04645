#include "cmd/why_many.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

#include "api/json/document.h"
#include "apiserver/selectors.h"
#include "base/terminal.h"
#include "cmd/command_line.h"
#include "cmd/progress_line.h"
#include "cmd/why_access.h"
#include "cmd/why_fix.h"
#include "cmd/why_outside.h"
#include "cmd/why_print.h"
#include "cmd/why_text.h"
#include "explain/pod_explanation_json.h"
#include "explain/pod_groups.h"

namespace berth::cmd {
namespace {

// More groups than a screen shows begin with a list of what is wrong.
constexpr size_t kGroupsWithoutList = 3;

class ManyPods {
 public:
  ManyPods(const WhyOptions& options, WhyCluster& cluster, const explain::ExplainOptions& explain)
      : options_(options),
        cluster_(cluster),
        wants_fixes_(explain.fixes),
        outside_(cluster, true),
        access_(cluster.live()),
        grouping_(cluster.engine(), cluster.profile(), cluster.now(), WithTrouble(explain)) {}

  // Makes the groups of the workload.
  Status Explain(const WhySubject& subject) {
    workload_ = {subject.api_version, subject.kind, {cluster_.namespace_name(), subject.name}};
    const auto not_created = outside_.NotCreated(*workload_);
    auto pods = cluster_.PodsOf(subject.kind, subject.api_version, subject.name);
    if (!pods && !not_created) return std::unexpected(pods.error());
    Status status = Group(pods ? *std::move(pods) : std::vector<api::Ref<api::Pod>>());
    if (!not_created) return status;
    grouping_.groups().sentence = not_created->text;
    if (wants_fixes_) grouping_.groups().fixes = outside_.FixesOfNotCreated(*workload_);
    return status;
  }

  // Makes the groups of all pending pods.
  Status ExplainPending() {
    const std::string& home = options_.all_namespaces ? "" : options_.source.namespace_;
    std::vector<api::Ref<api::Pod>> pods = cluster_.Pending(home);
    const auto selector = apiserver::ParseLabelSelector(options_.selector);
    if (!selector) return std::unexpected(selector.error());
    std::erase_if(pods, [&](const api::Ref<api::Pod>& pod) {
      return !std::ranges::all_of(*selector, [&](const api::Requirement& requirement) {
        return requirement.Matches(pod->metadata.labels);
      });
    });
    Status status = Group(std::move(pods));
    // What was not created has no labels.
    if (options_.selector.empty()) {
      grouping_.groups().not_created = outside_.AllNotCreated(home);
    }
    return status;
  }

  int Print() {
    if (!options_.is_text()) return PrintDocument();
    const std::vector<explain::PodGroup>& groups = grouping_.groups().groups;
    const bool listed = !workload_ && groups.size() > kGroupsWithoutList;
    berth::Print("{}", HeadText(grouping_.groups(), listed));
    std::fflush(stdout);
    for (size_t i = 0; i < groups.size(); ++i) {
      if (Status status = FindFixes(i); !status) return WhyFailed(status.error().message);
      berth::Print("{}", ToText(groups[i], workload_.has_value(), grouping_.groups().fixes.size()));
      std::fflush(stdout);
    }
    berth::Print("{}", LeftOutText(cluster_));
    return kExitOk;
  }

  // Prints or applies a fix: of the first group that has any.
  int PrintFixOfAny(const scheduler::framework::Registry& registry) {
    const explain::PodGroups& groups = grouping_.groups();
    const size_t others = groups.fixes.size();
    if (options_.fix <= others || groups.groups.empty()) {
      explain::PodExplanation workload;
      workload.pod = workload_->key;
      workload.fixes = explain::FixReport{.fixes = groups.fixes};
      return PrintFix(options_, cluster_, registry, workload);
    }
    WhyOptions options = options_;
    options.fix -= others;
    const explain::PodExplanation* stuck = &groups.groups.front().explanation;
    for (size_t i = 0; i < groups.groups.size(); ++i) {
      if (Status status = FindFixes(i); !status) return WhyFailed(status.error().message);
      const explain::PodExplanation& pod = groups.groups[i].explanation;
      if (!pod.fixes || pod.fixes->fixes.empty()) continue;
      stuck = &pod;
      break;
    }
    return PrintFix(options, cluster_, registry, *stuck);
  }

 private:
  explain::ExplainOptions WithTrouble(explain::ExplainOptions explain) {
    explain.trouble = [this](const api::Pod& pod) {
      return outside_.TroubleOf({pod.metadata.namespace_, pod.metadata.name});
    };
    return explain;
  }

  Status Group(std::vector<api::Ref<api::Pod>> pods) {
    progress_.Show(fmt::format("explaining {} pods", pods.size()));
    Status status = grouping_.Add(pods);
    if (!status) return status;
    for (explain::PodGroup& group : grouping_.groups().groups) {
      const bool placed = group.explanation.state == explain::PodState::kRunning;
      if (!placed) outside_.AddTo(group.explanation);
    }
    progress_.Clear();
    return {};
  }

  Status FindFixes(size_t number) {
    if (!wants_fixes_) return {};
    explain::PodGroups& groups = grouping_.groups();
    progress_.Show(
        fmt::format("looking for fixes: group {} of {}", number + 1, groups.groups.size()));
    Status status = grouping_.FindFixes(number);
    if (status) access_.AddForbidden(groups.groups[number].explanation);
    progress_.Clear();
    return status;
  }

  int PrintDocument() {
    for (size_t i = 0; i < grouping_.groups().groups.size(); ++i) {
      if (Status status = FindFixes(i); !status) return WhyFailed(status.error().message);
    }
    return PrintAnswer(options_, cluster_, "",
                       explain::ToJson(grouping_.groups(), workload_ ? &*workload_ : nullptr));
  }

  const WhyOptions& options_;
  WhyCluster& cluster_;
  const bool wants_fixes_;
  WhyOutside outside_;
  AccessCheck access_;
  explain::PodGrouping grouping_;
  std::optional<explain::ObjectName> workload_;
  ProgressLine progress_;
};

}  // namespace

int WhyMany(const WhyOptions& options, WhyCluster& cluster,
            const scheduler::framework::Registry& registry,
            const std::optional<WhySubject>& subject, const explain::ExplainOptions& explain) {
  explain::ExplainOptions grouped = explain;
  grouped.brief = !subject && options.is_text();
  ManyPods pods(options, cluster, grouped);
  const Status status = subject ? pods.Explain(*subject) : pods.ExplainPending();
  if (!status) return WhyFailed(status.error().message);
  return options.fix > 0 ? pods.PrintFixOfAny(registry) : pods.Print();
}

}  // namespace berth::cmd
