#include "explain/events.h"

#include <algorithm>
#include <ranges>

#include "api/json/document.h"
#include "api/timestamp.h"

namespace berth::explain {

using api::JsonObject;
using api::ObjectAt;
using api::StringAt;

const JsonObject* LatestEvent(const Events& events, std::initializer_list<std::string_view> reasons,
                              std::string_view source) {
  for (const JsonObject& event : std::views::reverse(events)) {
    const bool wanted = std::ranges::find(reasons, StringAt(&event, "reason")) != reasons.end();
    const std::string_view component = StringAt(ObjectAt(&event, "source"), "component");
    const std::string_view by =
        component.empty() ? StringAt(&event, "reportingComponent") : component;
    if (wanted && by.find(source) != std::string_view::npos) return &event;
  }
  return nullptr;
}

std::string_view LatestMessage(const Events& events,
                               std::initializer_list<std::string_view> reasons,
                               std::string_view source) {
  const JsonObject* event = LatestEvent(events, reasons, source);
  return event == nullptr ? std::string_view() : StringAt(event, "message");
}

std::optional<Instant> TimeOfEvent(const JsonObject& event) {
  const JsonObject* series = ObjectAt(&event, "series");
  for (const std::string_view text :
       {StringAt(series, "lastObservedTime"), StringAt(&event, "lastTimestamp"),
        StringAt(&event, "eventTime"), StringAt(&event, "firstTimestamp")}) {
    if (text.empty()) continue;
    if (const auto time = api::ParseTimestamp(text)) return *time;
  }
  return std::nullopt;
}

void SortByTime(Events& events) { std::ranges::stable_sort(events, {}, TimeOfEvent); }

std::string Cut(std::string_view text) {
  constexpr size_t kMost = 300;
  std::string cut(text.substr(0, kMost));
  while (cut.ends_with('.') || cut.ends_with('\n')) cut.pop_back();
  if (text.size() > kMost) cut += " ...";
  return cut;
}

}  // namespace berth::explain
