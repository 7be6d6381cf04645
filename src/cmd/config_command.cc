#include "cmd/config_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "base/terminal.h"
#include "cmd/command_line.h"
#include "cmd/commands.h"
#include "cmd/feature_gate_flag.h"
#include "cmd/object_files.h"
#include "flags/command.h"
#include "flags/flag_group.h"
#include "runtime/extender_tls.h"
#include "scheduler/config/engine_options.h"
#include "scheduler/config/load.h"
#include "scheduler/config/print.h"
#include "scheduler/config/validate.h"

namespace berth::cmd {
namespace {

// Formats errors with Go's messages.
Result<std::string> ReadNamedFile(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             std::fclose);
  if (file == nullptr) {
    std::string why = std::strerror(errno);
    why[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(why[0])));
    return Fail(fmt::format("open {}: {}", path, why));
  }
  return ReadStream(file.get(), path);
}

CheckedConfiguration FailAt(CheckedConfiguration checked, std::string stage,
                            std::vector<std::string> errors) {
  checked.stage = std::move(stage);
  checked.errors = std::move(errors);
  return checked;
}

}  // namespace

CheckedConfiguration CheckConfiguration(std::string_view text,
                                        const scheduler::framework::Registry& registry,
                                        const scheduler::model::Features& features) {
  CheckedConfiguration checked;
  auto decoded = scheduler::config::Decode(text, features);
  if (!decoded) return FailAt(std::move(checked), "decode", std::move(decoded.error()));
  checked.completed = *std::move(decoded);
  auto mistakes = scheduler::config::Validate(*checked.completed);
  if (!mistakes.empty()) return FailAt(std::move(checked), "validate", std::move(mistakes));

  if (const Status tls = runtime::CheckExtenderTls(*checked.completed, ReadNamedFile); !tls) {
    return FailAt(std::move(checked), "build", {tls.error().message});
  }
  auto configs = scheduler::config::ToProfileConfigs(*checked.completed);
  if (!configs) return FailAt(std::move(checked), "build", {configs.error().message});
  checked.profile_configs = *std::move(configs);
  for (const scheduler::framework::ProfileConfig& profile : checked.profile_configs) {
    auto built = scheduler::framework::Profile::Build(profile, registry);
    if (!built) {
      return FailAt(std::move(checked), "build",
                    {fmt::format("initializing profiles: creating profile for scheduler name {}: "
                                 "{}",
                                 profile.scheduler_name, built.error().message)});
    }
    checked.profiles.push_back(*std::move(built));
  }
  return checked;
}

Result<CheckedConfiguration> LoadConfiguration(const std::string& file,
                                               const scheduler::framework::Registry& registry,
                                               const scheduler::model::Features& features) {
  if (file.empty()) {
    return CheckConfiguration(scheduler::config::ToYaml(scheduler::config::Default(features)),
                              registry, features);
  }
  const auto text = ReadText(file, "--config");
  if (!text) return std::unexpected(text.error());
  CheckedConfiguration checked = CheckConfiguration(*text, registry, features);
  if (checked.ok()) return checked;
  std::vector<std::string> lines;
  for (const std::string& error : checked.errors)
    lines.push_back(fmt::format("{}: {}", file, error));
  return Fail(fmt::format("{}", fmt::join(lines, "\n")));
}

namespace {

constexpr const char* kStandardInput = "-";

std::string NameOf(const std::string& file) {
  return file == kStandardInput ? "standard input" : file;
}

// Prints every error, one per line, and returns the exit code.
int PrintErrors(const CheckedConfiguration& checked, const std::string& file) {
  for (const std::string& error : checked.errors) {
    PrintError("{}: {}\n", NameOf(file), error);
  }
  return checked.ok() ? kExitOk : kExitFailed;
}

struct ConfigOptions {
  std::string file;
  std::vector<std::string> feature_gates;
};

int RunValidate(const ConfigOptions& options, const Registry& registry) {
  const std::string& file = options.file;
  const auto features = ReadFeatureGates(options.feature_gates, "berth config validate");
  if (!features) {
    PrintError("berth config validate: {}\n", features.error().message);
    return kExitUsage;
  }
  const auto text = ReadText(file);
  if (!text) {
    PrintError("berth config validate: {}\n", text.error().message);
    return kExitUsage;
  }
  const CheckedConfiguration checked = CheckConfiguration(*text, registry, *features);
  if (!checked.ok()) return PrintErrors(checked, file);
  for (const std::string& note : scheduler::config::Warnings(*checked.completed)) {
    PrintError("{}: note: {}\n", NameOf(file), note);
  }
  Print("{}: valid\n", NameOf(file));
  return kExitOk;
}

int RunShow(const ConfigOptions& options, const Registry& registry) {
  const std::string& file = options.file;
  const auto features = ReadFeatureGates(options.feature_gates, "berth config show");
  if (!features) {
    PrintError("berth config show: {}\n", features.error().message);
    return kExitUsage;
  }
  if (file.empty()) {
    Print("{}", scheduler::config::ToYaml(scheduler::config::Default(*features)));
    return kExitOk;
  }
  const auto text = ReadText(file);
  if (!text) {
    PrintError("berth config show: {}\n", text.error().message);
    return kExitUsage;
  }
  const CheckedConfiguration checked = CheckConfiguration(*text, registry, *features);
  if (checked.ok()) Print("{}", scheduler::config::ToYaml(*checked.completed));
  return PrintErrors(checked, file);
}

}  // namespace

void AddConfig(flags::Command& berth, const Registry& registry) {
  flags::Command& config =
      berth.Add("config", "Validate or print a KubeSchedulerConfiguration file");
  const auto options = std::make_shared<ConfigOptions>();

  flags::Command& validate = config.Add("validate", "Validate a file and list all errors");
  validate.details =
      "Prints \"FILE: valid\", or all errors, one per line, each with the path of its field.\n"
      "Also instantiates plugins and extenders, as kube-scheduler does at startup.\n";
  validate.exit_codes = "0 valid, 1 invalid, 2 invalid usage or unreadable file";
  validate.examples = "  berth config validate scheduler.yaml\n";
  validate.Takes("FILE", options->file, "Configuration file, or - for standard input");
  flags::FlagGroup validate_flags(validate.flags);
  AddFeatureGates(validate_flags, options->feature_gates);
  validate.run = [options, &registry] { return RunValidate(*options, registry); };

  flags::Command& show = config.Add("show", "Print a configuration as YAML, with defaults applied");
  show.details = "The output is a valid configuration file.\n";
  show.exit_codes = "0 printed, 1 invalid file, 2 invalid usage or unreadable file";
  show.examples = "  berth config show > scheduler.yaml\n";
  show.Takes("FILE", options->file,
             "Configuration file, or - for standard input (default: built-in defaults)")
      .required = false;
  flags::FlagGroup show_flags(show.flags);
  AddFeatureGates(show_flags, options->feature_gates);
  show.run = [options, &registry] { return RunShow(*options, registry); };
}

}  // namespace berth::cmd
