// Loads anything as a configuration. What loads can be printed, and means the same as YAML and as
// JSON.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "config/configuration.h"
#include "config/print.h"
#include "config/profiles.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto configuration = berth::config::Load(text, "fuzz");
  if (!configuration) return 0;
  (void)berth::config::ToProfileConfigs(*configuration);
  const auto from_yaml = berth::config::Load(berth::config::ToYaml(*configuration), "yaml");
  const auto from_json = berth::config::Load(berth::config::ToJsonText(*configuration), "json");
  CHECK(from_yaml.has_value() && from_json.has_value());
  CHECK(berth::config::ToYaml(*from_yaml) == berth::config::ToYaml(*from_json));
  return 0;
}
