#include "localcluster/pod_stages.h"

#include <algorithm>

#include "api/json/writer.h"
#include "localcluster/object_json.h"

namespace berth::localcluster {

namespace {

// Calls `visit` with each value that the path leads to, until it returns true. Reports whether it
// did.
template <typename Visit>
bool AnyValueAt(const Json& value, const std::vector<std::string>& path, size_t step,
                const Visit& visit) {
  if (value.is_null()) return false;
  if (step == path.size()) return visit(value);
  if (!path[step].empty()) {
    const Json* member = At(value.if_object(), path[step]);
    return member && AnyValueAt(*member, path, step + 1, visit);
  }
  const JsonArray* items = value.if_array();
  return items && std::ranges::any_of(*items, [&](const Json& item) {
           return AnyValueAt(item, path, step + 1, visit);
         });
}

bool IsAmong(const Json& value, const std::vector<std::string>& values) {
  if (value.is_string()) return std::ranges::find(values, AsString(value)) != values.end();
  if (value.is_structured()) return false;
  return std::ranges::find(values, api::ToJsonText(value)) != values.end();
}

std::string_view NameOf(StageMoment moment) {
  switch (moment) {
    case StageMoment::kStart:
      return "start";
    case StageMoment::kReadiness:
      return "readiness";
    case StageMoment::kExit:
      return "exit";
    case StageMoment::kDeletion:
      break;
  }
  return "deletion";
}

// FNV-1a: the same on every machine and in every process, unlike StringHash.
uint64_t StableHash(uint64_t hash, std::string_view text) {
  for (const char byte : text) {
    hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3ULL;
  }
  return (hash ^ 0xff) * 0x100000001b3ULL;  // Ends the text: "ab", "c" is not "a", "bc".
}

}  // namespace

StageMoment MomentOf(StageStatus status) {
  switch (status) {
    case StageStatus::kRunning:
    case StageStatus::kImagePullBackOff:
      return StageMoment::kStart;
    case StageStatus::kReady:
    case StageStatus::kNotReady:
      return StageMoment::kReadiness;
    case StageStatus::kCompleted:
    case StageStatus::kError:
    case StageStatus::kOomKilled:
    case StageStatus::kKeepsRunning:
      return StageMoment::kExit;
    case StageStatus::kDeleted:
      break;
  }
  return StageMoment::kDeletion;
}

Random PodRandom::For(std::string_view purpose, int64_t repetition) const {
  const uint64_t hash = StableHash(StableHash(0xcbf29ce484222325ULL, pod), purpose);
  return Random(Random(hash ^ Random(seed).Next()).Next() + static_cast<uint64_t>(repetition));
}

bool StageRequirement::Matches(const JsonObject& pod) const {
  const bool negative = op == Operator::kNotIn || op == Operator::kDoesNotExist;
  const bool compares = op == Operator::kIn || op == Operator::kNotIn;
  const Json* first = At(&pod, path.front());
  const bool found = first && AnyValueAt(*first, path, 1, [&](const Json& value) {
                       return !compares || IsAmong(value, values);
                     });
  return found != negative;
}

bool Stage::Matches(const JsonObject& pod) const {
  return std::ranges::all_of(requirements,
                             [&](const StageRequirement& one) { return one.Matches(pod); });
}

Duration Stage::DelayOf(const PodRandom& random, int64_t repetition) const {
  if (longest_delay <= delay) return delay;
  const auto range = static_cast<uint64_t>((longest_delay - delay).nanos);
  return delay + Duration{static_cast<int64_t>(random.For(name, repetition).Below(range))};
}

const Stage* PodStages::Find(StageMoment moment, const JsonObject& pod, const PodRandom& random,
                             int64_t repetition) const {
  std::vector<const Stage*> weighted;
  uint64_t total = 0;
  for (const Stage& stage : stages_) {
    if (MomentOf(stage.status) != moment) continue;
    if (stage.times > 0 && repetition >= stage.times) continue;
    if (stage.weight == 0 && !weighted.empty()) continue;
    if (!stage.Matches(pod)) continue;
    if (stage.weight == 0) return &stage;
    weighted.push_back(&stage);
    total += stage.weight;
  }
  if (weighted.empty()) return nullptr;
  // A pod draws once for each moment, not again whenever its containers restart.
  uint64_t drawn = random.For(NameOf(moment)).Below(total);
  for (const Stage* stage : weighted) {
    if (drawn < stage->weight) return stage;
    drawn -= stage->weight;
  }
  return weighted.back();
}

}  // namespace berth::localcluster
