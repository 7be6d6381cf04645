// The pods of the conformance vectors that do not fit all get an answer: the message that
// kube-scheduler recorded, and fixes with which they are placed, or the statement that there are
// none.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/json/decode.h"
#include "api/json/document.h"
#include "cmd/conformance_file.h"
#include "explain/pod_explanation.h"
#include "explain/pod_explanation_json.h"
#include "scheduler/config/engine_options.h"
#include "scheduler/config/load.h"
#include "scheduler/engine/what_if.h"
#include "scheduler/plugins/in_tree_registry.h"
#include "testing/require.h"

namespace berth::explain {
namespace BERTH_TEST_FILE {

using Json = simdjson::dom::element;

// Later than any start time in the cases.
constexpr Instant kNow = Instant::FromUnixSeconds(4'000'000'000);

// An engine with the cluster of a case.
class CaseEngine {
 public:
  explicit CaseEngine(const Json& row) {
    auto config = scheduler::config::Default();
    const auto given = row.at_key("config");
    if (given.error() == simdjson::SUCCESS && !given.value_unsafe().is_null()) {
      config = Require(scheduler::config::Load(simdjson::minify(given.value_unsafe()), "config"));
    }
    scheduler::engine::EngineOptions options;
    options.profiles = Require(scheduler::config::ToProfileConfigs(config));
    engine_ =
        Require(scheduler::engine::Engine::Make(options, scheduler::plugins::InTreeRegistry()));
    std::vector<api::Object> objects;
    for (const Json object : row.at_key("objects").get_array()) {
      for (api::Object& one : Require(api::DecodeJson(simdjson::minify(object)))) {
        objects.push_back(std::move(one));
      }
    }
    for (const bool pods : {false, true}) {
      for (const api::Object& object : objects) {
        if (std::holds_alternative<api::Ref<api::Pod>>(object) != pods) continue;
        engine_->Handle(scheduler::engine::ObjectPut{object}, kNow);
      }
    }
  }
  scheduler::engine::Engine& engine() { return *engine_; }

 private:
  std::unique_ptr<scheduler::engine::Engine> engine_;
};

// What is to be learned about one group of cases.
struct Counts {
  size_t unschedulable = 0, fixed = 0, without = 0;
};

void CheckFixes(scheduler::engine::Engine& engine, const api::Pod& pod, const FixReport& report,
                const std::string& where) {
  for (const Fix& fix : report.fixes) {
    scheduler::engine::WhatIf what_if(engine);
    for (const Change& change : fix.changes) {
      for (const Change::Edit& edit : change.edits) {
        const auto before = scheduler::engine::FindObject(engine.cluster(), edit.like);
        what_if.Put(edit.apply ? edit.apply(before ? *before : edit.like) : edit.like);
      }
      if (change.moves != nullptr) what_if.Delete(change.moves);
    }
    const auto preview = Require(engine.Preview(Apply(fix.changes, pod), kNow));
    EXPECT_TRUE(!preview.node.empty() || !preview.victims.empty())
        << where << ": " << fix.changes[0].text << ": " << preview.message;
  }
}

// Checks the answer for a pod that kube-scheduler found unschedulable, with a message that begins
// with `fit_error`.
void CheckPod(scheduler::engine::Engine& engine, const api::Ref<api::Pod>& pod,
              const std::string& fit_error, const std::string& where, Counts& counts) {
  ExplainOptions options;
  options.fix.max_decisions = 200;
  const auto why = Require(ExplainPod(engine, pod, "default-scheduler", kNow, options));
  ++counts.unschedulable;
  if (!why.decision) {
    ADD_FAILURE() << where << ": no decision";
    return;
  }
  EXPECT_TRUE(why.decision->message.starts_with(fit_error))
      << where << ": " << why.decision->message;
  EXPECT_FALSE(ToJson(why).empty());
  if (why.decision->outcome == Outcome::kPreempts) return;
  EXPECT_EQ(why.decision->outcome, Outcome::kUnschedulable) << where;
  if (!why.fixes) {
    ADD_FAILURE() << where << ": no fixes were looked for";
    return;
  }
  CheckFixes(engine, *pod, *why.fixes, where);
  ++(why.fixes->fixes.empty() ? counts.without : counts.fixed);
}

api::Ref<api::Pod> PodOf(const Json& json) {
  return Require(api::DecodeJsonAs<api::Pod>(simdjson::minify(json)));
}

// Returns the member as text; nothing if it is null or absent.
std::optional<std::string> TextAt(const Json& json, std::string_view member) {
  const auto found = json.at_key(member);
  if (found.error() != simdjson::SUCCESS || found.value_unsafe().is_null()) return std::nullopt;
  return std::string(found.get_string().value());
}

void CheckSteps(const Json& row, const std::string& where, Counts& counts) {
  CaseEngine cluster(row);
  const auto pods = row.at_key("pods").get_array().value();
  size_t number = 0;
  for (const Json step : row.at_key("expect").at_key("steps").get_array()) {
    const auto pod = PodOf(pods.at(number++).value());
    if (const auto fit_error = TextAt(step, "fitError")) {
      CheckPod(cluster.engine(), pod, *fit_error, fmt::format("{} step {}", where, number), counts);
      continue;
    }
    auto bound = api::CopyToChange(*pod);
    bound->spec.node_name = *TextAt(step, "chosen");
    cluster.engine().Handle(scheduler::engine::ObjectPut{api::Ref<api::Pod>(bound)}, kNow);
  }
}

Counts Check(const std::string& group) {
  Counts counts;
  const auto file =
      Require(cmd::CaseFile::Read(BERTH_SOURCE_DIR "/tests/conformance/" + group + ".jsonl.gz"));
  simdjson::dom::parser parser;
  for (const cmd::CaseFile::Row& line : file.rows()) {
    const Json row = parser.parse(line.text.data(), line.text.size(), true).value();
    const std::string where = *TextAt(row, "name");
    if (group == "sequence") {
      CheckSteps(row, where, counts);
      continue;
    }
    const auto fit_error = TextAt(row.at_key("expect").value(), "fitError");
    if (!fit_error) continue;
    const auto pod = PodOf(row.at_key("pod").value());
    if (!pod->spec.node_name.empty()) continue;  // Put through the plugins although it is bound.
    CaseEngine cluster(row);
    CheckPod(cluster.engine(), pod, *fit_error, where, counts);
  }
  return counts;
}

class WhyConformanceTest : public testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Groups, WhyConformanceTest,
                         testing::Values("resources", "taints", "nodeaffinity", "nodeports",
                                         "topologyspread", "interpodaffinity", "volumes",
                                         "preemption", "mixed", "dra", "dra2", "sequence"),
                         [](const auto& test) { return test.param; });

TEST_P(WhyConformanceTest, EveryUnschedulablePodGetsAnAnswer) {
  const Counts counts = Check(GetParam());
  EXPECT_GT(counts.unschedulable, 0U);
  RecordProperty("unschedulable", static_cast<int>(counts.unschedulable));
  RecordProperty("fixed", static_cast<int>(counts.fixed));
  RecordProperty("without", static_cast<int>(counts.without));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::explain
