#include "framework/verdict_table.h"

#include <functional>
#include <utility>

namespace berth {
namespace {

size_t HashOf(const Verdict& verdict) {
  size_t hash = static_cast<size_t>(verdict.code());
  auto mix = [&](const std::string& text) {
    hash = hash * 1'000'003 + std::hash<std::string>{}(text);
  };
  mix(verdict.plugin());
  for (const std::string& reason : verdict.reasons()) mix(reason);
  return hash;
}

}  // namespace

VerdictTable::Number VerdictTable::Add(Verdict verdict) {
  const size_t hash = HashOf(verdict);
  for (size_t i = 0; i < hashes_.size(); ++i) {
    if (hashes_[i] == hash && verdicts_[i] == verdict) return static_cast<Number>(i);
  }
  hashes_.push_back(hash);
  verdicts_.push_back(std::move(verdict));
  return static_cast<Number>(verdicts_.size() - 1);
}

}  // namespace berth
