// Compares the engine's explanation with the expectation of a case, by the rules of the case
// format: reasons of a node are a multiset, victims are ordered, a plugin that skipped scoring
// counts as 0, and any of the recorded error messages is accepted.
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
  // If not empty, compares only the scores of these plugins, without totals and best nodes.
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

// Returns "Unschedulable by NodeResourcesFit: Insufficient cpu; Too many pods".
std::string Describe(const scheduler::framework::Verdict& verdict);

}  // namespace berth::cmd
