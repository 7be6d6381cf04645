#include "ledger/node_rejections.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace berth::ledger {

size_t NodeVerdicts::bytes() const {
  size_t bytes = sizeof(*this) + by_row.capacity() * sizeof(uint16_t);
  auto add = [&](const Verdict& verdict) {
    bytes += sizeof(verdict) + verdict.plugin.size();
    for (const std::string& reason : verdict.reasons) bytes += sizeof(reason) + reason.size();
  };
  for (const Verdict& verdict : verdicts) add(verdict);
  add(absent);
  return bytes;
}

void NodeRejections::Add(uint64_t failure, NodeVerdicts verdicts) {
  // The names count as if they were the longest possible.
  constexpr size_t kOwnBytes = sizeof(Search) + kExamples * 2 * kMaxNameBytes;
  Search search;
  search.failure = failure;
  search.bytes = kOwnBytes + verdicts.bytes();
  search.verdicts = std::make_shared<const NodeVerdicts>(std::move(verdicts));
  if (search.bytes > memory_) return;
  std::vector<Search> removed;  // Destroyed without the mutex.
  const std::lock_guard lock(mutex_);
  bytes_ += search.bytes;
  searches_.push_back(std::move(search));
  while (bytes_ > memory_) {
    bytes_ -= searches_.front().bytes;
    removed.push_back(std::move(searches_.front()));
    searches_.pop_front();
  }
}

void NodeRejections::Count(uint64_t failure, Instant time,
                           const BasicPodName<std::string_view>& pod) {
  auto& failed = unpublished_;
  if (failed.failure != failure) {
    Publish();
    failed.failure = failure;
  }
  if (failed.attempts == 0) failed.first = time;
  failed.last = time;
  BasicPodName<Name>& last = failed.pods[failed.attempts++ % kExamples];
  last.namespace_.Set(pod.namespace_);
  last.name.Set(pod.name);
}

void NodeRejections::Publish() {
  const uint64_t attempts = std::exchange(unpublished_.attempts, 0);
  if (attempts == 0) return;
  const std::lock_guard lock(mutex_);
  const auto search =
      std::ranges::lower_bound(searches_, unpublished_.failure, {}, &Search::failure);
  // It may have left.
  if (search == searches_.end() || search->failure != unpublished_.failure) return;
  if (search->attempts == 0) search->first = unpublished_.first;
  search->last = unpublished_.last;
  const uint64_t kept = std::min<uint64_t>(attempts, kExamples);
  search->attempts += attempts - kept;
  for (uint64_t i = attempts - kept; i < attempts; ++i) {
    const BasicPodName<Name>& pod = unpublished_.pods[i % kExamples];
    search->pods[search->attempts++ % kExamples] = {pod.namespace_.Text(), pod.name.Text()};
  }
}

NodeRejections::Report NodeRejections::Of(const NodePlace& node) const {
  ByReason by_reason;
  Report report;
  uint64_t before = UINT64_MAX;
  for (bool more = true; more;) {  // The newest first.
    const std::lock_guard lock(mutex_);
    auto search = std::ranges::lower_bound(searches_, before, {}, &Search::failure);
    for (size_t i = 0; i < kSlice && search != searches_.begin(); ++i) {
      --search;
      before = search->failure;
      if (search->attempts == 0) continue;
      if (!report.since || search->first < *report.since) report.since = search->first;
      AddTo(by_reason, *search, node);
    }
    more = search != searches_.begin();
  }
  for (auto& [reason, rejection] : by_reason) report.rejections.push_back(std::move(rejection));
  std::ranges::stable_sort(report.rejections, std::greater(), &Rejection::attempts);
  return report;
}

void NodeRejections::AddTo(ByReason& rejections, const Search& search, const NodePlace& node) {
  const NodeVerdicts& verdicts = *search.verdicts;
  if (node.serial >= verdicts.next_serial) return;  // Another node had the row then.
  const uint16_t number =
      node.row < verdicts.by_row.size() ? verdicts.by_row[node.row] : NodeVerdicts::kNone;
  const NodeVerdicts::Verdict& verdict =
      number == NodeVerdicts::kNone ? verdicts.absent : verdicts.verdicts[number];
  for (const std::string& reason : verdict.reasons) {
    Rejection& rejection = rejections[{verdict.plugin, reason}];
    rejection.plugin = verdict.plugin;
    rejection.reason = reason;
    rejection.attempts += search.attempts;
    rejection.last = std::max(rejection.last, search.last);
    for (uint64_t i = 0; i < std::min<uint64_t>(search.attempts, kExamples); ++i) {
      const PodName& pod = search.pods[(search.attempts - 1 - i) % kExamples];
      if (rejection.examples.size() < kExamples &&
          std::ranges::find(rejection.examples, pod) == rejection.examples.end())
        rejection.examples.push_back(pod);
    }
  }
}

size_t NodeRejections::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

}  // namespace berth::ledger
