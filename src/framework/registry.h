// Registry knows how to make each plugin by name. There is one, filled explicitly at start-up: the
// in-tree plugins by plugins/registry.h, others by whoever embeds Berth.
#pragma once

#include <any>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "base/result.h"
#include "framework/plugin.h"

namespace berth {

// A plugin's arguments: its own struct (see plugins/args.h) for in-tree plugins, the raw JSON as
// std::string for others, empty if there are none.
using PluginArgs = std::any;

using PluginFactory = std::function<Result<std::unique_ptr<Plugin>>(const PluginArgs&)>;

class Registry {
 public:
  // `name` must be new.
  void Add(std::string_view name, PluginFactory factory);

  // Adds a plugin class that is made without arguments.
  template <typename P>
  void Add() {
    Add(P::kName,
        [](const PluginArgs&) -> Result<std::unique_ptr<Plugin>> { return std::make_unique<P>(); });
  }

  // Adds a plugin class made from `Args`; absent arguments are default ones. P::Make(const Args&)
  // gives Result<std::unique_ptr<Plugin>>.
  template <typename P, typename Args>
  void AddWithArgs() {
    Add(P::kName, [](const PluginArgs& args) -> Result<std::unique_ptr<Plugin>> {
      const auto* given = std::any_cast<Args>(&args);
      if (given == nullptr && args.has_value()) return Fail("arguments are of the wrong type");
      return P::Make(given != nullptr ? *given : Args{});
    });
  }

  // Says that this build lacks the plugin: a profile that names it does without.
  void LeaveOut(std::string_view name) { left_out_.emplace(name); }
  bool IsLeftOut(std::string_view name) const { return left_out_.contains(name); }

  // nullptr if there is no such plugin.
  const PluginFactory* Find(std::string_view name) const;

 private:
  std::set<std::string, std::less<>> left_out_;
  std::map<std::string, PluginFactory, std::less<>> factories_;
};

}  // namespace berth
