#include "benchmark/perf_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "api/json/document.h"
#include "api/json/parse.h"
#include "api/json/yaml.h"
#include "benchmark/field_decoder.h"
#include "benchmark/operation_decoder.h"

namespace berth::benchmark {
namespace {

// A test case without its workloads.
struct TestCase {
  std::string name;
  std::vector<std::string> labels;
  std::map<std::string, bool> feature_gates;
  std::string scheduler_config;
  std::optional<std::string> default_pod;
  Threshold selector;  // The default for its workloads.
  const api::JsonArray* operations = nullptr;
  const api::JsonArray* workloads = nullptr;
};

// Reads a thresholdMetricSelector into `threshold`.
Status ReadSelector(const api::Json* json, const std::string& where, Threshold& threshold) {
  if (json == nullptr) return {};
  FieldDecoder fields(*json, where);
  threshold.metric = fields.Text("name");
  threshold.bucket = fields.Text("dataBucket");
  threshold.expect_lower = fields.Flag("expectLower");
  fields.TextMap("labels");
  if (threshold.bucket.empty()) fields.Refuse("dataBucket", "must be set");
  return fields.Finish();
}

// A threshold is a number, or one per topic: the name of the program that runs the benchmark.
double ThresholdValue(FieldDecoder& fields) {
  const api::Json* value = fields.Any("threshold");
  if (value == nullptr) return 0;
  if (const api::JsonObject* topics = value->if_object(); topics != nullptr && !topics->empty()) {
    value = &topics->begin()->value();
  }
  const double number = value->is_number() ? value->to_number<double>() : -1;
  if (number < 0) fields.Refuse("threshold", "must be a number that is not negative");
  return number;
}

Result<TestCase> ReadTestCase(const api::Json& json, const std::string& where) {
  FieldDecoder fields(json, where);
  TestCase test;
  test.name = fields.Text("name");
  test.labels = fields.Texts("labels");
  test.feature_gates = fields.Flags("featureGates");
  test.scheduler_config = fields.Text("schedulerConfigPath");
  test.default_pod = fields.OptionalText("defaultPodTemplatePath");
  test.operations = fields.Array("workloadTemplate");
  test.workloads = fields.Array("workloads");
  // Which of kube-scheduler's metrics to collect: Berth measures what it measures.
  fields.Any("metricsCollectorConfig");
  const api::Json* selector = fields.Any("defaultThresholdMetricSelector");
  if (test.name.empty()) fields.Refuse("name", "must be set");
  if (test.operations == nullptr) fields.Refuse("workloadTemplate", "has no operations");
  if (test.workloads == nullptr) fields.Refuse("workloads", "has no workloads");
  if (auto done = fields.Finish(); !done) return std::unexpected(done.error());
  const auto selected =
      ReadSelector(selector, where + ": defaultThresholdMetricSelector", test.selector);
  if (!selected) return std::unexpected(selected.error());
  return test;
}

bool Collects(const Operation& operation) {
  const auto* pods = std::get_if<CreatePods>(&operation);
  return std::holds_alternative<StopCollecting>(operation) ||
         (pods != nullptr && pods->collect_metrics);
}

// Reads the workload and resolves its operations.
Result<Workload> ReadWorkload(const api::Json& json, const TestCase& test,
                              const std::string& file) {
  const std::string in_test = fmt::format("{}: {}", file, test.name);
  FieldDecoder fields(json, in_test);
  Workload workload;
  const std::string name = fields.Text("name");
  workload.name = test.name + "/" + name;
  workload.labels = test.labels;
  std::ranges::copy(fields.Texts("labels"), std::back_inserter(workload.labels));
  workload.feature_gates = fields.Flags("featureGates");
  workload.feature_gates.insert(test.feature_gates.begin(), test.feature_gates.end());
  workload.scheduler_config = test.scheduler_config;
  Threshold threshold = test.selector;
  threshold.value = ThresholdValue(fields);
  const api::Json* selector = fields.Any("thresholdMetricSelector");
  const api::Json* params = fields.Any("params");
  if (params != nullptr && !params->is_object()) fields.Refuse("params", "must be an object");
  if (name.empty()) fields.Refuse("name", "must be set");
  if (auto done = fields.Finish(); !done) return std::unexpected(done.error());
  const std::string where = fmt::format("{}: {}", file, workload.name);
  const auto selected = ReadSelector(selector, where + ": thresholdMetricSelector", threshold);
  if (!selected) return std::unexpected(selected.error());
  if (threshold.value > 0) workload.threshold = threshold;

  Parameters parameters(api::AsObject(params));
  for (size_t i = 0; i < test.operations->size(); ++i) {
    auto decoded =
        DecodeOperations((*test.operations)[i], fmt::format("{}: workloadTemplate[{}]", where, i),
                         parameters, test.default_pod);
    if (!decoded) return std::unexpected(decoded.error());
    std::ranges::move(*decoded, std::back_inserter(workload.operations));
    if (workload.operations.size() > kMaxOperations) {
      return Fail(fmt::format("{}: more than {} operations", where, kMaxOperations));
    }
  }
  // scheduler_perf allows them where Go code reads them.
  for (const std::string& unused : parameters.Unused()) {
    workload.notes.push_back(fmt::format("params: {} is not used by any operation", unused));
  }
  if (std::ranges::none_of(workload.operations, Collects)) {
    return Fail(fmt::format(
        "{}: no operation collects metrics; set collectMetrics in a createPods operation", where));
  }
  return workload;
}

}  // namespace

Result<std::vector<Workload>> DecodePerfConfig(std::string_view path, std::string_view text) {
  const std::string file(path);
  if (text.size() > kMaxPerfConfigBytes) {
    return Fail(fmt::format("{}: larger than {} bytes", file, kMaxPerfConfigBytes));
  }
  const auto json = api::FirstDocumentToJson(text);
  if (!json) return Fail(fmt::format("{}: {}", file, json.error().message));
  const auto document = api::ParseJson(*json);
  if (!document) return Fail(fmt::format("{}: {}", file, document.error().message));
  const api::JsonArray* tests = document->if_array();
  if (tests == nullptr || tests->empty()) {
    return Fail(fmt::format("{}: not a list of test cases; is it a file of scheduler_perf?", file));
  }
  std::vector<Workload> workloads;
  std::set<std::string> names;
  size_t operations = 0;
  for (size_t i = 0; i < tests->size(); ++i) {
    const auto test = ReadTestCase((*tests)[i], fmt::format("{}: [{}]", file, i));
    if (!test) return std::unexpected(test.error());
    for (const api::Json& one : *test->workloads) {
      auto workload = ReadWorkload(one, *test, file);
      if (!workload) return std::unexpected(workload.error());
      if (!names.insert(workload->name).second) {
        return Fail(fmt::format("{}: {}: the name is not unique", file, workload->name));
      }
      operations += workload->operations.size();
      if (operations > kMaxOperationsPerFile) {
        return Fail(fmt::format("{}: the workloads have more than {} operations; split the file",
                                file, kMaxOperationsPerFile));
      }
      workloads.push_back(*std::move(workload));
    }
  }
  return workloads;
}

bool MatchesLabels(const std::vector<std::string>& labels, std::string_view filter) {
  while (!filter.empty()) {
    const size_t comma = filter.find(',');
    std::string_view label = filter.substr(0, comma);
    filter.remove_prefix(comma == filter.npos ? filter.size() : comma + 1);
    const bool excluded = label.starts_with('-');
    if (excluded || label.starts_with('+')) label.remove_prefix(1);
    if (label.empty()) continue;
    if ((std::ranges::find(labels, label) != labels.end()) == excluded) return false;
  }
  return true;
}

}  // namespace berth::benchmark
