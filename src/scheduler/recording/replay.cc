#include "scheduler/recording/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "api/timestamp.h"
#include "scheduler/config/configuration.h"
#include "scheduler/config/engine_options.h"
#include "scheduler/recording/event_codec.h"

namespace berth::scheduler::recording {
namespace {

class Replayer final : public engine::DecisionObserver {
 public:
  explicit Replayer(engine::Engine& engine) : engine_(engine) { engine_.Observe(this); }
  ~Replayer() override { engine_.Observe(nullptr); }
  Replayer(const Replayer&) = delete;
  Replayer& operator=(const Replayer&) = delete;

  // Replays one record; returns false at a mismatch.
  bool Step(const Record& record, uint64_t number) {
    number_ = number;
    return std::visit([this](const auto& step) { return Apply(step); }, record);
  }

  ReplayReport& report() { return report_; }

 private:
  bool Apply(const HandleCall& call) {
    if (!NothingIsPending()) return false;
    ++report_.events;
    call_ =
        fmt::format("{}, at {}", DescribeEvent(call.event), api::FormatTimestamp(call.now.wall));
    engine_.Handle(call.event, call.now);
    if (!decisions_.empty()) pending_ = DecisionsRecord{0, std::exchange(decisions_, {})};
    return true;
  }

  bool Apply(const ScheduleCall& call) {
    if (!NothingIsPending()) return false;
    ++report_.schedules;
    call_ = call.limit == UINT64_MAX ? "schedule" : fmt::format("schedule {} pods", call.limit);
    call_ += ", at " + api::FormatTimestamp(call.now.wall);
    const size_t tried = engine_.Schedule(call.now, call.limit);
    pending_ = DecisionsRecord{tried, std::exchange(decisions_, {})};
    return true;
  }

  bool Apply(const DecisionsRecord& recorded) {
    const DecisionsRecord replayed =
        std::exchange(pending_, std::nullopt).value_or(DecisionsRecord{});
    if (!Compare("decision", recorded.decisions, replayed.decisions)) return false;
    if (recorded.tried == replayed.tried) return true;
    return Mismatch(fmt::format("{} pods tried", recorded.tried),
                    fmt::format("{} pods tried", replayed.tried));
  }

  bool Apply(const CommandsRecord& recorded) {
    if (!NothingIsPending()) return false;
    std::vector<std::string> replayed;
    const size_t limit = recorded.limited ? recorded.commands.size() : SIZE_MAX;
    for (const engine::Command& command : engine_.TakeCommands(limit)) {
      replayed.push_back(CommandText(command));
    }
    report_.commands += replayed.size();
    return Compare("command", recorded.commands, replayed);
  }

  // Returns false if the engine made decisions that are not recorded.
  bool NothingIsPending() {
    if (!pending_) return true;
    const DecisionsRecord replayed = *std::exchange(pending_, std::nullopt);
    return Mismatch("nothing", replayed.decisions.empty()
                                   ? fmt::format("{} pods tried", replayed.tried)
                                   : "decision " + replayed.decisions.front());
  }

  bool Compare(std::string_view what, const std::vector<std::string>& recorded,
               const std::vector<std::string>& replayed) {
    const auto [a, b] = std::ranges::mismatch(recorded, replayed);
    if (a == recorded.end() && b == replayed.end()) return true;
    auto show = [&](const auto& list, auto at) {
      return at == list.end() ? std::string("nothing") : fmt::format("{} {}", what, *at);
    };
    return Mismatch(show(recorded, a), show(replayed, b));
  }

  bool Mismatch(std::string recorded, std::string replayed) {
    report_.mismatch = {number_, call_, std::move(recorded), std::move(replayed)};
    return false;
  }

  void OnDecision(const engine::Decision& decision) override {
    ++report_.decisions;
    report_.placed += decision.kind == engine::Decision::Kind::kPlaced;
    decisions_.push_back(DecisionText(decision));
  }

  engine::Engine& engine_;
  ReplayReport report_;
  uint64_t number_ = 0;
  std::string call_ = "the start";
  std::vector<std::string> decisions_;      // Of the current call.
  std::optional<DecisionsRecord> pending_;  // The result that should be recorded next.
};

}  // namespace

Result<engine::EngineOptions> OptionsFor(const RecordingHeader& header) {
  const auto configuration =
      config::Load(header.configuration, "the recorded configuration", header.features);
  if (!configuration) return std::unexpected(configuration.error());
  auto options = config::ToEngineOptions(*configuration);
  if (options) options->seed = header.seed;
  return options;
}

std::string ReplayReport::Mismatch::ToString() const {
  return fmt::format("record {}: after {}\n  recorded: {}\n  replayed: {}", record, call, recorded,
                     replayed);
}

Result<ReplayReport> Replay(RecordReader& reader, const framework::Registry& registry,
                            const ReplayOptions& options) {
  auto engine_options = OptionsFor(reader.header());
  if (!engine_options) return std::unexpected(engine_options.error());
  engine_options->paranoid = options.paranoid;
  engine_options->attempts = options.attempts;
  auto engine = engine::Engine::Make(*engine_options, registry);
  if (!engine) return std::unexpected(engine.error());

  Replayer replayer(**engine);
  while (const auto record = reader.Next()) {
    const bool same = replayer.Step(*record, reader.records());
    if (options.progress) options.progress(replayer.report(), reader.records());
    if (!same) break;
  }
  replayer.report().end = reader.end();
  return std::move(replayer.report());
}

}  // namespace berth::scheduler::recording
