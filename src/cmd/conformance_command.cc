#include "cmd/conformance_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "api/json/parse.h"
#include "base/terminal.h"
#include "base/text_table.h"
#include "cmd/command_line.h"
#include "cmd/commands.h"
#include "cmd/complete_names.h"
#include "cmd/conformance_api_cases.h"
#include "cmd/conformance_cel_cases.h"
#include "cmd/conformance_cluster_cases.h"
#include "cmd/conformance_config_cases.h"
#include "cmd/conformance_file.h"
#include "cmd/conformance_gang_cases.h"
#include "cmd/conformance_hint_cases.h"
#include "flags/command.h"
#include "flags/flag_group.h"
#include "scheduler/plugins/in_tree_registry.h"

namespace berth::cmd {
namespace {

constexpr size_t kWidestColumn = 60;

}  // namespace

ConformanceReport::Group& ConformanceReport::FindOrAdd(const std::string& name) {
  const auto [entry, is_new] = index_.try_emplace(name, groups_.size());
  if (is_new) groups_.emplace_back().name = name;
  return groups_[entry->second];
}

void ConformanceReport::Add(const std::string& group_name, const std::string& name,
                            const Differences& differences) {
  Group& group = FindOrAdd(group_name);
  ++(differences.empty() ? group.passed : group.failed);
  group.differences += differences.size();
  const size_t count = std::min(limit_ - group.first.size(), differences.size());
  for (size_t i = 0; i < count; ++i) group.first.emplace_back(name, differences[i]);
}

size_t ConformanceReport::passed() const {
  size_t count = 0;
  for (const Group& group : groups_) count += group.passed;
  return count;
}

size_t ConformanceReport::failed() const {
  size_t count = 0;
  for (const Group& group : groups_) count += group.failed;
  return count;
}

std::string ConformanceReport::ToString() const {
  size_t width = 0;
  for (const Group& group : groups_) width = std::max(width, DisplayWidth(group.name));
  std::string out;
  for (const Group& group : groups_) {
    out += fmt::format("{:<{}}  {:>5} passed  {:>5} failed\n", group.name, width, group.passed,
                       group.failed);
    TextTable table("    ");
    table.set_widest(kWidestColumn);
    for (const auto& [name, difference] : group.first) {
      table.Add({name, difference.what, "expected " + difference.expected,
                 "actual " + difference.actual});
    }
    out += table.ToString();
    const size_t left = group.differences - group.first.size();
    if (left > 0 && limit_ > 0) out += fmt::format("    and {} more differences\n", left);
  }
  return out + fmt::format("{} passed, {} failed\n", passed(), failed());
}

namespace {

using Value = JsonFields::Value;

struct ConformanceOptions {
  std::vector<std::string> files;
  std::vector<std::string> groups;     // Empty: all.
  std::vector<std::string> scores_of;  // Plugins; empty: all, with totals.
  size_t first = 3;                    // Differences to print for each group.
  bool paranoid = false;
};

enum class RowKind { kPod, kDigest, kSequence, kConfig, kQuantity, kSelector, kCel, kHint, kGang };

// Detects the type of a row by its fields, so that files may have any name.
Result<RowKind> KindOf(JsonFields& json, Value row) {
  if (json.Find(row, "gates")) return RowKind::kGang;
  if (const auto expect = json.Find(row, "expect")) {
    if (json.Find(*expect, "steps")) return RowKind::kSequence;
    return json.Find(*expect, "sampleFilter") ? RowKind::kDigest : RowKind::kPod;
  }
  if (json.Find(row, "yaml")) return RowKind::kConfig;
  if (json.Find(row, "expression")) return RowKind::kCel;
  if (json.Find(row, "s")) return RowKind::kQuantity;
  const std::string kind = json.String(row, "kind");
  if (kind == "labelSelector" || kind == "nodeSelector" || kind == "toleration") {
    return RowKind::kSelector;
  }
  if (kind == "objects" || kind == "registration" || kind == "hint") return RowKind::kHint;
  return Fail(
      "unknown case type: expected one of the fields expect, gates, yaml, expression, s or kind");
}

// Returns the group of rows that do not name one.
std::string_view GroupOf(RowKind kind) {
  switch (kind) {
    case RowKind::kConfig:
      return "config";
    case RowKind::kQuantity:
      return "quantities";
    case RowKind::kSelector:
      return "selectors";
    case RowKind::kCel:
      return "cel";
    case RowKind::kHint:
      return "queueinghints";
    default:
      return "unnamed";
  }
}

class Runner {
 public:
  explicit Runner(const ConformanceOptions& options)
      : options_(options),
        cluster_cases_({.scores_of = options.scores_of}, options.paranoid),
        registry_(scheduler::plugins::InTreeRegistry()),
        report_(options.first) {}

  Status RunFile(const std::string& path) {
    const auto file = CaseFile::Read(path);
    if (!file) return std::unexpected(file.error());
    const auto rows = file->rows();
    if (rows.empty()) return Fail(fmt::format("{}: no cases", path));
    for (size_t i = 0; i < rows.size(); ++i) {
      ShowProgress(path, i, rows.size());
      if (Status status = RunRow(rows[i]); !status) {
        ClearProgress();
        return Fail(fmt::format("{}:{}: {}", path, rows[i].line, status.error().message));
      }
    }
    ClearProgress();
    return {};
  }

