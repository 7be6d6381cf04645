#include "ledger/ledger_flags.h"

#include <fmt/format.h>

#include "base/result.h"
#include "flags/flag_values.h"

namespace berth::ledger {

void AddLedgerFlags(flags::FlagGroup& group, LedgerOptions& options, std::string_view end) {
  group.Uint("ledger-attempts", options.attempts,
             fmt::format("Number of scheduling attempts to keep in memory, with their outcomes and "
                         "reasons; 0 keeps none{}",
                         end));
  const auto parse = [](const std::string& text) -> Result<size_t> {
    const auto bytes = flags::ParseBytes(text);
    if (!bytes) return std::unexpected(bytes.error());
    if (*bytes == 0 || *bytes >= kMinLedgerMemory) return *bytes;
    return Fail(fmt::format("must be 0, or at least {}", flags::ShowBytes(kMinLedgerMemory)));
  };
  group.Parsed("ledger-memory", "BYTES", options.memory, parse, flags::ShowBytes,
               fmt::format("Maximum memory for scheduling attempts, of which the oldest go when it "
                           "is used up; 0 keeps none{}",
                           end));
}

}  // namespace berth::ledger
