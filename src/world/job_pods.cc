#include "world/job_pods.h"

#include <fmt/format.h>

#include "world/documents.h"

namespace berth::world {

int64_t IndexOf(const PodRecord& pod) {
  const std::string* label = pod.Label(kCompletionIndex);
  return label ? api::ParseInt(*label).value_or(-1) : -1;
}

JobPods CountJobPods(const PodIndex::Set& pods, const JobTally& gone, int64_t completions) {
  JobPods count;
  count.succeeded = gone.succeeded;
  count.failed = gone.failed;
  count.done_indexes = gone.indexes;
  for (const PodRecord* pod : pods) {
    const int64_t index = IndexOf(*pod);
    if (pod->phase() == "Succeeded") {
      ++count.succeeded;
      if (index >= 0 && index < completions) count.done_indexes.insert(index);
    } else if (pod->phase() == "Failed") {
      ++count.failed;
    } else if (pod->deleting) {
      ++count.terminating;
    } else {
      count.active.push_back(pod);
      count.ready += pod->ready;
      count.restarts += pod->restarts;
      if (index >= 0) count.active_indexes.insert(index);
    }
  }
  return count;
}

std::string FormatIndexes(const std::set<int64_t>& indexes) {
  std::string text;
  for (auto at = indexes.begin(); at != indexes.end();) {
    const int64_t first = *at;
    int64_t last = first;
    while (++at != indexes.end() && *at == last + 1) last = *at;
    if (!text.empty()) text += ',';
    text += fmt::format("{}", first);
    if (last > first) text += fmt::format("{}{}", last == first + 1 ? ',' : '-', last);
  }
  return text;
}

std::set<int64_t> ParseIndexes(std::string_view text) {
  constexpr int64_t kMaxIndexes = 100'000;
  std::set<int64_t> indexes;
  while (!text.empty()) {
    const size_t comma = text.find(',');
    const std::string_view part = text.substr(0, comma);
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
    const size_t dash = part.find('-');
    const auto first = api::ParseInt(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : api::ParseInt(part.substr(dash + 1));
    if (!first || !last || *last - *first > kMaxIndexes) continue;
    for (int64_t i = *first; i <= *last; ++i) indexes.insert(i);
  }
  return indexes;
}

}  // namespace berth::world
