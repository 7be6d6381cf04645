// VerdictTable numbers distinct verdicts: what was said about thousands of nodes is then a number
// for each of them, and a few texts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "framework/verdict.h"

namespace berth {

class VerdictTable {
 public:
  using Number = uint32_t;

  // The number of the verdict equal to this one; a new one if there is none yet. Numbers count from
  // 0.
  Number Add(Verdict verdict);
  const Verdict& operator[](Number number) const { return verdicts_[number]; }
  size_t size() const { return verdicts_.size(); }

 private:
  std::vector<Verdict> verdicts_;
  std::vector<size_t> hashes_;  // Of each, so that most texts need not be compared.
};

}  // namespace berth
