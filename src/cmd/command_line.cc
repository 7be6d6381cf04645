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
    "Make every decision again, from scratch and by the slow twin, and stop if they differ";

constexpr const char* kVersionText = "berth " BERTH_VERSION " (kube-scheduler v1.36)";

void AddApiServer(CLI::App& app, ApiServerFlags& options) {
  CLI::App* command = app.add_subcommand(
      "apiserver", "Serve the Kubernetes API on this machine, without a cluster");
  command->footer(
      "kubectl, kube-scheduler and other clients can use it as a cluster; nothing runs in it: "
      "berth up\n"
      "adds nodes, controllers and the scheduler. Ctrl-C ends it.\n"
      "\n"
      "On a loopback address everybody on this machine may do everything, as with kubectl proxy. "
      "On\n"
      "any other address TLS is needed, and a token or a client certificate from every client.\n"
      "Exit codes: 0 ended by a signal, 1 it could not start, 2 bad usage.\n"
      "\n"
      "Example:\n"
      "  berth apiserver --data-dir ./cluster --kubeconfig ./kubeconfig\n"
      "  KUBECONFIG=./kubeconfig kubectl get namespaces\n"
      "  berth apiserver --address 0.0.0.0 --tls --token-auth-file tokens.csv --kubeconfig admin");
  AddApiServerFlags(*command, options);
}

// Of `berth config`: which of its commands, and on what file.
struct ConfigOptions {
  std::string file;
  CLI::App* validate = nullptr;
  CLI::App* show = nullptr;
};

void AddCheck(CLI::App& app, CheckOptions& options) {
  CLI::App* command =
      app.add_subcommand("check", "Ask a cluster whether berth-scheduler would work there");
  command->footer(
      "Reads the configuration, then asks the server as the scheduler's user: version, "
      "permissions, collections.\n"
      "Writes nothing. Exit codes: 0 all is well; 1 there is a problem to solve; 2 bad usage.\n"
      "\n"
      "Example:\n"
      "  berth check --kubeconfig /etc/kubernetes/scheduler.conf");
  command
      ->add_option("--kubeconfig", options.kubeconfig,
                   "Whom to ask, and as whom (default: what the configuration names, else the "
                   "cluster that this runs in)")
      ->type_name("FILE");
  command->add_option("--context", options.context, "Of the kubeconfig (default: its current one)")
      ->type_name("NAME");
  command
      ->add_option("--config", options.config_file,
                   "KubeSchedulerConfiguration file (default: the default configuration)")
      ->type_name("FILE");
}

void AddConfig(CLI::App& app, ConfigOptions& options) {
  CLI::App* command =
      app.add_subcommand("config", "Check or show a KubeSchedulerConfiguration file");
  command->require_subcommand(1);
  command->footer("berth config COMMAND --help tells more about a command.");
  options.validate =
      command->add_subcommand("validate", "Say everything that is wrong with a file");
  options.validate->footer(
      "Prints that the file is valid, or every problem with the path of the field, one per line.\n"
      "Plugins and extenders are built too, as kube-scheduler does when it starts.\n"
      "Exit codes: 0 valid, 1 not valid, 2 bad usage or an unreadable file.\n"
      "\n"
      "Example:\n"
      "  berth config validate scheduler.yaml");
  options.validate->add_option("FILE", options.file, "Configuration file, or - for standard input")
      ->required()
      ->type_name("");
  options.show =
      command->add_subcommand("show", "Print a configuration as YAML with all defaults filled in");
  options.show->footer(
      "What is printed can be used as a configuration file.\n"
      "Exit codes: 0 printed, 1 the file is not valid, 2 bad usage or an unreadable file.\n"
      "\n"
      "Example:\n"
      "  berth config show > scheduler.yaml");
  options.show
      ->add_option("FILE", options.file,
                   "Configuration file, or - for standard input (default: the default "
                   "configuration)")
      ->type_name("");
}

void AddConformance(CLI::App& app, ConformanceOptions& options) {
  CLI::App* command = app.add_subcommand(
      "conformance", "Compare Berth's decisions with recorded ones of kube-scheduler");
  command->footer(
      "Prints, for each group of cases, how many passed and failed, and the first differences.\n"
      "Exit codes: 0 all passed, 1 a case failed, 2 bad usage or an unreadable file.\n"
      "\n"
      "Example:\n"
      "  berth conformance --first 10 tests/conformance/taints.jsonl.gz");
  command->add_option("FILE", options.files, "Case files: .jsonl or .jsonl.gz")
      ->required()
      ->type_name("");
  command
      ->add_option("-g,--group", options.groups,
                   "Run the cases of this group only, for example taints; may be repeated")
      ->type_name("NAME")
      ->allow_extra_args(false);
  command
      ->add_option("-n,--first", options.first,
                   "How many differences to print for each group; 0 for none (default 3)")
      ->type_name("N")
      ->check(CLI::NonNegativeNumber.description(""));
  command
      ->add_option("--scores-of", options.scores_of,
                   "Compare the scores of these plugins only; totals and best nodes are then not "
                   "compared")
      ->type_name("PLUGIN,...")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_flag("--paranoid", options.paranoid, kParanoid);
}

