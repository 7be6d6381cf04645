// Registry creates plugins by name. It is filled explicitly at start-up: with the in-tree plugins
// by plugins/in_tree_registry.h, with others by programs that embed Berth.
#pragma once

#include <any>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "scheduler/framework/plugin.h"

namespace berth::scheduler::framework {

// A plugin's arguments: its own struct (see in_tree_plugin_args.h) for in-tree plugins, the raw
// JSON as std::string for others, empty if there are none.
using PluginArgs = std::any;

using PluginFactory = std::function<Result<std::unique_ptr<Plugin>>(const PluginArgs&)>;

class Registry {
 public:
  // `name` must be new.
  void Add(std::string_view name, PluginFactory factory);

  // Adds a plugin class that is constructed without arguments.
  template <typename P>
  void Add() {
    Add(P::kName,
        [](const PluginArgs&) -> Result<std::unique_ptr<Plugin>> { return std::make_unique<P>(); });
  }

  // Adds a plugin class that is created from `Args`; absent arguments are default ones.
  // P::Make(const Args&) returns Result<std::unique_ptr<Plugin>>.
  template <typename P, typename Args>
  void AddWithArgs() {
    Add(P::kName, [](const PluginArgs& args) -> Result<std::unique_ptr<Plugin>> {
      const auto* given = std::any_cast<Args>(&args);
      if (given == nullptr && args.has_value()) return Fail("arguments are of the wrong type");
      return P::Make(given != nullptr ? *given : Args{});
    });
  }

  // Returns null if there is no such plugin.
  const PluginFactory* Find(std::string_view name) const;

 private:
  std::map<std::string, PluginFactory, std::less<>> factories_;
};

}  // namespace berth::scheduler::framework
