#include "simulation/reservations.h"

#include <vector>

#include "base/check.h"
#include "scheduler/config/configuration.h"
#include "scheduler/config/engine_options.h"
#include "scheduler/framework/cycle.h"
#include "scheduler/framework/waiting_pods.h"
#include "scheduler/model/node_table.h"
#include "scheduler/model/pod_table.h"
#include "scheduler/plugins/in_tree_registry.h"

namespace berth::simulation {
namespace {

class Reservations final : public scheduler::framework::ReservePlugin,
                           public scheduler::framework::PermitPlugin,
                           public scheduler::framework::PostBindPlugin {
 public:
  explicit Reservations(ReservationBook& book) : book_(book) {}
  std::string_view name() const override { return kReservations; }

  scheduler::framework::Verdict Reserve(scheduler::framework::Cycle& cycle,
                                        scheduler::model::NodeRow node) const override {
    const std::string& uid = cycle.pod().uid();
    const std::string& name = cycle.nodes().name(node);
    if (book_.on_reserve) book_.on_reserve(uid, name);
    book_.tried[uid] = book_.requeue_all_events;
    book_.rejected.erase(uid);
    if (!book_.calm && book_.random.Chance(3)) {
      if (book_.random.Chance(50)) return scheduler::framework::Verdict::Error("could not reserve");
      return {scheduler::framework::Code::kUnschedulable, "node(s) had nothing to reserve"};
    }
    if (!book_.reserved.emplace(uid, name).second) book_.mistake = uid + " was reserved twice";
    return {};
  }

  // Also called if another plugin's Reserve failed.
  void Unreserve(scheduler::framework::Cycle& cycle, scheduler::model::NodeRow) const override {
    if (book_.skip_unreserve) return;
    const std::string& uid = cycle.pod().uid();
    book_.rejected[uid] = book_.tried[uid];
    book_.last_rejected = uid;
    book_.reserved.erase(uid);
  }

  scheduler::framework::PermitResult Permit(
      scheduler::framework::Cycle&, scheduler::model::NodeRow,
      scheduler::framework::WaitingPods& waiting) const override {
    if (book_.calm) return {};
    ResolveOthers(waiting);
    const uint64_t choice = book_.random.Below(100);
    if (choice < 78) return {};
    if (choice < 94) {
      const auto seconds = static_cast<int64_t>(1 + book_.random.Below(90));
      return {scheduler::framework::Verdict(scheduler::framework::Code::kWait),
              Duration::Seconds(seconds)};
    }
    if (choice < 98)
      return {{scheduler::framework::Code::kUnschedulable, "node(s) were not permitted"}, {}};
    return {scheduler::framework::Verdict::Error("could not decide whether to permit"), {}};
  }

  void PostBind(const scheduler::framework::BindingContext& binding) const override {
    // Only reads the pod; the non-const accessor is for plugins that modify the cycle.
    const std::string& uid =
        const_cast<scheduler::framework::BindingContext&>(binding).cycle().pod().uid();
    auto entry = book_.reserved.extract(uid);
    if (entry.empty()) {
      book_.mistake = uid + " was bound without a reservation";
    } else {
      book_.bound.insert(std::move(entry));
    }
  }

 private:
  // Allows or rejects some of the waiting pods.
  void ResolveOthers(scheduler::framework::WaitingPods& waiting) const {
    std::vector<std::string> uids;
    for (const auto& [uid, pod] : waiting.all()) uids.push_back(uid);
    for (const std::string& uid : uids) {
      if (book_.random.Chance(30)) {
        waiting.Allow(uid, kReservations);
      } else if (book_.random.Chance(10)) {
        waiting.Reject(uid, kReservations, "another pod was let in");
      }
    }
  }

  ReservationBook& book_;
};

}  // namespace

scheduler::framework::Registry RegistryWith(ReservationBook& book) {
  scheduler::framework::Registry registry = scheduler::plugins::InTreeRegistry();
  registry.Add(kReservations,
               [&book](const scheduler::framework::PluginArgs&)
                   -> Result<std::unique_ptr<scheduler::framework::Plugin>> {
                 return std::make_unique<Reservations>(book);
               });
  return registry;
}

scheduler::framework::ProfileConfig ProfileWithReservations(
    const scheduler::model::Features& features) {
  auto profiles = scheduler::config::ToProfileConfigs(scheduler::config::Default(features));
  CHECK(profiles.has_value());
  scheduler::framework::ProfileConfig profile = profiles->front();
  // Worlds are small enough to evaluate all nodes; paranoid engines require that setting.
  profile.percentage_of_nodes_to_score.reset();
  profile.multi_point.enabled.push_back({std::string(kReservations), 0});
  return profile;
}

}  // namespace berth::simulation