  // Fails if a requested group is in no file.
  Status CheckGroups() const {
    for (const std::string& group : options_.groups) {
      if (seen_.contains(group)) continue;
      return Fail(fmt::format("no group \"{}\" in the given files; they have: {}", group,
                              fmt::join(seen_, ", ")));
    }
    return {};
  }

  const ConformanceReport& report() const { return report_; }

 private:
  Status RunRow(const CaseFile::Row& row) {
    const auto document = api::ParseJson(row.text);
    if (!document) return Fail(fmt::format("not valid JSON: {}", document.error().message));
    if (!document->is_object()) return Fail("not a JSON object");
    const Value value(*document);
    JsonFields json;
    const auto kind = KindOf(json, value);
    std::string name = json.String(value, "name");
    if (Status status = json.status(); !status) return status;
    if (!kind) return std::unexpected(kind.error());

    const size_t slash = name.find('/');
    std::string group =
        slash == std::string::npos ? std::string(GroupOf(*kind)) : name.substr(0, slash);
    // Other files have a group "preemption", too.
    if (*kind == RowKind::kGang && group != "gang") group = "gang-" + group;
    if (name.empty()) name = fmt::format("line {}", row.line);
    seen_.insert(group);
    if (!Wanted(group)) return {};
    const auto differences = Run(*kind, value);
    if (!differences) return Fail(fmt::format("{}: {}", name, differences.error().message));
    report_.Add(group, name, *differences);
    return {};
  }

  bool Wanted(const std::string& group) const {
    return options_.groups.empty() ||
           std::ranges::find(options_.groups, group) != options_.groups.end();
  }

  Result<Differences> Run(RowKind kind, Value row) {
    switch (kind) {
      case RowKind::kPod:
        return cluster_cases_.RunPod(row);
      case RowKind::kDigest:
        return cluster_cases_.RunDigest(row);
      case RowKind::kSequence:
        return cluster_cases_.RunSequence(row);
      case RowKind::kConfig:
        return RunConfig(row, registry_);
      case RowKind::kQuantity:
        return RunQuantity(row);
      case RowKind::kSelector:
        return RunSelector(row);
      case RowKind::kCel:
        return RunDeviceSelector(row, options_.paranoid);
      case RowKind::kHint:
        return hint_cases_.Run(row);
      case RowKind::kGang:
        return RunGangCase(row, registry_, options_.paranoid);
    }
    return Fail("unknown case type");
  }

  void ShowProgress(const std::string& path, size_t done, size_t all) const {
    constexpr size_t kEvery = 20;
    if (terminal_ && done % kEvery == 0)
      ReplaceLine(stderr, fmt::format("{} {}/{}", path, done, all));
  }
  void ClearProgress() const {
    if (terminal_) ReplaceLine(stderr, "");
  }

  const ConformanceOptions& options_;
  ClusterCases cluster_cases_;
  scheduler::framework::Registry registry_;
  HintCases hint_cases_{registry_};
  ConformanceReport report_;
  std::set<std::string> seen_;
  bool terminal_ = isatty(STDERR_FILENO) != 0;
};

int RunConformance(const ConformanceOptions& options) {
  auto fail = [](const Status& status) {
    PrintError("berth conformance: {}\n", status.error().message);
    return kExitUsage;
  };
  Runner runner(options);
  for (const std::string& path : options.files) {
    if (const Status status = runner.RunFile(path); !status) return fail(status);
  }
  if (const Status status = runner.CheckGroups(); !status) return fail(status);
  Print("{}", runner.report().ToString());
  return runner.report().failed() > 0 ? kExitFailed : kExitOk;
}

}  // namespace

void AddConformance(flags::Command& berth) {
  flags::Command& command = berth.Add(
      "conformance", "Compare Berth's decisions with results recorded from kube-scheduler");
  command.details =
      "Prints the number of passed and failed cases per group, and the first differences.\n";
  command.exit_codes = "0 no case failed, 1 a case failed, 2 invalid usage or unreadable file";
  command.examples = "  berth conformance --first 10 tests/conformance/taints.jsonl.gz\n";
  const auto options = std::make_shared<ConformanceOptions>();
  command.Takes("FILE", options->files, "Case files: .jsonl or .jsonl.gz");
  flags::FlagGroup group(command.flags);
  group
      .Repeated("group", options->groups,
                "Run only the cases of this group, for example taints; may be repeated")
      .Short('g')
      .As("NAME");
  group.Uint("first", options->first, "Number of differences to print per group").Short('n');
  group
      .List("scores-of", options->scores_of,
            "Compare only the scores of these plugins, without totals and best nodes")
      .As("PLUGIN,...")
      .Completes(PluginNames());
  group.Switch("paranoid", options->paranoid, kParanoidHelp);
  command.run = [options] { return RunConformance(*options); };
}

}  // namespace berth::cmd
