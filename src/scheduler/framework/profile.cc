#include "scheduler/framework/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ranges>
#include <set>

#include "scheduler/framework/pod_group_plugins.h"

namespace berth::scheduler::framework {

std::string_view ToString(ExtensionPoint point) {
  static constexpr std::string_view kNames[kExtensionPoints] = {
      "PreEnqueue", "QueueSort", "PreFilter",         "Filter",        "PostFilter",
      "PreScore",   "Score",     "Reserve",           "Permit",        "PreBind",
      "Bind",       "PostBind",  "PlacementGenerate", "PlacementScore"};
  return kNames[static_cast<size_t>(point)];
}

class ProfileBuilder {
 public:
  ProfileBuilder(const ProfileConfig& config, const Registry& registry)
      : config_(config), registry_(registry), profile_(new Profile()) {
    profile_->scheduler_name_ = config.scheduler_name;
  }

  Result<std::unique_ptr<Profile>> Build() {
    if (Status status = MakePlugins(); !status) return std::unexpected(status.error());
    if (Status status = FillPoints(); !status) return std::unexpected(status.error());
    if (profile_->queue_sort_.size() != 1) {
      return Fail(fmt::format(
          "only one queue sort plugin required for profile with scheduler name \"{}\", but got {}",
          config_.scheduler_name, profile_->queue_sort_.size()));
    }
    if (profile_->bind_.empty()) {
      return Fail(
          fmt::format("at least one bind plugin is needed for profile with scheduler name \"{}\"",
                      config_.scheduler_name));
    }
    if (profile_->placement_generate_.size() > 1) {
      return Fail(fmt::format(
          "at most one placement generate plugin is allowed for profile with scheduler name \"{}\"",
          config_.scheduler_name));
    }
    return std::move(profile_);
  }

 private:
  using Choices = std::vector<PluginChoice>;

  // Every plugin named anywhere is created once, in the order in which the configuration first
  // names it. Unknown names are reported by the extension point that lists them.
  Status MakePlugins() {
    if (Status status = MakeEnabled(config_.multi_point); !status) return status;
    for (const PluginSet& set : config_.points) {
      if (Status status = MakeEnabled(set); !status) return status;
    }
    return {};
  }

  Status MakeEnabled(const PluginSet& set) {
    for (const PluginChoice& choice : set.enabled) {
      const PluginFactory* factory = registry_.Find(choice.name);
      if (factory == nullptr || by_name_.contains(choice.name)) continue;
      auto args = config_.args.find(choice.name);
      auto plugin = (*factory)(args == config_.args.end() ? PluginArgs{} : args->second);
      if (!plugin) {
        return Fail(
            fmt::format("initializing plugin \"{}\": {}", choice.name, plugin.error().message));
      }
      const size_t slot = profile_->plugins_.size();
      if (slot >= kMaxPlugins)
        return Fail(fmt::format("a profile can have at most {} plugins", kMaxPlugins));
      Profile::SetSlot(**plugin, slot);
      by_name_.emplace(choice.name, plugin->get());
      profile_->plugins_.push_back(*std::move(plugin));
    }
    return {};
  }

  Status FillPoints() {
    using enum ExtensionPoint;
    Status status;
    auto fill = [&](ExtensionPoint point, auto& list) {
      if (status) status = Fill(point, list);
    };
    // In kube-scheduler's order, which decides which error is reported first.
    fill(kPreFilter, profile_->pre_filter_);
    fill(kFilter, profile_->filter_);
    fill(kPostFilter, profile_->post_filter_);
    fill(kReserve, profile_->reserve_);
    fill(kPreScore, profile_->pre_score_);
    if (status) status = FillScore<ScorePlugin>(kScore, profile_->score_);
    fill(kPreBind, profile_->pre_bind_);
    fill(kBind, profile_->bind_);
    fill(kPostBind, profile_->post_bind_);
    fill(kPermit, profile_->permit_);
    fill(kPreEnqueue, profile_->pre_enqueue_);
    fill(kQueueSort, profile_->queue_sort_);
    fill(kPlacementGenerate, profile_->placement_generate_);
    if (status)
      status = FillScore<PlacementScorePlugin>(kPlacementScore, profile_->placement_score_);
    for (const PostFilterPlugin* plugin : profile_->post_filter_) {
      if (const auto* for_groups = dynamic_cast<const PodGroupPostFilterPlugin*>(plugin))
        profile_->pod_group_post_filter_.push_back(for_groups);
    }
    FindRolesInGroups();
    return status;
  }

  template <typename Role>
  Status Fill(ExtensionPoint point, std::vector<const Role*>& list) {
    auto choices = Expand<Role>(point);
    if (!choices) return std::unexpected(choices.error());
    for (const PluginChoice& choice : *choices) {
      list.push_back(dynamic_cast<const Role*>(by_name_.at(choice.name)));
    }
    return {};
  }

