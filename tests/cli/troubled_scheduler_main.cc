// The berth-scheduler program with a plugin, Trouble, that makes trouble for pods with the label
// trouble: it never returns ("hang"), throws ("throw"), or crashes ("crash").
#include <atomic>
#include <stdexcept>

#include "daemon/scheduler_command.h"
#include "scheduler/framework/cycle.h"
#include "scheduler/framework/plugin.h"
#include "scheduler/model/cluster.h"
#include "scheduler/plugins/in_tree_registry.h"

namespace berth::duty {

namespace framework = scheduler::framework;

// Named in the stacks that are logged.
[[gnu::noinline]] void HangForEver() {
  static std::atomic<uint64_t> turns = 0;
  for (;;) ++turns;
}
[[gnu::noinline]] void CrashNow(volatile int* where) { *where = 1; }

class Trouble final : public framework::PreFilterPlugin {
 public:
  static constexpr std::string_view kName = "Trouble";

  static Result<std::unique_ptr<framework::Plugin>> Make(const framework::PluginArgs&) {
    return std::make_unique<Trouble>();
  }

  std::string_view name() const override { return kName; }
  framework::PreFilterResult PreFilter(framework::Cycle& cycle) const override {
    const auto& labels = cycle.pod().object->metadata.labels;
    const auto found = labels.find("trouble");
    if (found == labels.end()) return {};
    if (found->second == "hang") HangForEver();
    if (found->second == "throw") throw std::runtime_error("the plugin has no answer");
    if (found->second == "crash") CrashNow(nullptr);
    return {};
  }
};

}  // namespace berth::duty

int main(int argc, char** argv) {
  auto registry = berth::scheduler::plugins::InTreeRegistry();
  registry.Add(berth::duty::Trouble::kName, berth::duty::Trouble::Make);
  return berth::daemon::RunSchedulerCommand(argc, argv, registry);
}
