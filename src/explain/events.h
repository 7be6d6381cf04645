// Events of objects, as their raw JSON, and what sentences quote of them.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/json/json.h"
#include "base/time.h"

namespace berth::explain {

using Events = std::vector<api::JsonObject>;  // In the order of their times.

// Returns the latest event with one of the reasons, written by a component whose name contains
// `source`; null if there is none.
const api::JsonObject* LatestEvent(const Events& events,
                                   std::initializer_list<std::string_view> reasons,
                                   std::string_view source = "");
// The message of that event; empty if there is none.
std::string_view LatestMessage(const Events& events,
                               std::initializer_list<std::string_view> reasons,
                               std::string_view source = "");

// When the event happened last; nothing if it does not say.
std::optional<Instant> TimeOfEvent(const api::JsonObject& event);

// Sorts the events by their times; those without one come first.
void SortByTime(Events& events);

// What others wrote, cut to what a person reads in one sentence, without a full stop at its end.
std::string Cut(std::string_view text);

}  // namespace berth::explain
