#include "cmd/check_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/value.hpp>
#include <cstdio>
#include <utility>

#include "api/json/json.h"
#include "api/json/writer.h"
#include "base/terminal.h"
#include "cmd/command_line.h"
#include "features/served_versions.h"

namespace berth::cmd {
namespace {

std::string_view NameOf(CheckResult result) {
  switch (result) {
    case CheckResult::kOk:
      return "ok";
    case CheckResult::kNote:
      return "note";
    case CheckResult::kProblem:
      return "problem";
  }
  return "";
}

std::string Counted(size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace

void CheckReport::Problems(std::string_view lines, const std::string& fix) {
  while (!lines.empty()) {
    const size_t end = std::min(lines.find('\n'), lines.size());
    Problem(std::string(lines.substr(0, end)), fix);
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
}

void CheckReport::Add(CheckResult result, std::string message, std::string fix) {
  if (!json_) {
    const std::string_view shown = result == CheckResult::kProblem ? "PROBLEM" : NameOf(result);
    Print("{:<9}{}\n", shown, message);
    if (!fix.empty()) Print("{:9}fix: {}\n", "", fix);
    std::fflush(stdout);
  }
  findings_.push_back({check_, result, std::move(message), std::move(fix)});
}

size_t CheckReport::Count(CheckResult result) const {
  return static_cast<size_t>(std::ranges::count(findings_, result, &Finding::result));
}

std::string CheckReport::Json() const {
  api::JsonArray findings;
  for (const Finding& finding : findings_) {
    api::JsonObject one{
        {"check", finding.check}, {"result", NameOf(finding.result)}, {"message", finding.message}};
    if (!finding.fix.empty()) one.emplace("fix", finding.fix);
    findings.push_back(std::move(one));
  }
  api::JsonArray served;
  for (const int minor : features::kServedMinors) served.emplace_back(fmt::format("1.{}", minor));
  return api::ToPrettyJson(api::JsonObject{{"kind", "CheckReport"},
                                           {"ok", Count(CheckResult::kProblem) == 0},
                                           {"server", server_},
                                           {"serverVersion", server_version_},
                                           {"servedVersions", std::move(served)},
                                           {"problems", Count(CheckResult::kProblem)},
                                           {"notes", Count(CheckResult::kNote)},
                                           {"findings", std::move(findings)}});
}

int CheckReport::End() const {
  const size_t problems = Count(CheckResult::kProblem), notes = Count(CheckResult::kNote);
  if (json_) {
    Print("{}\n", Json());
  } else {
    Print("\n{}{}.\n", problems == 0 ? verdict_ : Counted(problems, "problem") + " found",
          notes == 0 ? "" : fmt::format(" ({})", Counted(notes, "note")));
  }
  return problems == 0 ? kExitOk : kExitFailed;
}

}  // namespace berth::cmd
