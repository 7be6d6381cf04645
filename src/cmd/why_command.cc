#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/json/document.h"
#include "apiserver/selectors.h"
#include "base/terminal.h"
#include "cmd/command_line.h"
#include "cmd/commands.h"
#include "cmd/complete_names.h"
#include "cmd/feature_gate_flag.h"
#include "cmd/live_cluster.h"
#include "cmd/scheduler_pods.h"
#include "cmd/why_access.h"
#include "cmd/why_attempts.h"
#include "cmd/why_cluster.h"
#include "cmd/why_fix.h"
#include "cmd/why_many.h"
#include "cmd/why_options.h"
#include "cmd/why_outside.h"
#include "cmd/why_print.h"
#include "cmd/why_subject.h"
#include "cmd/why_text.h"
#include "explain/group_explanation.h"
#include "explain/pod_explanation.h"
#include "explain/pod_explanation_json.h"
#include "flags/command.h"
#include "flags/flag_group.h"

namespace berth::cmd {
namespace {

int WhyUsageError(std::string_view problem) {
  PrintError("berth why: {}\nSee 'berth why --help' for usage.\n", problem);
  return kExitUsage;
}

// Reports whether kube-scheduler itself, to be seen in `pods`, schedules the pod: nobody knows its
// attempts then.
bool IsOfKubeScheduler(const explain::PodExplanation& pod,
                       const std::vector<api::Ref<api::Pod>>& pods) {
  return pod.scheduler_name == "default-scheduler" &&
         std::ranges::any_of(pods, [](const api::Ref<api::Pod>& other) {
           const auto component = other->metadata.labels.find("component");
           return component != other->metadata.labels.end() &&
                  component->second == "kube-scheduler" && !RunsBerthScheduler(*other);
         });
}

// Adds what the scheduler remembers of the pod, or a line that says why that is not known. Fails
// only if the user has named the scheduler.
Status AddHistory(const WhyOptions& options, WhyCluster& cluster,
                  const explain::PodExplanation& pod, std::string& text,
                  api::JsonObject& document) {
  if (cluster.live() == nullptr) return {};
  const auto pods = cluster.PodsIn(options.scheduler.namespace_);
  auto history = AskScheduler(options.scheduler, *cluster.live(), pods, pod.pod);
  if (history) {
    text += HistoryText(*history, TimesOf(options, cluster));
    for (auto& member : *history) document.emplace(member.key(), std::move(member.value()));
    return {};
  }
  if (!options.scheduler.address.empty()) {
    return Fail("--scheduler-address: " + history.error().message);
  }
  if (IsOfKubeScheduler(pod, pods)) return {};
  const std::string note = "What its scheduler did is not known: " + history.error().message;
  text += fmt::format("\n{}.\n", note);
  api::EnsureArray(document, "notes").emplace_back(note);
  return {};
}

int WhyPod(const WhyOptions& options, WhyCluster& cluster, const Registry& registry,
           const std::string& name, const explain::ExplainOptions& explain) {
  const auto pod = cluster.FindPod(name);
  if (!pod) return WhyFailed(pod.error().message);
  auto explanation =
      explain::ExplainPod(cluster.engine(), *pod, cluster.profile(), cluster.now(), explain);
  if (!explanation) return WhyFailed(explanation.error().message);
  WhyOutside(cluster, false).AddTo(*explanation);
  AccessCheck(cluster.live()).AddForbidden(*explanation);
  if (options.fix > 0) return PrintFix(options, cluster, registry, *explanation);
  std::string text = ToText(*explanation, TimesOf(options, cluster));
  api::JsonObject document = explain::ToJson(*explanation);
  if (Status status = AddHistory(options, cluster, *explanation, text, document); !status) {
    return WhyFailed(status.error().message);
  }
  return PrintAnswer(options, cluster, text, std::move(document));
}

int WhyGroup(const WhyOptions& options, WhyCluster& cluster, const std::string& name) {
  const auto group = explain::ExplainGroup(cluster.engine(), {cluster.namespace_name(), name});
  if (!group) return WhyFailed(group.error().message);
  const auto& decision = group->decision;
  if (!decision.exists && decision.members.empty() && decision.scheduled == 0) {
    return WhyFailed(
        fmt::format("PodGroup \"{}\" not found in namespace \"{}\"; groups are read with "
                    "--feature-gates GenericWorkload=true,GangScheduling=true",
                    name, cluster.namespace_name()));
  }
  return PrintAnswer(options, cluster, ToText(*group), explain::ToJson(*group));
}

int RunWhy(const WhyOptions& options, const Registry& registry) {
  if (options.subject.empty() != options.all_pending) {
    return WhyUsageError("either a pod, a workload or --all-pending is required");
  }
  std::optional<WhySubject> subject;
  if (!options.all_pending) {
    auto parsed = ParseWhySubject(options.subject);
    if (!parsed) return WhyUsageError(parsed.error().message);
    subject = *std::move(parsed);
  }
  const bool one_pod = subject && subject->kind == "Pod";
  if ((options.all_namespaces || !options.selector.empty()) && !options.all_pending) {
    return WhyUsageError("--all-namespaces and --selector require --all-pending");
  }
  if (const auto parsed = apiserver::ParseLabelSelector(options.selector); !parsed) {
    return WhyUsageError(fmt::format("--selector: {}", parsed.error().message));
  }
  if (options.fix > 0 && (!subject || subject->kind == "PodGroup")) {
    return WhyUsageError("--fix requires a pod or a workload");
  }
  if ((options.apply || options.watch) && (options.fix == 0 || !options.source.files.empty())) {
    return WhyUsageError("--apply and --watch require --fix, and a live cluster");
  }
  if (options.watch && !options.apply) return WhyUsageError("--watch requires --apply");
  if (options.yes && !options.apply) return WhyUsageError("--yes requires --apply");
  if (!options.node.empty() && !one_pod) return WhyUsageError("--on requires a pod");
  if (!options.scheduler.address.empty() && (!one_pod || !options.source.files.empty())) {
    return WhyUsageError("--scheduler-address requires a pod of a live cluster");
  }
  if (!options.scheduler.ca_file.empty() && options.scheduler.insecure) {
    return WhyUsageError(
        "--scheduler-ca-file and --scheduler-insecure-skip-tls-verify exclude each other");
  }
  auto cluster = WhyCluster::Read(options.source, registry);
  if (!cluster) return WhyFailed(cluster.error().message);
  explain::ExplainOptions explain;
  explain.fixes = options.fixes;
  explain.fix.node = options.node;
  if (subject && subject->kind == "PodGroup") return WhyGroup(options, **cluster, subject->name);
  return one_pod ? WhyPod(options, **cluster, registry, subject->name, explain)
                 : WhyMany(options, **cluster, registry, subject, explain);
}

}  // namespace

void AddWhy(flags::Command& berth, const Registry& registry) {
  flags::Command& command =
      berth.Add("why", "Explain why a pod is pending or where it is, and what would change it");
  command.details =
      "Reads a cluster of Kubernetes v1.30 or later, whatever schedules it, and writes nothing to\n"
      "it unless --apply is set. Says which plugins reject which nodes, how the others score and "
      "who would be "
      "preempted;\n"
      "for a pod that fits nowhere, the smallest changes that let it run, each verified by "
      "deciding\n"
      "again. Workloads are deployment/NAME, statefulset/NAME, daemonset/NAME, job/NAME and\n"
      "replicaset/NAME; podgroup/NAME explains a PodGroup. Installed as kubectl-berth, it is the "
      "command 'kubectl berth why'.\n";
  command.exit_codes = "0 done, 1 not found or not readable, 2 invalid usage";
  DescribeDefaultKubeconfig(command);
  command.examples =
      "  berth why web-1 -n shop\n"
      "  berth why web-1 --fix 2 -o yaml\n"
      "  berth why deployment/web\n"
      "  berth why --all-pending -l team=shop\n";
  const auto options = std::make_shared<WhyOptions>();
  const NameSource names{.kubeconfig = &options->source.kubeconfig,
                         .context = &options->source.context,
                         .namespace_ = &options->source.namespace_,
                         .files = &options->source.files};
  flags::Argument& subject =
      command.Takes("POD", options->subject, "Pod, or workload as KIND/NAME");
  subject.required = false;
  subject.complete = WhySubjects(names);
  flags::FlagGroup group(command.flags);
  group.Switch("all-pending", options->all_pending,
               "Explain all pods without a node, in groups with the same cause; of all namespaces "
               "unless --namespace is set");
  group
      .Switch("all-namespaces", options->all_namespaces,
              "With --all-pending: of all namespaces, whatever --namespace says")
      .Short('A');
  group
      .Text("selector", options->selector,
            "With --all-pending: only pods with these labels, as in kubectl get")
      .Short('l')
      .As("SELECTOR");
  group
      .Text("namespace", options->source.namespace_,
            "Namespace of the pod or workload (default: that of the context)")
      .Short('n')
      .As("NAME")
      .Completes(NamespaceNames(names));
  group
      .Text("output", options->output, "Output format: text, wide (with exact times), json or yaml")
      .Short('o')
      .As("FORMAT")
      .OneOf({"text", "wide", "json", "yaml"});
  group.Switch("fixes", options->fixes, "Look for changes that let a pod run which fits nowhere");
  group.Uint(
      "fix", options->fix,
      "Print how fix N of the pod or workload is made: as commands; with -o yaml, as patches");
  group.Switch("apply", options->apply,
               "Make the fix of --fix with kubectl, after asking, with your own permissions");
  group.Switch("yes", options->yes, "Apply without asking");
  group.Switch("watch", options->watch, "After --apply, wait up to two minutes until the pods run");
  group
      .Text("on", options->node,
            "Look for changes that let the pod fit on this node, though it may fit elsewhere")
      .As("NODE")
      .Completes(NodeNames(names));
  group
      .Text("scheduler-address", options->scheduler.address,
            "URL of the cluster's berth-scheduler (https://HOST:10259), to add what it remembers: "
            "the attempts to schedule the pod (default: the API server of berth up, else the pods "
            "of berth-scheduler in --scheduler-namespace, through port-forwards)")
      .As("URL");
  group
      .Text("scheduler-namespace", options->scheduler.namespace_,
            "Namespace of the pods of berth-scheduler")
      .As("NAME")
      .Completes(NamespaceNames(names));
  group
      .Text("scheduler-ca-file", options->scheduler.ca_file,
            "Authorities of the scheduler's certificate (default: those of the kubeconfig; of a "
            "pod it is not verified then, and no token is sent to it)")
      .As("FILE");
  group
      .Text("scheduler-tls-server-name", options->scheduler.server_name,
            "Name in the scheduler's certificate, if it differs from the URL's (of a pod: "
            "localhost)")
      .As("NAME");
  group.Switch("scheduler-insecure-skip-tls-verify", options->scheduler.insecure,
               "Do not verify the scheduler's certificate, and send it the token of the kubeconfig "
               "all the same");
  group
      .Repeated("filename", options->source.files,
                "File or directory with the objects of a cluster, instead of a live one; may be "
                "repeated")
      .Short('f')
      .As("FILE");
  group
      .Text("kubeconfig", options->source.kubeconfig,
            "Kubeconfig of the cluster (default: $KUBECONFIG, ~/.kube/config or in-cluster)")
      .As("FILE");
  group
      .Text("context", options->source.context,
            "Kubeconfig context to use (default: "
            "current-context)")
      .As("NAME")
      .Completes(ContextNames(names));
  group
      .Text(
          "config", options->source.config_file,
          "KubeSchedulerConfiguration file of the cluster's scheduler (default: built-in defaults)")
      .As("FILE");
  AddFeatureGates(group, options->source.feature_gates);
  command.run = [options, &registry] { return RunWhy(*options, registry); };
}

}  // namespace berth::cmd
