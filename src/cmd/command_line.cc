#include "cmd/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>

#include "cmd/apiserver_command.h"
#include "cmd/check_command.h"
#include "cmd/config_command.h"
#include "cmd/conformance_command.h"
#include "cmd/replay_command.h"
#include "cmd/schedule_command.h"
#include "cmd/simtest_command.h"
#include "cmd/up_command.h"

namespace berth::cmd {
namespace {

constexpr const char* kParanoid =
    "Recompute each decision from scratch and with the reference implementation; stop at the "
    "first mismatch";

constexpr const char* kVersionText = "berth " BERTH_VERSION " (kube-scheduler v1.36)";

void AddApiServer(CLI::App& app, ApiServerFlags& options) {
  CLI::App* command = app.add_subcommand(
      "apiserver", "Run the embedded Kubernetes API server, without nodes or scheduler");
  command->footer(
      "kubectl, kube-scheduler and other clients can use it like any API server. It runs no "
      "kubelets,\n"
      "controllers or scheduler; use berth up for those. Stop it with Ctrl-C.\n"
      "\n"
      "On a loopback address requests are not authenticated or authorized, as with kubectl proxy. "
      "Any\n"
      "other address requires TLS and a bearer token or client certificate.\n"
      "Exit codes: 0 stopped by a signal, 1 failed to start or the data\n"
      "directory cannot be written, 2 invalid usage.\n"
      "\n"
      "Example:\n"
      "  berth apiserver --data-dir ./cluster --kubeconfig ./kubeconfig\n"
      "  KUBECONFIG=./kubeconfig kubectl get namespaces\n"
      "  berth apiserver --address 0.0.0.0 --tls --token-auth-file tokens.csv --kubeconfig admin");
  AddApiServerFlags(*command, options);
}

// The subcommands of `berth config`, and their file.
struct ConfigOptions {
  std::string file;
  CLI::App* validate = nullptr;
  CLI::App* show = nullptr;
};

void AddCheck(CLI::App& app, CheckOptions& options) {
  CLI::App* command =
      app.add_subcommand("check", "Check that berth-scheduler can run on a cluster");
  command->footer(
      "Validates the configuration, then checks the server version, RBAC permissions and served\n"
      "resources with the scheduler's credentials. Read-only.\n"
      "Exit codes: 0 no problems, 1 problems found, 2 invalid usage.\n"
      "\n"
      "Example:\n"
      "  berth check --kubeconfig /etc/kubernetes/scheduler.conf");
  command
      ->add_option("--kubeconfig", options.kubeconfig,
                   "Kubeconfig of the cluster and user to check (default: "
                   "clientConnection.kubeconfig, else in-cluster)")
      ->type_name("FILE");
  command
      ->add_option("--context", options.context,
                   "Kubeconfig context to use (default: current-context)")
      ->type_name("NAME");
  command
      ->add_option("--config", options.config_file,
                   "KubeSchedulerConfiguration file (default: built-in defaults)")
      ->type_name("FILE");
}

void AddConfig(CLI::App& app, ConfigOptions& options) {
  CLI::App* command =
      app.add_subcommand("config", "Validate or print a KubeSchedulerConfiguration file");
  command->require_subcommand(1);
  command->footer("Run \"berth config COMMAND --help\" for details.");
  options.validate = command->add_subcommand("validate", "Validate a file and list all errors");
  options.validate->footer(
      "Prints \"FILE: valid\", or all errors, one per line, each with the path of its field.\n"
      "Also instantiates plugins and extenders, as kube-scheduler does at startup.\n"
      "Exit codes: 0 valid, 1 invalid, 2 invalid usage or unreadable file.\n"
      "\n"
      "Example:\n"
      "  berth config validate scheduler.yaml");
  options.validate->add_option("FILE", options.file, "Configuration file, or - for standard input")
      ->required()
      ->type_name("");
  options.show =
      command->add_subcommand("show", "Print a configuration as YAML, with defaults applied");
  options.show->footer(
      "The output is a valid configuration file.\n"
      "Exit codes: 0 printed, 1 invalid file, 2 invalid usage or unreadable file.\n"
      "\n"
      "Example:\n"
      "  berth config show > scheduler.yaml");
  options.show
      ->add_option("FILE", options.file,
                   "Configuration file, or - for standard input (default: built-in defaults)")
      ->type_name("");
}

void AddConformance(CLI::App& app, ConformanceOptions& options) {
  CLI::App* command = app.add_subcommand(
      "conformance", "Compare Berth's decisions with results recorded from kube-scheduler");
  command->footer(
      "Prints the number of passed and failed cases per group, and the first differences.\n"
      "Exit codes: 0 all passed, 1 a case failed, 2 invalid usage or unreadable file.\n"
      "\n"
      "Example:\n"
      "  berth conformance --first 10 tests/conformance/taints.jsonl.gz");
  command->add_option("FILE", options.files, "Case files: .jsonl or .jsonl.gz")
      ->required()
      ->type_name("");
  command
      ->add_option("-g,--group", options.groups,
                   "Run only the cases of this group, for example taints; may be repeated")
      ->type_name("NAME")
      ->allow_extra_args(false);
  command
      ->add_option("-n,--first", options.first,
                   "Number of differences to print per group (default 3)")
      ->type_name("N")
      ->check(CLI::NonNegativeNumber.description(""));
  command
      ->add_option("--scores-of", options.scores_of,
                   "Compare only the scores of these plugins, without totals and best nodes")
      ->type_name("PLUGIN,...")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_flag("--paranoid", options.paranoid, kParanoid);
}

void AddReplay(CLI::App& app, ReplayCommandOptions& options) {
  CLI::App* command = app.add_subcommand("replay", "Replay a recording and compare the decisions");
  command->footer(
      "Prints the number of events and decisions, and the first decision that differs. A "
      "truncated or\n"
      "damaged end of the file is reported, and the intact part is replayed.\n"
      "Exit codes: 0 identical, 1 a decision differs, 2 invalid usage, or an unreadable or damaged "
      "file.\n"
      "\n"
      "Example:\n"
      "  berth schedule -f examples --record run.berth\n"
      "  berth replay run.berth");
  command->add_option("FILE", options.file, "Recording, or - for standard input")
      ->required()
      ->type_name("");
  command->add_flag("--paranoid", options.paranoid, kParanoid);
}

void AddSchedule(CLI::App& app, ScheduleOptions& options) {
  CLI::App* command = app.add_subcommand(
      "schedule",
      "Schedule the pending pods of a cluster described in YAML and explain the result");
  command->footer(
      "Schedules pods without spec.nodeName by priority, then in file order. Fields that an API "
      "server\n"
      "defaults may be omitted.\n"
      "Exit codes: 0 done, 1 invalid input, 2 invalid usage, 3 see --fail-on-unschedulable.\n"
      "\n"
      "Example:\n"
      "  berth schedule -f examples/harbour.yaml -f examples/pods.yaml --explain --pod web-1");
  command
      ->add_option(
          "-f,--filename", options.files,
          "File with YAML or JSON objects, directory of *.yaml, *.yml and *.json files, or "
          "- for standard input; may be repeated")
      ->required()
      ->type_name("FILE")
      ->allow_extra_args(false);
  command
      ->add_option("--config", options.config_file,
                   "KubeSchedulerConfiguration file (default: built-in defaults)")
      ->type_name("FILE");
  command->add_option("-o,--output", options.output, "Output format: table, json or yaml")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"table", "json", "yaml"}))
      ->capture_default_str();
  command->add_flag("-e,--explain", options.explain,
                    "Explain per pod which plugins rejected nodes and how the others scored");
  command
      ->add_option("-p,--pod", options.pods,
                   "Show only this pod, NAME or NAMESPACE/NAME (all are scheduled); may be "
                   "repeated")
      ->type_name("POD")
      ->allow_extra_args(false);
  command
      ->add_option("--seed", options.seed,
                   "Random seed, for choices that are random in kube-scheduler (default 0)")
      ->type_name("N")
      ->check(CLI::NonNegativeNumber.description(""));
  command->add_flag("--paranoid", options.paranoid, kParanoid);
  command
      ->add_option("--record", options.record_file,
                   "Record events and decisions to this file, for berth replay")
      ->type_name("FILE");
  command->add_flag("--fail-on-unschedulable", options.fail_on_unschedulable,
                    "Exit with code 3 if any pod stays pending");
}

