// Arbitrary bytes as a configuration. One that loads can be printed, and its YAML and JSON forms
// are equal.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "scheduler/config/configuration.h"
#include "scheduler/config/engine_options.h"
#include "scheduler/config/print.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto configuration = berth::scheduler::config::Load(text, "fuzz");
  if (!configuration) return 0;
  (void)berth::scheduler::config::ToProfileConfigs(*configuration);
  const auto from_yaml =
      berth::scheduler::config::Load(berth::scheduler::config::ToYaml(*configuration), "yaml");
  const auto from_json =
      berth::scheduler::config::Load(berth::scheduler::config::ToJsonText(*configuration), "json");
  CHECK(from_yaml.has_value() && from_json.has_value());
  CHECK(berth::scheduler::config::ToYaml(*from_yaml) ==
        berth::scheduler::config::ToYaml(*from_json));
  return 0;
}