  // Roles that are not extension points.
  void FindRolesInGroups() {
    static const GroupSearch kGreedy;
    profile_->group_search_ = &kGreedy;
    for (const PermitPlugin* plugin : profile_->permit_ | std::views::reverse) {
      if (const auto* searching = dynamic_cast<const GroupSearchPlugin*>(plugin))
        profile_->group_search_ = &searching->group_search();
    }
    for (const FilterPlugin* plugin : profile_->filter_) {
      if (const auto* counting = dynamic_cast<const ResourceFilterPlugin*>(plugin))
        profile_->resource_filter_ = counting;
    }
  }

  template <typename Role, typename Scorer>
  Status FillScore(ExtensionPoint point, std::vector<Scorer>& list) {
    auto choices = Expand<Role>(point);
    if (!choices) return std::unexpected(choices.error());
    int64_t total = 0;
    for (const PluginChoice& choice : *choices) {
      const int64_t weight = choice.weight == 0 ? 1 : choice.weight;
      int64_t highest = 0;
      // Wraps for a negative total, as kube-scheduler's own check does.
      const auto remaining =
          static_cast<int64_t>(static_cast<uint64_t>(INT64_MAX) - static_cast<uint64_t>(total));
      if (__builtin_mul_overflow(weight, ScorePlugin::kMaxScore, &highest) || highest > remaining) {
        return Fail(fmt::format(
            "{}: total score of Score plugins could overflow",
            point == ExtensionPoint::kScore ? "score plugins" : "placement score plugins"));
      }
      total += highest;
      list.push_back({dynamic_cast<const Role*>(by_name_.at(choice.name)), weight});
    }
    return {};
  }

  // Returns the plugin named in `choice` in the role of `point`; null if it has no such role.
  template <typename Role>
  Result<const Role*> FindAs(const PluginChoice& choice, ExtensionPoint point) const {
    auto found = by_name_.find(choice.name);
    if (found == by_name_.end()) {
      return Fail(fmt::format("{}Plugin \"{}\" does not exist", ToString(point), choice.name));
    }
    return dynamic_cast<const Role*>(found->second);
  }

  static std::unexpected<Error> RegisteredTwice(const PluginChoice& choice, ExtensionPoint point) {
    return Fail(fmt::format("plugin \"{}\" already registered as \"{}Plugin\"", choice.name,
                            ToString(point)));
  }

  // Returns the plugins of one point: those that override multiPoint ones, then multiPoint, then
  // the rest.
  template <typename Role>
  Result<Choices> Expand(ExtensionPoint point) const {
    const PluginSet& own = config_.points[static_cast<size_t>(point)];
    std::set<std::string_view> own_names;
    for (const PluginChoice& choice : own.enabled) {
      auto plugin = FindAs<Role>(choice, point);
      if (!plugin) return std::unexpected(plugin.error());
      if (*plugin == nullptr) {
        return Fail(fmt::format("plugin \"{}\" does not extend {}Plugin plugin", choice.name,
                                ToString(point)));
      }
      if (!own_names.insert(choice.name).second) return RegisteredTwice(choice, point);
    }

    const std::set<std::string_view> disabled(own.disabled.begin(), own.disabled.end());
    std::set<std::string_view> overriding, seen;
    Choices from_multi_point;
    for (const PluginChoice& choice : config_.multi_point.enabled) {
      if (disabled.contains("*")) break;
      auto plugin = FindAs<Role>(choice, point);
      if (!plugin) return std::unexpected(plugin.error());
      if (*plugin == nullptr || disabled.contains(choice.name)) continue;
      if (own_names.contains(choice.name)) {
        overriding.insert(choice.name);
      } else if (seen.insert(choice.name).second) {
        from_multi_point.push_back(choice);
      } else {
        return RegisteredTwice(choice, point);
      }
    }

    Choices result;
    std::ranges::copy_if(own.enabled, std::back_inserter(result),
                         [&](const PluginChoice& c) { return overriding.contains(c.name); });
    std::ranges::copy(from_multi_point, std::back_inserter(result));
    std::ranges::copy_if(own.enabled, std::back_inserter(result),
                         [&](const PluginChoice& c) { return !overriding.contains(c.name); });
    return result;
  }

  const ProfileConfig& config_;
  const Registry& registry_;
  std::unique_ptr<Profile> profile_;
  std::map<std::string, Plugin*, std::less<>> by_name_;
};

Result<std::unique_ptr<Profile>> Profile::Build(const ProfileConfig& config,
                                                const Registry& registry) {
  return ProfileBuilder(config, registry).Build();
}

}  // namespace berth::scheduler::framework
