#include "cmd/configuration_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "cmd/object_files.h"
#include "config/decode.h"
#include "config/extender_tls.h"
#include "config/print.h"
#include "config/profiles.h"
#include "config/validate.h"

namespace berth {
namespace {

// Errors are worded as Go words them.
Result<std::string> ReadNamedFile(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             std::fclose);
  if (file == nullptr) {
    std::string why = std::strerror(errno);
    why[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(why[0])));
    return Fail(fmt::format("open {}: {}", path, why));
  }
  return ReadStream(file.get(), path);
}

CheckedConfiguration FailAt(CheckedConfiguration checked, std::string stage,
                            std::vector<std::string> errors) {
  checked.stage = std::move(stage);
  checked.errors = std::move(errors);
  return checked;
}

}  // namespace

CheckedConfiguration CheckConfiguration(std::string_view text, const Registry& registry) {
  CheckedConfiguration checked;
  auto decoded = config::Decode(text);
  if (!decoded) return FailAt(std::move(checked), "decode", std::move(decoded.error()));
  checked.completed = *std::move(decoded);
  auto mistakes = config::Validate(*checked.completed);
  if (!mistakes.empty()) return FailAt(std::move(checked), "validate", std::move(mistakes));

  if (const Status tls = config::CheckExtenderTls(*checked.completed, ReadNamedFile); !tls) {
    return FailAt(std::move(checked), "build", {tls.error().message});
  }
  auto configs = config::ToProfileConfigs(*checked.completed);
  if (!configs) return FailAt(std::move(checked), "build", {configs.error().message});
  checked.profile_configs = *std::move(configs);
  for (const ProfileConfig& profile : checked.profile_configs) {
    auto built = Profile::Build(profile, registry);
    if (!built) {
      return FailAt(std::move(checked), "build",
                    {fmt::format("initializing profiles: creating profile for scheduler name {}: "
                                 "{}",
                                 profile.scheduler_name, built.error().message)});
    }
    checked.profiles.push_back(*std::move(built));
  }
  return checked;
}

Result<CheckedConfiguration> LoadConfiguration(const std::string& file, const Registry& registry) {
  if (file.empty()) return CheckConfiguration(config::ToYaml(config::Default()), registry);
  const auto text = ReadText(file);
  if (!text) return std::unexpected(text.error());
  CheckedConfiguration checked = CheckConfiguration(*text, registry);
  if (checked.ok()) return checked;
  std::vector<std::string> lines;
  for (const std::string& error : checked.errors) lines.push_back(file + ": " + error);
  return Fail(fmt::format("{}", fmt::join(lines, "\n")));
}

}  // namespace berth
