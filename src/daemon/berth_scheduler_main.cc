#include <cstdio>
#include <string>
#include <vector>

#include "daemon/daemon.h"
#include "daemon/options.h"
#include "observability/log.h"

int main(int argc, char** argv) {
  namespace daemon = berth::daemon;
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const auto print_to = [](std::FILE* file) {
    return [file](std::string_view text) { std::fwrite(text.data(), 1, text.size(), file); };
  };
  auto options = daemon::ReadCommandLine(arguments, daemon::ReadFile,
                                         {.out = print_to(stdout), .err = print_to(stderr)});
  if (!options) return options.error();
  const int code = daemon::RunDaemon(*std::move(options));
  berth::observability::Log().Flush();
  return code;
}
