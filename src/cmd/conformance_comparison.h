// Compares what the engine said with what a case expects, by the rules of the case format: reasons
// of a node are a multiset, victims are ordered, a plugin that skipped scoring counts as 0, any of
// the recorded error texts is right.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cmd/conformance_expectation.h"
#include "scheduler/engine/decision.h"

namespace berth::cmd {

struct Difference {
  std::string what;  // "filter node-3"
  std::string expected;
  std::string actual;
  friend bool operator==(const Difference&, const Difference&) = default;
};

using Differences = std::vector<Difference>;

struct CompareOptions {
  // If not empty, only the scores of these plugins count, and totals and best nodes do not.
  std::vector<std::string> scores_of;
};

Differences Compare(const Expectation& expected, const scheduler::engine::Explanation& actual,
                    const CompareOptions& options = {});

Differences CompareDigest(const ExpectedDigest& expected,
                          const scheduler::engine::Explanation& actual,
                          const CompareOptions& options = {});

// `step` names the step in the differences, counted from 0.
Differences CompareStep(size_t step, const ExpectedStep& expected,
                        const scheduler::engine::Explanation& actual);

// "Unschedulable by NodeResourcesFit: Insufficient cpu; Too many pods"
std::string Describe(const scheduler::framework::Verdict& verdict);

}  // namespace berth::cmd
