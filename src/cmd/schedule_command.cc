#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/terminal.h"
#include "base/workers.h"
#include "cmd/command_line.h"
#include "cmd/commands.h"
#include "cmd/complete_names.h"
#include "cmd/config_command.h"
#include "cmd/feature_gate_flag.h"
#include "cmd/live_cluster.h"
#include "cmd/manifests.h"
#include "cmd/schedule_cluster.h"
#include "cmd/schedule_json.h"
#include "cmd/schedule_run.h"
#include "cmd/schedule_text.h"
#include "flags/command.h"
#include "flags/flag_group.h"
#include "runtime/recording_file.h"
#include "scheduler/config/print.h"
#include "scheduler/config/validate.h"
#include "scheduler/recording/replay.h"

namespace berth::cmd {
namespace {

struct ScheduleOptions {
  std::vector<std::string> files;
  std::string kubeconfig;           // Of a live cluster; empty: none.
  std::string context;              // In the kubeconfig; empty: its current-context.
  std::string validate = "strict";  // Or warn, ignore.
  std::string config_file;
  std::vector<std::string> feature_gates;
  std::string output = "table";   // Or json, yaml.
  std::vector<std::string> pods;  // Pods to show; empty: all.
  std::string record_file;        // Recording to write; empty: none.
  uint64_t seed = 0;
  bool explain = false;
  bool paranoid = false;
  bool fail_on_unschedulable = false;
};

// Removes all outcomes but those of the named pods.
Status RetainPods(const std::vector<std::string>& names, ScheduleReport& report) {
  if (names.empty()) return {};
  auto is_named = [](const PodOutcome& outcome, const std::string& name) {
    return outcome.pod.name == name || outcome.pod.ToString() == name;
  };
  for (const std::string& name : names) {
    const bool found = std::ranges::any_of(
        report.pods, [&](const PodOutcome& outcome) { return is_named(outcome, name); });
    if (!found) return Fail(fmt::format("--pod {}: no pending pod with this name", name));
  }
  std::erase_if(report.pods, [&](const PodOutcome& outcome) {
    return std::ranges::none_of(names,
                                [&](const std::string& name) { return is_named(outcome, name); });
  });
  return {};
}

void Note(std::string_view text) { PrintError("berth schedule: note: {}\n", text); }

FieldCheck FieldCheckOf(const std::string& validate) {
  if (validate == "strict" || validate == "true") return FieldCheck::kStrict;
  return validate == "warn" ? FieldCheck::kWarn : FieldCheck::kIgnore;
}

// Reads the files and the live cluster, and prints what was skipped.
Result<ScheduledCluster> ReadCluster(const ScheduleOptions& options, bool has_extenders,
                                     const scheduler::model::Features& features) {
  auto manifests = ReadManifests(options.files, FieldCheckOf(options.validate));
  if (!manifests) return std::unexpected(manifests.error());
  for (const std::string& warning : manifests->warnings) {
    PrintError("berth schedule: warning: {}\n", warning);
  }
  if (const std::string skipped = manifests->SkippedText(); !skipped.empty()) Note(skipped);
  std::unique_ptr<LiveCluster> cluster;
  std::vector<api::Object> live;
  if (!options.kubeconfig.empty()) {
    auto made = LiveCluster::Make(options.kubeconfig, options.context);
    if (!made) return std::unexpected(made.error());
    cluster = *std::move(made);
    std::vector<std::string> notes;
    auto listed = cluster->List(features, has_extenders, notes);
    if (!listed) return std::unexpected(listed.error());
    live = *std::move(listed);
    for (const std::string& note : notes) Note(note);
  }
  auto read =
      MakeCluster(*std::move(manifests), features, cluster ? &live : nullptr, cluster.get());
  if (!read) return read;
  for (const std::string& note : read->notes) Note(note);
  for (const explain::Refusal& refusal : read->refusals) {
    // A class that does not exist is a mistake in the files; a limit is a fact of the cluster.
    const std::string shown =
        fmt::format("{} {}", refusal.workload.kind, refusal.workload.key.ToString());
    const explain::Sentence sentence =
        explain::SentenceOf(refusal, [](std::string_view) { return std::vector<std::string>(); });
    if (sentence.obstacle.starts_with("Missing ")) {
      return Fail(fmt::format("{}: its pods: {}", shown, refusal.message));
    }
    Note(fmt::format("{}: {}", shown, sentence.text));
  }
  return read;
}

// Removes the outcomes of pods that were pending in the live cluster: the question was about those
// of files, unless there are no files.
void RetainNew(const ScheduleOptions& options, const ScheduledCluster& cluster,
               ScheduleReport& report) {
  if (options.kubeconfig.empty() || options.files.empty()) return;
  const std::set<api::ObjectKey> added(cluster.pods.begin(), cluster.pods.end());
  std::erase_if(report.pods,
                [&](const PodOutcome& outcome) { return !added.contains(outcome.pod); });
}

Result<ScheduleReport> Schedule(const ScheduleOptions& options, const Registry& registry) {
  const auto features = ReadFeatureGates(options.feature_gates, "berth schedule");
  if (!features) return std::unexpected(features.error());
  auto loaded = LoadConfiguration(options.config_file, registry, *features);
  if (!loaded) return std::unexpected(loaded.error());
  for (const std::string& note : scheduler::config::Warnings(*loaded->completed)) {
    Note(fmt::format("{}: {}", options.config_file, note));
  }
  const auto cluster = ReadCluster(options, !loaded->completed->extenders.empty(), *features);
  if (!cluster) return std::unexpected(cluster.error());
  const scheduler::recording::RecordingHeader header{std::string("berth schedule"),
                                                     scheduler::config::ToYaml(*loaded->completed),
                                                     options.seed, *features};
  auto engine_options = scheduler::recording::OptionsFor(header);
  if (!engine_options) return std::unexpected(engine_options.error());
  engine_options->explain = options.explain;
  engine_options->paranoid = options.paranoid;
  ThreadWorkers workers(ThreadWorkers::UsefulCount(loaded->completed->parallelism));
  engine_options->workers = &workers;
  auto record = runtime::StartRecording(options.record_file, header);
  if (!record) return Fail("--record " + record.error().message);
  auto report = ScheduleAll(cluster->objects, *engine_options, registry,
                            cluster->start + Duration::Seconds(1), record->get());
  if (!report) {
    // Only the configuration can make this fail.
    return Fail(fmt::format("{}: {}", options.config_file, report.error().message));
  }
  if (*record != nullptr) {
    (*record)->Close();
    if (const Status status = (*record)->status(); !status) {
      return Fail("--record " + status.error().message);
    }
  }
  RetainNew(options, *cluster, *report);
  report->refusals = cluster->refusals;
  return report;
}

std::string Format(const ScheduleReport& report, const std::string& output) {
  if (output == "json") return ToJson(report);
  if (output == "yaml") return ToYaml(report);
  return ToText(report);
}

// Prints each line of an error as one of the program.
void PrintErrors(std::string_view message) {
  while (!message.empty()) {
    const size_t end = std::min(message.find('\n'), message.size());
    PrintError("berth schedule: {}\n", message.substr(0, end));
    message.remove_prefix(std::min(end + 1, message.size()));
  }
}

int UsageError(std::string_view problem) {
  PrintError("berth schedule: {}\nSee 'berth schedule --help' for usage.\n", problem);
  return kExitUsage;
}

int RunSchedule(const ScheduleOptions& options, const Registry& registry) {
  if (options.files.empty() && options.kubeconfig.empty()) {
    return UsageError("--filename or --kubeconfig is required");
  }
  if (!options.context.empty() && options.kubeconfig.empty()) {
    return UsageError("--context requires --kubeconfig");
  }
  auto report = Schedule(options, registry);
  Status status = report ? Status() : std::unexpected(report.error());
  const bool all_scheduled = report &&
                             report->Count(PodOutcome::Kind::kScheduled) == report->pods.size() &&
                             report->refusals.empty();
  if (report && report->pods.empty()) Note("no pending pods found");
  if (status) status = RetainPods(options.pods, *report);
  if (!status) {
    PrintErrors(status.error().message);
    return kExitFailed;
  }
  Print("{}", Format(*report, options.output));
  return options.fail_on_unschedulable && !all_scheduled ? kExitUnschedulable : kExitOk;
}

}  // namespace

void AddSchedule(flags::Command& berth, const Registry& registry) {
  flags::Command& command =
      berth.Add("schedule",
                "Schedule the pending pods of a cluster described in YAML and explain the result");
  command.details =
      "Schedules pods without spec.nodeName by priority, then in file order. Deployments and "
      "other\n"
      "workloads become their pods. Fields that an API server defaults may be omitted; fields and\n"
      "kinds that do not exist are errors. With --kubeconfig, the files are what would be created\n"
      "in a live cluster, to which nothing is written.\n";
  command.exit_codes = "0 done, 1 invalid input, 2 invalid usage, 3 see --fail-on-unschedulable";
  command.examples =
      "  berth schedule -f examples/harbour.yaml -f examples/pods.yaml --explain --pod web-1\n"
      "  berth schedule --kubeconfig ~/.kube/config -f deployment.yaml\n";
  const auto options = std::make_shared<ScheduleOptions>();
  flags::FlagGroup group(command.flags);
  group
      .Repeated("filename", options->files,
                "File with YAML or JSON objects, directory of *.yaml, *.yml and *.json files, or - "
                "for standard input; may be repeated")
      .Short('f')
      .As("FILE");
  group
      .Text("kubeconfig", options->kubeconfig,
            "Kubeconfig of a live cluster to read (read-only); the files are what is added to it")
      .As("FILE");
  const NameSource names{
      .kubeconfig = &options->kubeconfig, .context = &options->context, .files = &options->files};
  group.Text("context", options->context, "Kubeconfig context to use (default: current-context)")
      .As("NAME")
      .Completes(ContextNames(names));
  group
      .Text("validate", options->validate,
            "Unknown and duplicate fields: strict (an error), warn or ignore")
      .As("MODE")
      .OneOf({"strict", "warn", "ignore", "true", "false"});
  group
      .Text("config", options->config_file,
            "KubeSchedulerConfiguration file (default: built-in defaults)")
      .As("FILE");
  AddFeatureGates(group, options->feature_gates);
  group.Text("output", options->output, "Output format: table, json or yaml")
      .Short('o')
      .As("FORMAT")
      .OneOf({"table", "json", "yaml"});
  group
      .Switch("explain", options->explain,
              "Explain per pod which plugins rejected nodes and how the others scored")
      .Short('e');
  group
      .Repeated("pod", options->pods,
                "Show only this pod, NAME or NAMESPACE/NAME (all are scheduled); may be repeated")
      .Short('p')
      .As("POD")
      .Completes(QualifiedPodNames(names));
  group.Uint("seed", options->seed,
             "Random seed, for choices that are random in kube-scheduler (default 0)");
  group.Switch("paranoid", options->paranoid, kParanoidHelp);
  group
      .Text("record", options->record_file,
            "Record events and decisions to this file, for berth replay")
      .As("FILE");
  group.Switch("fail-on-unschedulable", options->fail_on_unschedulable,
               "Exit with code 3 if any pod stays pending");
  command.run = [options, &registry] { return RunSchedule(*options, registry); };
}

}  // namespace berth::cmd
