#include "localcluster/pod_behavior.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/suggestion.h"
#include "base/text.h"
#include "localcluster/object_json.h"

namespace berth::localcluster {

namespace {

constexpr std::string_view kAnnotationPrefix = "berth.dev/";
constexpr double kEndless = std::numeric_limits<double>::infinity();
constexpr double kMostSeconds = static_cast<double>(kMaxStageSeconds);
constexpr double kMostRepetitions = 1e6;

struct AnnotationRule {
  std::string_view name;
  bool whole = false;  // No decimals.
  double least = 0;
  double most = kMostSeconds;
  std::string_view word = {};  // Stands for infinity.
};

constexpr std::array<AnnotationRule, 7> kAnnotationRules = {{
    {.name = kStartSeconds},
    {.name = kImagePullFailures, .whole = true, .most = kMostRepetitions, .word = "always"},
    {.name = kReadySeconds, .word = "never"},
    {.name = kRunSeconds, .word = "forever"},
    {.name = kExitCode, .whole = true, .most = 255},
    {.name = kExitTimes, .whole = true, .least = 1, .most = kMostRepetitions},
    {.name = kStopSeconds},
}};

const AnnotationRule* RuleOf(std::string_view name) {
  const auto found = std::ranges::find(kAnnotationRules, name, &AnnotationRule::name);
  return found == kAnnotationRules.end() ? nullptr : &*found;
}

std::optional<double> ParseValue(const AnnotationRule& rule, std::string_view text) {
  if (!rule.word.empty() && text == rule.word) return kEndless;
  double number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (!(number >= rule.least && number <= rule.most)) return std::nullopt;
  if (rule.whole && number != std::floor(number)) return std::nullopt;
  return number;
}

std::string ExpectationOf(const AnnotationRule& rule) {
  return fmt::format("must be {} from {:.0f} to {:.0f}{}{}",
                     rule.whole ? "an integer" : "a number of seconds", rule.least, rule.most,
                     rule.word.empty() ? "" : ", or ", rule.word);
}

std::string_view ReasonOf(StageStatus status) {
  if (status == StageStatus::kOomKilled) return "OOMKilled";
  return status == StageStatus::kCompleted ? "Completed" : "Error";
}

}  // namespace

PodBehavior::PodBehavior(const JsonObject& pod, const LocalClusterOptions& options,
                         PodRandom random)
    : pod_(pod),
      annotations_(ObjectAt(ObjectAt(&pod, "metadata"), "annotations")),
      options_(options),
      random_(std::move(random)) {}

std::optional<double> PodBehavior::Value(std::string_view annotation) const {
  const Json* value = At(annotations_, annotation);
  return value ? ParseValue(*RuleOf(annotation), AsString(value)) : std::nullopt;
}

const Stage* PodBehavior::StageAt(StageMoment moment, int64_t restarts) const {
  return options_.stages ? options_.stages->Find(moment, pod_, random_, restarts) : nullptr;
}

PodBehavior::Start PodBehavior::start() const {
  const auto seconds = Value(kStartSeconds);
  const auto failures = Value(kImagePullFailures);
  const Stage* stage = seconds && failures ? nullptr : StageAt(StageMoment::kStart);
  Start start{.delay = options_.start_delay};
  if (stage) {
    start.delay = stage->DelayOf(random_, 0);
    const bool fails = stage->status == StageStatus::kImagePullBackOff;
    start.failed_pulls = !fails ? 0 : stage->times > 0 ? stage->times : kAlways;
  }
  if (seconds) start.delay = Duration::FromSeconds(*seconds);
  if (failures) {
    start.failed_pulls = std::isinf(*failures) ? kAlways : static_cast<int64_t>(*failures);
  }
  return start;
}

std::optional<Duration> PodBehavior::ready_delay(int64_t restarts) const {
  if (const auto seconds = Value(kReadySeconds)) {
    return std::isinf(*seconds) ? std::nullopt : std::optional(Duration::FromSeconds(*seconds));
  }
  const Stage* stage = StageAt(StageMoment::kReadiness);
  if (!stage) return Duration{};
  if (stage->status == StageStatus::kNotReady) return std::nullopt;
  return stage->DelayOf(random_, restarts);
}

std::optional<PodBehavior::Exit> PodBehavior::exit(int64_t restarts) const {
  const auto run = Value(kRunSeconds);
  const auto code = Value(kExitCode);
  const auto times = Value(kExitTimes);
  const bool exhausted = times && static_cast<double>(restarts) >= *times;
  if ((run || code || times) && !exhausted) {
    if (run && std::isinf(*run)) return std::nullopt;
    const auto exit_code = static_cast<int64_t>(code.value_or(0));
    return Exit{.after = run ? Duration::FromSeconds(*run) : options_.job_run,
                .code = exit_code,
                .reason = exit_code == 0 ? "Completed" : "Error"};
  }
  if (const Stage* stage = StageAt(StageMoment::kExit, restarts)) {
    if (stage->status == StageStatus::kKeepsRunning) return std::nullopt;
    return Exit{.after = stage->DelayOf(random_, restarts),
                .code = stage->exit_code,
                .reason = ReasonOf(stage->status)};
  }
  if (StringAt(ControllerOf(ObjectAt(&pod_, "metadata")), "kind") != "Job") return std::nullopt;
  return Exit{.after = options_.job_run, .reason = "Completed"};
}

Duration PodBehavior::stop_delay() const {
  if (const auto seconds = Value(kStopSeconds)) return Duration::FromSeconds(*seconds);
  const Stage* stage = StageAt(StageMoment::kDeletion);
  return stage ? stage->DelayOf(random_, 0) : options_.stop_delay;
}

std::string PodBehavior::problem() const {
  if (!annotations_) return {};
  for (const auto& [key, value] : *annotations_) {
    const std::string_view name = key;
    if (!name.starts_with(kAnnotationPrefix)) continue;
    const AnnotationRule* rule = RuleOf(name);
    if (rule && ParseValue(*rule, AsString(value))) continue;
    const std::string field = fmt::format("metadata.annotations[{}]", Shorten(name));
    if (rule) {
      return fmt::format("{}: Invalid value: \"{}\": {}", field, Shorten(AsString(value)),
                         ExpectationOf(*rule));
    }
    Suggestion suggestion(name);
    for (const AnnotationRule& known : kAnnotationRules) suggestion.Consider(known.name);
    // Others may have annotations of this prefix.
    if (suggestion.best().empty()) continue;
    return fmt::format("{}: unknown annotation{}", field, suggestion.Text());
  }
  return {};
}

}  // namespace berth::localcluster
