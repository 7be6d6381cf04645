// The command line of `berth why`.
#pragma once

#include <cstddef>
#include <string>

#include "cmd/why_attempts.h"
#include "cmd/why_cluster.h"

namespace berth::cmd {

struct WhyOptions {
  std::string subject;  // POD or KIND/NAME.
  bool all_pending = false;
  bool all_namespaces = false;
  std::string selector;  // Of labels; empty: all.
  WhySource source;
  std::string output = "text";  // Or wide, json, yaml.
  bool fixes = true;
  size_t fix = 0;  // The fix to print or apply; 0: none.
  bool apply = false, yes = false, watch = false;
  std::string node;  // Of --on.
  SchedulerAccess scheduler;

  bool is_text() const { return output == "text" || output == "wide"; }
};

}  // namespace berth::cmd
