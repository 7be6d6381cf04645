// ProfileConfig is the configuration of plugins for one scheduler name, defaults already merged in;
// Profile is the set of plugins built from it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "scheduler/framework/plugin.h"
#include "scheduler/framework/registry.h"

namespace berth::scheduler::framework {

class PlacementGeneratePlugin;
class PlacementScorePlugin;
class PodGroupPostFilterPlugin;
class ResourceFilterPlugin;
struct GroupSearch;

enum class ExtensionPoint : uint8_t {
  kPreEnqueue,
  kQueueSort,
  kPreFilter,
  kFilter,
  kPostFilter,
  kPreScore,
  kScore,
  kReserve,
  kPermit,
  kPreBind,
  kBind,
  kPostBind,
  kPlacementGenerate,
  kPlacementScore,
};
inline constexpr size_t kExtensionPoints = 14;

// As in error messages: "PreFilter".
std::string_view ToString(ExtensionPoint point);

struct PluginChoice {
  std::string name;
  int32_t weight = 0;  // Of score plugins; 0 counts as 1.
  friend bool operator==(const PluginChoice&, const PluginChoice&) = default;
};

struct PluginSet {
  std::vector<PluginChoice> enabled;
  std::vector<std::string> disabled;  // "*" means all.
  friend bool operator==(const PluginSet&, const PluginSet&) = default;
};

struct ProfileConfig {
  std::string scheduler_name = "default-scheduler";
  PluginSet multi_point;
  std::array<PluginSet, kExtensionPoints> points;
  std::map<std::string, PluginArgs, std::less<>> args;
  std::optional<int32_t> percentage_of_nodes_to_score;
};

// Profile is the set of plugins that serves one scheduler name, in the order in which they run at
// each extension point.
//
// It owns its plugins. Immutable once built.
class Profile {
 public:
  struct Scorer {
    const ScorePlugin* plugin;
    int64_t weight;
  };
  struct PlacementScorer {
    const PlacementScorePlugin* plugin;
    int64_t weight;
  };

  // Creates the plugins that `config` names and orders them, multiPoint expanded. The error is
  // kube-scheduler's.
  static Result<std::unique_ptr<Profile>> Build(const ProfileConfig& config,
                                                const Registry& registry);

  const std::string& scheduler_name() const { return scheduler_name_; }
  // The number of plugins; slots are below it.
  size_t size() const { return plugins_.size(); }
  std::span<const std::unique_ptr<Plugin>> plugins() const { return plugins_; }

  std::span<const PreEnqueuePlugin* const> pre_enqueue() const { return pre_enqueue_; }
  const QueueSortPlugin& queue_sort() const { return *queue_sort_[0]; }
  std::span<const PreFilterPlugin* const> pre_filter() const { return pre_filter_; }
  std::span<const FilterPlugin* const> filter() const { return filter_; }
  std::span<const PostFilterPlugin* const> post_filter() const { return post_filter_; }
  std::span<const PreScorePlugin* const> pre_score() const { return pre_score_; }
  std::span<const Scorer> score() const { return score_; }
  std::span<const ReservePlugin* const> reserve() const { return reserve_; }
  std::span<const PermitPlugin* const> permit() const { return permit_; }
  std::span<const PreBindPlugin* const> pre_bind() const { return pre_bind_; }
  std::span<const BindPlugin* const> bind() const { return bind_; }
  std::span<const PostBindPlugin* const> post_bind() const { return post_bind_; }
  std::span<const PlacementGeneratePlugin* const> placement_generate() const {
    return placement_generate_;
  }
  std::span<const PlacementScorer> placement_score() const { return placement_score_; }
  // Those of the PostFilter plugins that also make room for groups.
  std::span<const PodGroupPostFilterPlugin* const> pod_group_post_filter() const {
    return pod_group_post_filter_;
  }
  const GroupSearch& group_search() const { return *group_search_; }
  // The Filter plugin that compares requests with what is free; null if there is none.
  const ResourceFilterPlugin* resource_filter() const { return resource_filter_; }

 private:
  friend class ProfileBuilder;
  Profile() = default;
  static void SetSlot(Plugin& plugin, size_t slot) { plugin.slot_ = slot; }

  std::string scheduler_name_;
  std::vector<std::unique_ptr<Plugin>> plugins_;
  std::vector<const PreEnqueuePlugin*> pre_enqueue_;
  std::vector<const QueueSortPlugin*> queue_sort_;
  std::vector<const PreFilterPlugin*> pre_filter_;
  std::vector<const FilterPlugin*> filter_;
  std::vector<const PostFilterPlugin*> post_filter_;
  std::vector<const PreScorePlugin*> pre_score_;
  std::vector<Scorer> score_;
  std::vector<const ReservePlugin*> reserve_;
  std::vector<const PermitPlugin*> permit_;
  std::vector<const PreBindPlugin*> pre_bind_;
  std::vector<const BindPlugin*> bind_;
  std::vector<const PostBindPlugin*> post_bind_;
  std::vector<const PlacementGeneratePlugin*> placement_generate_;
  std::vector<PlacementScorer> placement_score_;
  std::vector<const PodGroupPostFilterPlugin*> pod_group_post_filter_;
  const GroupSearch* group_search_ = nullptr;
  const ResourceFilterPlugin* resource_filter_ = nullptr;
};

}  // namespace berth::scheduler::framework