void AddSimtest(CLI::App& app, SimtestOptions& options) {
  CLI::App* command = app.add_subcommand(
      "simtest",
      "Run the scheduler in simulated clusters with injected faults and check invariants");
  command->footer(
      "Each seed generates one simulated cluster. Prints, for each seed that violates an "
      "invariant, its\n"
      "last events and the command that reproduces it, and a summary line at the end.\n"
      "Exit codes: 0 no violation, 1 an invariant was violated, 2 invalid usage or unreadable "
      "file.\n"
      "\n"
      "Example:\n"
      "  berth simtest --seeds 1..2000\n"
      "  berth simtest --seeds 17..17 --trace");
  command->add_option("--seeds", options.seeds, "Seeds to run: a range (1..2000) or a single one")
      ->type_name("A..B");
  command
      ->add_option("--seed-file", options.seed_file,
                   "File with further seeds to run: one per line, # starts a comment")
      ->type_name("FILE");
  command->add_option("--steps", options.steps, "Number of simulated steps with faults")
      ->type_name("N")
      ->check(CLI::NonNegativeNumber.description(""))
      ->capture_default_str();
  command->add_flag("--trace", options.trace, "Print every event, command and decision");
  command->add_flag("--paranoid", options.paranoid, kParanoid);
}

}  // namespace

