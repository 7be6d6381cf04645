// The command line's options of `berth up`.
#pragma once

#include <CLI/App.hpp>
#include <cstddef>
#include <string>
#include <vector>

#include "cmd/apiserver_command.h"

namespace berth::scheduler::framework {
class Registry;
}

namespace berth::cmd {

struct UpOptions {
  ApiServerFlags api;
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

// `berth up`: a cluster on this machine, with everything in it but containers.
// Runs until SIGINT or SIGTERM comes; the demonstration ends by itself, unless somebody watches it.
// Returns the exit code of the program.
int RunUp(UpOptions options, const scheduler::framework::Registry& registry);

}  // namespace berth::cmd
