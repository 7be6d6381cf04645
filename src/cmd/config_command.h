// `berth config`: checks and shows KubeSchedulerConfiguration files.
#pragma once

#include <string>

namespace berth {

// `berth config validate`. Returns the exit code of the program.
int RunConfigValidate(const std::string& file);

// `berth config show`: the default configuration if `file` is empty. Returns the exit code.
int RunConfigShow(const std::string& file);

}  // namespace berth
