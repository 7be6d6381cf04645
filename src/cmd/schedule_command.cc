#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/workers.h"
#include "cmd/command_line.h"
#include "cmd/commands.h"
#include "cmd/config_command.h"
#include "cmd/feature_gate_flag.h"
#include "cmd/object_files.h"
#include "cmd/offline_admission.h"
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

// The start of the run unless an object has a later timestamp: 2026-01-01T00:00:00Z. No clock is
// read, so that runs are reproducible.
constexpr Instant kEarliestStart = Instant::FromUnixSeconds(1'767'225'600);

Instant LatestTime(const std::vector<api::Object>& objects) {
  Instant latest = kEarliestStart;
  auto consider = [&](const std::optional<Instant>& time) {
    if (time) latest = std::max(latest, *time);
  };
  for (const api::Object& object : objects) {
    consider(api::MetaOf(object).creation_timestamp);
    if (const auto* pod = std::get_if<api::Ref<api::Pod>>(&object))
      consider((*pod)->status.start_time);
  }
  return latest;
}

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

Result<ScheduleReport> Schedule(const ScheduleOptions& options, const Registry& registry) {
  const auto features = ReadFeatureGates(options.feature_gates, "berth schedule");
  if (!features) return std::unexpected(features.error());
  auto loaded = LoadConfiguration(options.config_file, registry, *features);
  if (!loaded) return std::unexpected(loaded.error());
  for (const std::string& note : scheduler::config::Warnings(*loaded->completed)) {
    fmt::print(stderr, "berth schedule: note: {}: {}\n", options.config_file, note);
  }
  const auto read = ReadObjects(options.files);
  if (!read) return std::unexpected(read.error());
  const Instant start = LatestTime(*read);
  const auto objects = AdmitAll(*read, start, *features);
  if (!objects) return std::unexpected(objects.error());
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
  auto report =
      ScheduleAll(*objects, *engine_options, registry, start + Duration::Seconds(1), record->get());
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
  return report;
}

std::string Format(const ScheduleReport& report, const std::string& output) {
  if (output == "json") return ToJson(report);
  if (output == "yaml") return ToYaml(report);
  return ToText(report);
}

int RunSchedule(const ScheduleOptions& options, const Registry& registry) {
  auto report = Schedule(options, registry);
  Status status = report ? Status() : std::unexpected(report.error());
  const bool all_scheduled =
      report && report->Count(PodOutcome::Kind::kScheduled) == report->pods.size();
  if (report && report->pods.empty()) {
    fmt::print(
        stderr,
        "berth schedule: note: no pending pods found; Deployments and other workloads are not "
        "expanded into pods\n");
  }
  if (status) status = RetainPods(options.pods, *report);
  if (!status) {
    fmt::print(stderr, "berth schedule: {}\n", status.error().message);
    return kExitFailed;
  }
  fmt::print("{}", Format(*report, options.output));
  return options.fail_on_unschedulable && !all_scheduled ? kExitUnschedulable : kExitOk;
}

}  // namespace

void AddSchedule(flags::Command& berth, const Registry& registry) {
  flags::Command& command =
      berth.Add("schedule",
                "Schedule the pending pods of a cluster described in YAML and explain the result");
  command.details =
      "Schedules pods without spec.nodeName by priority, then in file order. Fields that an API "
      "server\n"
      "defaults may be omitted.\n"
      "Exit codes: 0 done, 1 invalid input, 2 invalid usage, 3 see --fail-on-unschedulable.\n";
  command.examples =
      "  berth schedule -f examples/harbour.yaml -f examples/pods.yaml --explain --pod web-1\n";
  const auto options = std::make_shared<ScheduleOptions>();
  flags::FlagGroup group(command.flags);
  group
      .Repeated("filename", options->files,
                "File with YAML or JSON objects, directory of *.yaml, *.yml and *.json files, or - "
                "for standard input; may be repeated")
      .Short('f')
      .As("FILE")
      .Required();
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
      .As("POD");
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