void AddReplay(CLI::App& app, ReplayCommandOptions& options) {
  CLI::App* command = app.add_subcommand(
      "replay", "Run a recording again, and say whether all decisions are the same");
  command->footer(
      "Prints how much there was to replay, and where the decisions part if they do. If the end of "
      "the\n"
      "file is missing or damaged, that is told and the rest is replayed.\n"
      "Exit codes: 0 all the same, 1 the decisions part, 2 bad usage, or the file is unreadable "
      "or\n"
      "damaged.\n"
      "\n"
      "Example:\n"
      "  berth schedule -f examples --record run.berth\n"
      "  berth replay run.berth");
  command->add_option("FILE", options.file, "The recording, or - for standard input")
      ->required()
      ->type_name("");
  command->add_flag("--paranoid", options.paranoid, kParanoid);
}

void AddSchedule(CLI::App& app, ScheduleOptions& options) {
  CLI::App* command = app.add_subcommand(
      "schedule", "Place the pending pods of a cluster given as YAML, and say why");
  command->footer(
      "Pods that have no node yet are scheduled in the order in which they are read. Fields that "
      "an\n"
      "API server would fill in may be left out.\n"
      "Exit codes: 0 done, 1 bad input, 2 bad usage, 3 see --fail-on-unschedulable.\n"
      "\n"
      "Example:\n"
      "  berth schedule -f examples/harbour.yaml -f examples/pods.yaml --explain --pod web-1");
  command
      ->add_option("-f,--filename", options.files,
                   "Objects to read, YAML or JSON: a file, a directory (its *.yaml, *.yml and "
                   "*.json), or - for standard input; may be repeated")
      ->required()
      ->type_name("FILE")
      ->allow_extra_args(false);
  command
      ->add_option("--config", options.config_file,
                   "KubeSchedulerConfiguration file (default: the default configuration)")
      ->type_name("FILE");
  command->add_option("-o,--output", options.output, "Output format: table, json or yaml")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"table", "json", "yaml"}))
      ->capture_default_str();
  command->add_flag("-e,--explain", options.explain,
                    "Tell for each pod why nodes were rejected, and how the others scored");
  command
      ->add_option("-p,--pod", options.pods,
                   "Report on this pod only, as NAME or NAMESPACE/NAME; all pods are scheduled all "
                   "the same; may be repeated")
      ->type_name("POD")
      ->allow_extra_args(false);
  command
      ->add_option("--seed", options.seed,
                   "Seed of the choices that kube-scheduler makes at random (default 0)")
      ->type_name("N")
      ->check(CLI::NonNegativeNumber.description(""));
  command->add_flag("--paranoid", options.paranoid, kParanoid);
  command
      ->add_option("--record", options.record_file,
                   "Write all that the scheduler hears and decides to this file; see berth replay")
      ->type_name("FILE");
  command->add_flag("--fail-on-unschedulable", options.fail_on_unschedulable,
                    "Exit with 3 if any pod stays pending");
}

void AddSimtest(CLI::App& app, SimtestOptions& options) {
  CLI::App* command = app.add_subcommand(
      "simtest", "Run the scheduler in simulated worlds full of faults, and check what must hold");
  command->footer(
      "Each seed is a world of its own. Prints, for each one that breaks an invariant, which, "
      "what\n"
      "happened before, and the command that replays it; in the end how many worlds there were.\n"
      "Exit codes: 0 all is well, 1 an invariant is broken, 2 bad usage or an unreadable file.\n"
      "\n"
      "Example:\n"
      "  berth simtest --seeds 1..2000\n"
      "  berth simtest --seeds 17..17 --trace");
  command->add_option("--seeds", options.seeds, "The seeds to run, first and last: 1..2000; or one")
      ->type_name("A..B");
  command
      ->add_option("--seed-file", options.seed_file,
                   "Run the seeds in this file, too: one per line, # starts a comment")
      ->type_name("FILE");
  command
      ->add_option("--steps", options.steps,
                   "How many things happen in each world before the faults stop")
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
  CLI::App app("Berth schedules pods as kube-scheduler v1.36 does, and explains every decision.",
               "berth");
  app.set_version_flag("--version", kVersionText, "Print the version and exit");
  app.footer("berth COMMAND --help tells more about a command.");
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
    fmt::print(stderr, "berth: there is no command \"{}\"; berth --help lists them\n", argv[1]);
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
