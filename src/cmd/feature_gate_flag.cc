#include "cmd/feature_gate_flag.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>

#include "base/terminal.h"
#include "features/feature_gates.h"
#include "features/gate_completion.h"
#include "flags/flag_group.h"

namespace berth::cmd {

void AddFeatureGates(flags::FlagGroup& group, std::vector<std::string>& settings) {
  group
      .Other(
          "feature-gates", "GATES",
          [&settings](const std::string& text) -> Status {
            for (std::string& setting : features::SplitSettings(text))
              settings.push_back(std::move(setting));
            return {};
          },
          [&settings] { return fmt::format("{}", fmt::join(settings, ",")); },
          "Feature gates of the scheduler, as of kube-scheduler: Gate=true,Other=false; may be "
          "repeated")
      .Completes(features::GateSettings());
}

Result<scheduler::model::Features> ReadFeatureGates(const std::vector<std::string>& settings,
                                                    std::string_view command) {
  const auto gates = features::FeatureGates::Parse(settings);
  if (!gates) {
    std::vector<std::string> lines;
    for (const std::string& problem : gates.error()) lines.push_back("--feature-gates: " + problem);
    return Fail(fmt::format("{}", fmt::join(lines, "\n")));
  }
  for (const std::string& warning : gates->warnings())
    PrintError("{}: note: {}\n", command, warning);
  return gates->OfScheduler();
}

}  // namespace berth::cmd
