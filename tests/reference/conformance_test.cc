// The reference implementation against the conformance vectors: kube-scheduler's own results for
// thousands of pods, with reasons and scores.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "api/json/decode.h"
#include "api/json/parse.h"
#include "cmd/conformance_allocations.h"
#include "cmd/conformance_file.h"
#include "scheduler/config/engine_options.h"
#include "scheduler/config/load.h"
#include "scheduler/reference/evaluate.h"

namespace berth::scheduler::reference {
namespace BERTH_TEST_FILE {

using Json = simdjson::dom::element;
using Strings = std::vector<std::string>;

// Later than any start time in the cases.
constexpr Instant kNow = Instant::FromUnixSeconds(4'000'000'000);

// The vectors are well-formed by definition: anything unexpected ends the test.
Json At(const Json& json, std::string_view field) { return json.at_key(field).value(); }

bool Has(const Json& json, std::string_view field) {
  const auto found = json.at_key(field);
  return found.error() == simdjson::SUCCESS && !found.value_unsafe().is_null();
}

std::string Text(const Json& json) { return std::string(json.get_string().value()); }

std::string TextAt(const Json& json, std::string_view field) {
  return Has(json, field) ? Text(At(json, field)) : "";
}

bool FlagAt(const Json& json, std::string_view field) {
  return Has(json, field) && At(json, field).get_bool().value();
}

Strings ListAt(const Json& json, std::string_view field) {
  Strings list;
  if (!Has(json, field)) return list;
  for (const Json item : At(json, field).get_array()) list.push_back(Text(item));
  return list;
}

std::map<std::string, Json> MembersAt(const Json& json, std::string_view field) {
  std::map<std::string, Json> members;
  if (!Has(json, field)) return members;
  for (const auto member : At(json, field).get_object()) {
    members.emplace(member.key, member.value);
  }
  return members;
}

std::map<std::string, int64_t> NumbersIn(const Json& json) {
  std::map<std::string, int64_t> numbers;
  for (const auto member : json.get_object()) {
    numbers.emplace(member.key, member.value.get_int64().value());
  }
  return numbers;
}

template <typename Map>
Strings Keys(const Map& map) {
  Strings keys;
  for (const auto& [key, value] : map) keys.push_back(key);
  return keys;
}

Snapshot ReadSnapshot(const Json& row) {
  Snapshot snapshot;
  for (const Json object : At(row, "objects").get_array()) {
    const auto decoded = api::DecodeJson(simdjson::minify(object));
    EXPECT_TRUE(decoded.has_value()) << decoded.error().message;
    for (const api::Object& known : decoded.value_or(std::vector<api::Object>{}))
      snapshot.Put(known);
  }
  return snapshot;
}

ReferenceProfile ReadProfile(const Json& row) {
  if (!Has(row, "config")) return {};
  const auto configuration = config::Decode(std::string(simdjson::minify(At(row, "config"))));
  EXPECT_TRUE(configuration.has_value());
  const auto profiles = config::ToProfileConfigs(*configuration);
  EXPECT_TRUE(profiles.has_value());
  return ReferenceProfileOf(profiles->at(0));
}

api::Ref<api::Pod> ReadPod(const Json& json) {
  const auto pod = api::DecodeJsonAs<api::Pod>(simdjson::minify(json));
  EXPECT_TRUE(pod.has_value()) << pod.error().message;
  return *pod;
}

// Formats a verdict as one line. The order of reasons does not count.
std::string Line(std::string_view code, std::string_view plugin, Strings reasons) {
  std::ranges::sort(reasons);
  return fmt::format("{} {} {}", code, plugin, reasons);
}
std::string Line(const framework::Verdict& verdict) {
  return Line(framework::ToString(verdict.code()), verdict.plugin(), verdict.reasons());
}
std::string Line(const Json& json) {
  return Line(TextAt(json, "code"), TextAt(json, "plugin"), ListAt(json, "reasons"));
}

void ExpectPreFilter(const Json& expect, const Evaluation& evaluation) {
  const Json want = At(expect, "preFilter");
  EXPECT_EQ(Line(evaluation.pre_filter), Line(want));
  ASSERT_EQ(evaluation.restricted_to.has_value(), Has(want, "nodeNames"));
  EXPECT_EQ(evaluation.restricted_to.value_or(Strings{}), ListAt(want, "nodeNames"));
}

void ExpectNode(const std::string& name, const Json& want, const Evaluation& evaluation) {
  ASSERT_TRUE(evaluation.nodes.contains(name)) << name;
  const NodeEvaluation& node_evaluation = evaluation.nodes.at(name);
  EXPECT_EQ(Line(node_evaluation.verdict), Line(want)) << name;
  EXPECT_EQ(node_evaluation.excluded_by_pre_filter, FlagAt(want, "excludedByPreFilter")) << name;
}

void ExpectScores(const std::string& name, const Json& want, const Evaluation& evaluation) {
  ASSERT_TRUE(evaluation.nodes.contains(name)) << name;
  std::map<std::string, int64_t> scores = evaluation.nodes.at(name).scores;
  scores["total"] = evaluation.nodes.at(name).total;
  EXPECT_EQ(scores, NumbersIn(want)) << name;
}

void ExpectCandidates(const Json& want, const Preemption& preemption) {
  std::map<std::string, std::pair<Strings, int64_t>> actual;
  for (const auto& [node, candidate] : preemption.candidates) {
    for (const api::ObjectKey& pod : candidate.victims)
      actual[node].first.push_back(pod.ToString());
    actual[node].second = candidate.pdb_violations;
  }
  std::map<std::string, std::pair<Strings, int64_t>> wanted;
  for (const auto& [node, json] : MembersAt(want, "candidates")) {
    wanted[node] = {ListAt(json, "victims"), At(json, "pdbViolations").get_int64().value()};
  }
  EXPECT_EQ(actual, wanted);
}

void ExpectPreemption(const Json& want, const Evaluation& evaluation) {
  ASSERT_TRUE(evaluation.preemption.has_value());
  const Preemption& preemption = *evaluation.preemption;
  EXPECT_EQ(preemption.eligible, FlagAt(want, "eligible"));
  ExpectCandidates(want, preemption);
  std::map<std::string, std::string> rejected;
  for (const auto& [node, json] : MembersAt(want, "rejected")) {
    rejected[node] = Line(TextAt(json, "code"), "", ListAt(json, "reasons"));
  }
  std::map<std::string, std::string> actual;
  for (const auto& [node, verdict] : preemption.rejected) {
    actual[node] = Line(framework::ToString(verdict.code()), "", verdict.reasons());
  }
  EXPECT_EQ(actual, rejected);
  EXPECT_EQ(preemption.equally_good, ListAt(want, "selectedAny"));
  EXPECT_EQ(Line(evaluation.post_filter), Line(At(want, "status")));
}

void ExpectFilter(const Json& expect, const Evaluation& evaluation) {
  const auto filter = MembersAt(expect, "filter");
  EXPECT_EQ(Keys(evaluation.nodes), Keys(filter));
  for (const auto& [node, want] : filter) ExpectNode(node, want, evaluation);
  if (!evaluation.error.empty()) return;
  const auto scores = MembersAt(expect, "scores");
  for (const auto& [node, want] : scores) ExpectScores(node, want, evaluation);
  const auto scored = std::ranges::count_if(
      evaluation.nodes, [](const auto& node) { return !node.second.scores.empty(); });
  EXPECT_EQ(static_cast<size_t>(scored), scores.size());
}

void ExpectEvaluation(const Json& expect, const Evaluation& evaluation) {
  ExpectPreFilter(expect, evaluation);
  ExpectFilter(expect, evaluation);
  EXPECT_EQ(evaluation.best_nodes, ListAt(expect, "bestNodes"));
  EXPECT_EQ(evaluation.nominated_node_fits, FlagAt(expect, "nominatedNodeFits"));
  EXPECT_EQ(evaluation.error, TextAt(expect, "error"));
  EXPECT_EQ(
      Strings(evaluation.unschedulable_plugins.begin(), evaluation.unschedulable_plugins.end()),
      ListAt(expect, "unschedulablePlugins"));
  if (Has(expect, "preemption")) {
    EXPECT_EQ(evaluation.fit_error, TextAt(expect, "fitError"));
    ExpectPreemption(At(expect, "preemption"), evaluation);
  }
  const bool differ = Has(expect, "fitErrorBeforePostFilter");
  EXPECT_EQ(evaluation.fit_error_before_post_filter,
            TextAt(expect, differ ? "fitErrorBeforePostFilter" : "fitError"));
}

// Each pod is placed on the chosen node before the next one is evaluated.
void ExpectSequence(Snapshot snapshot, ReferenceProfile profile, const Json& row) {
  profile.post_filters.clear();
  const simdjson::dom::array steps = At(At(row, "expect"), "steps").get_array();
  auto step = steps.begin();
  for (const Json json : At(row, "pods").get_array()) {
    const Json want = *step;
    ++step;
    const api::Ref<api::Pod> pod = ReadPod(json);
    SCOPED_TRACE(pod->metadata.name);
    const Evaluation evaluation = Evaluate(snapshot, *pod, profile, kNow);
    EXPECT_EQ(evaluation.best_nodes, ListAt(want, "bestNodes"));
    EXPECT_EQ(evaluation.fit_error_before_post_filter, TextAt(want, "fitError"));
    const auto feasible = std::ranges::count_if(
        evaluation.nodes, [](const auto& node) { return node.second.verdict.ok(); });
    EXPECT_EQ(feasible, At(want, "feasible").get_int64().value());
    const std::string chosen = TextAt(want, "chosen");
    if (chosen.empty()) continue;
    EXPECT_EQ(evaluation.nodes.at(chosen).total, At(want, "bestTotal").get_int64().value());
    api::Pod placed = *pod;
    placed.spec.node_name = chosen;
    snapshot.Put(std::make_shared<const api::Pod>(std::move(placed)));
    if (testing::Test::HasFailure()) return;
  }
}

// For large clusters, the vectors have sums and a sample of nodes.
void ExpectDigest(const Json& expect, const Evaluation& evaluation) {
  ExpectPreFilter(expect, evaluation);
  std::map<std::string, int64_t> rejected_by;
  std::map<std::string, int64_t> reasons;
  std::map<std::string, int64_t> sums;
  int64_t feasible = 0;
  for (const auto& [name, node_evaluation] : evaluation.nodes) {
    for (const std::string& reason : node_evaluation.verdict.reasons()) ++reasons[reason];
    for (const auto& [plugin, score] : node_evaluation.scores) sums[plugin] += score;
    if (!node_evaluation.verdict.ok()) {
      ++rejected_by[node_evaluation.verdict.plugin()];
      continue;
    }
    ++feasible;
    sums["total"] += node_evaluation.total;
  }
  EXPECT_EQ(feasible, At(expect, "feasible").get_int64().value());
  EXPECT_EQ(rejected_by, NumbersIn(At(expect, "rejectedBy")));
  EXPECT_EQ(reasons, NumbersIn(At(expect, "rejectedReasons")));
  if (Has(expect, "scoreSums")) {
    EXPECT_EQ(sums, NumbersIn(At(expect, "scoreSums")));
  }
  EXPECT_EQ(evaluation.best_nodes, ListAt(expect, "bestNodes"));
  EXPECT_EQ(evaluation.fit_error, TextAt(expect, "fitError"));
  for (const auto& [node, want] : MembersAt(expect, "sampleFilter"))
    ExpectNode(node, want, evaluation);
  for (const auto& [node, want] : MembersAt(expect, "sampleScores"))
    ExpectScores(node, want, evaluation);
}

// Compares the devices that each feasible node's claims would get.
void ExpectAllocations(const Json& expect, const Evaluation& evaluation) {
  const auto document = api::ParseJson(std::string(simdjson::minify(expect)));
  ASSERT_TRUE(document.has_value());
  const auto expected = cmd::ReadAllocations(cmd::JsonFields::Value(*document));
  ASSERT_TRUE(expected.has_value()) << expected.error().message;
  cmd::DeviceAllocations actual;
  for (const auto& [node, node_evaluation] : evaluation.nodes) {
    for (const ClaimAllocation& allocation : node_evaluation.allocations)
      actual[node][allocation.claim] = allocation.allocation;
  }
  for (const cmd::Difference& difference : cmd::CompareAllocations(*expected, actual)) {
    ADD_FAILURE() << fmt::format("{}: expected {}, actual {}", difference.what, difference.expected,
                                 difference.actual);
  }
}

class ReferenceConformance : public testing::TestWithParam<const char*> {};

TEST_P(ReferenceConformance, MatchesKubeScheduler) {
  const std::string group = GetParam();
  const auto file =
      cmd::CaseFile::Read(BERTH_SOURCE_DIR "/tests/conformance/" + group + ".jsonl.gz");
  ASSERT_TRUE(file.has_value()) << file.error().message;
  simdjson::dom::parser parser;
  size_t cases = 0;
  for (const cmd::CaseFile::Row& line : file->rows()) {
    const Json row = parser.parse(line.text).value();
    SCOPED_TRACE(TextAt(row, "name"));
    const Snapshot snapshot = ReadSnapshot(row);
    const ReferenceProfile profile = ReadProfile(row);
    if (group == "sequence") {
      ExpectSequence(snapshot, profile, row);
    } else {
      const Evaluation evaluation = Evaluate(snapshot, *ReadPod(At(row, "pod")), profile, kNow);
      (group == "bigcluster" ? ExpectDigest : ExpectEvaluation)(At(row, "expect"), evaluation);
      // The only group for which they are recorded.
      if (group == "dra2") ExpectAllocations(At(row, "expect"), evaluation);
    }
    ++cases;
  }
  EXPECT_GT(cases, 0u);
}

INSTANTIATE_TEST_SUITE_P(Groups, ReferenceConformance,
                         testing::Values("resources", "taints", "nodeaffinity", "nodeports",
                                         "imagelocality", "topologyspread", "interpodaffinity",
                                         "volumes", "preemption", "mixed", "sequence", "bigcluster",
                                         "dra", "dra2"),
                         [](const auto& group) { return std::string(group.param); });

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::reference
