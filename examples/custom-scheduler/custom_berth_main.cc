// The berth program with NodePrice among its plugins: tries a configuration without a cluster.
#include <berth/cmd/command_line.h>

#include "node_price.h"

int main(int argc, char** argv) {
  auto registry = berth::scheduler::plugins::InTreeRegistry();
  registry.Add(custom::NodePrice::kName, custom::NodePrice::Make);
  return berth::cmd::RunCommandLine(argc, argv, registry);
}
