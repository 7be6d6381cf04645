#include <fmt/format.h>

#include <boost/json/value.hpp>
#include <memory>
#include <string>

#include "api/json/document.h"
#include "api/json/writer.h"
#include "base/kubernetes_version.h"
#include "base/terminal.h"
#include "build_info/build_info.h"
#include "cmd/command_line.h"
#include "cmd/commands.h"
#include "features/feature_gate_table.h"
#include "features/feature_gates.h"
#include "features/served_versions.h"
#include "flags/command.h"
#include "flags/flag_group.h"

namespace berth::cmd {
namespace {

using build_info::BuildInfo;

// The feature gates that can be switched.
api::JsonArray Features() {
  api::JsonArray gates;
  for (const features::FeatureGate& gate : features::AllFeatureGates()) {
    if (gate.locked || gate.support != features::GateSupport::kSwitch) continue;
    gates.push_back(
        {{"name", gate.name}, {"stage", features::StageLabel(gate.stage)}, {"default", gate.on}});
  }
  return gates;
}

api::JsonObject VersionJson(const BuildInfo& build) {
  api::JsonArray servers;
  for (const int minor : features::kServedMinors) {
    servers.emplace_back(fmt::format("1.{}", minor));
  }
  return {{"version", build.version},
          {"commit", build.commit},
          {"treeState", build_info::TreeState(build)},
          {"date", build.date},
          {"compiler", build.compiler},
          {"platform", build.platform},
          {"kubernetes", {{"scheduler", kKubernetesMinorVersion}, {"servers", std::move(servers)}}},
          {"features", Features()}};
}

std::string VersionText(const BuildInfo& build) {
  std::string text = VersionLine() + "\n";
  const std::string commit =
      build.commit.empty() ? "unknown"
                           : fmt::format("{}{}", build.commit, build.modified ? ", modified" : "");
  text += fmt::format("commit      {}\n", commit);
  text += fmt::format("date        {}\n", build.date.empty() ? "unknown" : build.date);
  text += fmt::format("compiler    {}\n", build.compiler);
  text += fmt::format("platform    {}\n", build.platform);
  return text + fmt::format("API servers {}\n", features::ServedVersionsText());
}

}  // namespace

std::string VersionLine() {
  return fmt::format("berth {} (kube-scheduler v{})", build_info::ThisBuild().version,
                     kKubernetesMinorVersion);
}

void AddVersion(flags::Command& berth) {
  flags::Command& command =
      berth.Add("version", "Print the version, and the Kubernetes versions that it serves");
  command.details =
      "'berth --version' prints the first line only. JSON has the feature gates that can be\n"
      "switched, too. Nothing is asked of any cluster.\n";
  command.exit_codes = "0 done, 2 invalid usage";
  command.examples =
      "  berth version\n"
      "  berth version -o json\n";
  const auto output = std::make_shared<std::string>("text");
  flags::FlagGroup(command.flags)
      .Text("output", *output, "Output format: text or json")
      .Short('o')
      .As("FORMAT")
      .OneOf({"text", "json"});
  command.run = [output] {
    const BuildInfo& build = build_info::ThisBuild();
    if (*output == "json") {
      Print("{}\n", api::ToPrettyJson(VersionJson(build)));
    } else {
      Print("{}", VersionText(build));
    }
    return kExitOk;
  };
}

}  // namespace berth::cmd
