// Arbitrary files of benchmarks. What is decoded has names and counts within their limits; what is
// expanded is within its limit, and the same again.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>

#include "base/check.h"
#include "benchmark/go_template.h"
#include "benchmark/perf_config.h"

namespace {

namespace benchmark = berth::benchmark;

void Decode(std::string_view text) {
  const auto workloads = benchmark::DecodePerfConfig("fuzz.yaml", text);
  if (!workloads) {
    CHECK(workloads.error().message.starts_with("fuzz.yaml: "));
    return;
  }
  for (const benchmark::Workload& workload : *workloads) {
    CHECK(!workload.name.empty());
    for (const benchmark::Operation& operation : workload.operations) {
      const auto* pods = std::get_if<benchmark::CreatePods>(&operation);
      if (pods != nullptr) CHECK(pods->count >= 0 && pods->count <= benchmark::kMaxCount);
    }
  }
}

void Expand(std::string_view text) {
  const auto parsed = benchmark::GoTemplate::Parse(text);
  if (!parsed) return;
  const benchmark::TemplateValues values = {
      {"Index", int64_t{3}}, {"Count", int64_t{7}}, {"size", 2.5}, {"name", std::string("a")}};
  const auto result = parsed->Expand(values);
  if (!result) return;
  CHECK(result->size() <= benchmark::GoTemplate::kMaxResult);
  CHECK(*parsed->Expand(values) == *result);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Decode(text);
  Expand(text);
  return 0;
}
