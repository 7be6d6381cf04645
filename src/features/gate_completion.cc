#include "features/gate_completion.h"

#include <fmt/format.h>

#include "features/feature_gate_table.h"

namespace berth::features {

flags::Completer GateSettings() {
  return flags::ListOf([](const std::string&) {
    flags::Completions completions;
    for (const FeatureGate& gate : AllFeatureGates()) {
      if (gate.locked || gate.support != GateSupport::kSwitch) continue;
      for (const bool on : {!gate.on, gate.on}) {
        completions.candidates.push_back(
            {fmt::format("{}={}", gate.name, on), on == gate.on ? "the default" : ""});
      }
    }
    return completions;
  });
}

}  // namespace berth::features