int RunCommandLine(int argc, const char* const* argv,
                   const scheduler::framework::Registry& registry) {
  ApiServerFlags apiserver;
  CheckOptions check;
  ConfigOptions config;
  ConformanceOptions conformance;
  ReplayCommandOptions replay;
  ScheduleOptions schedule;
  SimtestOptions simtest;
  UpOptions up;
  CLI::App app(
      "Berth is a drop-in replacement for kube-scheduler v1.36 that explains every decision.",
      "berth");
  app.set_version_flag("--version", kVersionText, "Print the version and exit");
  app.footer("Run \"berth COMMAND --help\" for details.");
  app.require_subcommand(1);
  AddApiServer(app, apiserver);
  AddCheck(app, check);
  AddConfig(app, config);
  AddConformance(app, conformance);
  AddReplay(app, replay);
  AddSchedule(app, schedule);
  AddSimtest(app, simtest);
  AddUp(app, up);
  app.add_subcommand("version", "Print the version");

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const bool unknown = argc > 1 && argv[1][0] != '-' && app.get_subcommands().empty();
    if (!unknown) return app.exit(error) == 0 ? kExitOk : kExitUsage;
    fmt::print(stderr, "berth: unknown command \"{}\" for \"berth\"; run \"berth --help\"\n",
               argv[1]);
    return kExitUsage;
  }
  if (app.got_subcommand("apiserver")) return RunApiServer(apiserver);
  if (app.got_subcommand("check")) return RunCheck(check, registry);
  if (config.validate->parsed()) return RunConfigValidate(config.file, registry);
  if (config.show->parsed()) return RunConfigShow(config.file, registry);
  if (app.got_subcommand("conformance")) return RunConformance(conformance);
  if (app.got_subcommand("replay")) return RunReplay(replay, registry);
  if (app.got_subcommand("schedule")) return RunSchedule(schedule, registry);
  if (app.got_subcommand("simtest")) return RunSimtest(simtest);
  if (app.got_subcommand("up")) return RunUp(up, registry);
  fmt::print("{}\n", kVersionText);
  return kExitOk;
}

}  // namespace berth::cmd
