// The command line's options of `berth up`.
#pragma once

#include <CLI/App.hpp>
#include <cstddef>
#include <string>
#include <vector>

#include "cmd/served_api.h"

namespace berth {

struct UpOptions {
  ServedApiOptions api;
  size_t nodes = 0;
  std::string nodes_from;
  std::vector<std::string> files;
  std::string scheduler = "embedded";  // Or "http", or "none".
  std::string config_file;             // Of the scheduler.
  double speed = 1;
  bool no_controllers = false;
  bool no_kubelets = false;
  bool no_leases = false;
  bool demo = false;

  bool has_scheduler() const { return scheduler != "none"; }
};

void AddUp(CLI::App& app, UpOptions& options);

}  // namespace berth
