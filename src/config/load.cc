// Load, declared in configuration.h.

#include "config/configuration.h"
#include "config/decode.h"
#include "config/validate.h"

namespace berth::config {
namespace {

std::unexpected<Error> FailWith(std::string_view file, const std::vector<std::string>& problems) {
  std::string message;
  for (const std::string& problem : problems) {
    if (!message.empty()) message += '\n';
    message += std::string(file) + ": " + problem;
  }
  return Fail(std::move(message));
}

}  // namespace

Result<Configuration> Load(std::string_view text, std::string_view file) {
  auto configuration = Decode(text);
  if (!configuration) return FailWith(file, configuration.error());
  const std::vector<std::string> mistakes = Validate(*configuration);
  if (!mistakes.empty()) return FailWith(file, mistakes);
  return *std::move(configuration);
}

}  // namespace berth::config
