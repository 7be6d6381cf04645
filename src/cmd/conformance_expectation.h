// The expected result of a conformance case, as an engine explanation.
//
// tests/conformance/README.md describes the format of the cases.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cmd/conformance_file.h"
#include "scheduler/engine/decision.h"

namespace berth::cmd {

// `expect` of an ordinary case. Victims in `explanation` have no priority.
struct Expectation {
  scheduler::engine::Explanation explanation;
  bool scored = false;             // Scores were recorded.
  bool allocates_devices = false;  // Device allocations were recorded.
};

// One step of a `sequence` case.
struct ExpectedStep {
  std::vector<std::string> best_nodes;
  std::string chosen;
  int64_t best_total = 0;
  size_t feasible = 0;
  std::string fit_error;  // Without the PostFilter message.
};

// `expect` of a `bigcluster` case: sums over all nodes, and a sample of nodes.
struct ExpectedDigest {
  scheduler::engine::Explanation sample;  // Sampled nodes only.
  size_t feasible = 0;
  int64_t best_total = 0;
  std::map<std::string, int64_t> rejected_by;
  std::map<std::string, int64_t> rejected_reasons;
  std::map<std::string, int64_t> score_sums;  // By plugin, and "total".
};

// Each fails if the row does not have the documented format.
Result<Expectation> ReadExpectation(JsonFields::Value expect);
Result<std::vector<ExpectedStep>> ReadSteps(JsonFields::Value expect);
Result<ExpectedDigest> ReadDigest(JsonFields::Value expect);

}  // namespace berth::cmd
