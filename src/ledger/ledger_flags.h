// The flags of a ledger, which berth-scheduler and `berth up` share.
#pragma once

#include <string_view>

#include "flags/flag_group.h"
#include "ledger/ledger.h"

namespace berth::ledger {

// Adds --ledger-attempts and --ledger-memory. `options` must outlive the flags; `end` ends the help
// of each.
void AddLedgerFlags(flags::FlagGroup& group, LedgerOptions& options, std::string_view end = "");

}  // namespace berth::ledger
