#include "base/suggestion.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace berth {

size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

void Suggestion::Consider(std::string_view candidate) {
  // As many changes as cobra allows, but not to most of a short word.
  constexpr size_t kMostChanges = 2;
  const size_t limit = std::min(kMostChanges, candidate.size() / 2);
  if (word_.empty() || word_.size() > candidate.size() + limit) return;
  size_t distance = EditDistance(word_, candidate);
  if (distance > limit && candidate.starts_with(word_)) distance = limit;
  if (distance > limit || distance >= distance_) return;
  distance_ = distance;
  best_ = candidate;
}

std::string Suggestion::Text(std::string_view prefix) const {
  return best_.empty() ? "" : fmt::format("; did you mean {}{}?", prefix, best_);
}

}  // namespace berth
