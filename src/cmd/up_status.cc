#include "cmd/up_status.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/value.hpp>
#include <cmath>
#include <cstdio>
#include <map>
#include <utility>

#include "api/json/document.h"
#include "api/scheme/scheme.h"
#include "apiserver/registry/api.h"
#include "base/terminal.h"

namespace berth::cmd {
namespace {

// The pod fields that the store extracts for field selectors.
class PodFields {
 public:
  const std::string& node(const apiserver::store::Object& pod) const { return pod.fields[node_]; }
  const std::string& phase(const apiserver::store::Object& pod) const { return pod.fields[phase_]; }
  bool finished(const apiserver::store::Object& pod) const {
    return phase(pod) == "Succeeded" || phase(pod) == "Failed";
  }

 private:
  static size_t Find(std::string_view field) {
    const auto& fields = api::scheme::KindOf("pods").selectable_fields;
    return static_cast<size_t>(std::ranges::find(fields, field) - fields.begin());
  }
  const size_t node_ = Find("spec.nodeName");
  const size_t phase_ = Find("status.phase");
};

// Returns the message, else the reason, of the PodScheduled condition; empty if there is none.
std::string MessageOf(const apiserver::store::Object& pod) {
  const api::Json document = apiserver::store::Parse(pod);
  const auto* status = api::ObjectAt(api::AsObject(document), "status");
  const auto* conditions = api::ArrayAt(status, "conditions");
  if (conditions == nullptr) return {};
  for (const api::Json& value : *conditions) {
    const auto* condition = api::AsObject(value);
    if (api::StringAt(condition, "type") != "PodScheduled") continue;
    const std::string_view message = api::StringAt(condition, "message");
    return std::string(message.empty() ? api::StringAt(condition, "reason") : message);
  }
  return {};
}

}  // namespace

ClusterCounts CountCluster(apiserver::store::Store& store) {
  const PodFields fields;
  ClusterCounts counts;
  counts.nodes = store.Count(api::scheme::KindOf("nodes").collection);
  for (const apiserver::store::ObjectPtr& pod :
       store.List(api::scheme::KindOf("pods").collection, {}).objects) {
    ++counts.pods;
    if (fields.finished(*pod)) {
      ++counts.finished;
    } else if (fields.node(*pod).empty()) {
      ++counts.pending;
    } else {
      ++counts.bound;
      counts.running += fields.phase(*pod) == "Running";
    }
  }
  return counts;
}

PendingPods GroupPendingPods(apiserver::store::Store& store) {
  const PodFields fields;
  apiserver::store::ListQuery query;
  query.matches = [&](const apiserver::store::Object& pod) {
    return fields.node(pod).empty() && !fields.finished(pod);
  };
  PendingPods pending;
  std::map<std::string, PendingGroup> groups;
  for (const auto& pod : store.List(api::scheme::KindOf("pods").collection, query).objects) {
    const std::string message = MessageOf(*pod);
    if (message.empty()) {
      ++pending.undecided;
      continue;
    }
    const auto [group, is_new] = groups.try_emplace(message);
    if (is_new) group->second = {message, 0, pod->key};
    ++group->second.pods;
  }
  for (auto& [message, group] : groups) pending.groups.push_back(std::move(group));
  std::ranges::stable_sort(pending.groups, std::ranges::greater(), &PendingGroup::pods);
  return pending;
}

std::string WithCommas(uint64_t number) {
  std::string text = fmt::format("{}", number);
  for (size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, ",");
  return text;
}

std::string StatusText(const ClusterCounts& counts, double decisions_per_second) {
  std::string text =
      fmt::format("nodes {} | pods: bound {}, running {}, pending {}", WithCommas(counts.nodes),
                  WithCommas(counts.bound), WithCommas(counts.running), WithCommas(counts.pending));
  if (counts.finished > 0) text += fmt::format(", finished {}", WithCommas(counts.finished));
  const auto rate = static_cast<uint64_t>(std::llround(decisions_per_second));
  return text + fmt::format(" | {} decisions/s", WithCommas(rate));
}

std::string ProgressText(size_t done, size_t all) {
  constexpr size_t kWidth = 30;
  const size_t filled = all == 0 ? 0 : std::min(done, all) * kWidth / all;
  return fmt::format("scheduling pods [{}{}] {} of {}", std::string(filled, '#'),
                     std::string(kWidth - filled, '-'), WithCommas(done), WithCommas(all));
}

void StatusLine::Show(const std::string& text) {
  if (terminal_) {
    ReplaceLine(stdout, text);
    shown_ = true;
  } else {
    Print("{}\n", text);
    std::fflush(stdout);
  }
}

void StatusLine::End() {
  if (!std::exchange(shown_, false)) return;
  ReplaceLine(stdout, "");
}

double DecisionRate::Sample(const runtime::DriverSnapshot& snapshot, Instant now) {
  const uint64_t before = std::exchange(decisions_, snapshot.decisions());
  const Duration passed = now - std::exchange(at_, now);
  if (passed <= Duration{} || before > decisions_) return 0;
  return static_cast<double>(decisions_ - before) / passed.seconds();
}

}  // namespace berth::cmd
