#include "apiserver/events.h"

#include <array>
#include <string_view>

#include "apiserver/api_attempt.h"
#include "kinds/draft.h"
#include "kinds/json_access.h"
#include "kinds/scratch.h"

namespace berth::apiserver {

namespace {

struct Names {
  std::string_view events;  // In events.k8s.io.
  std::string_view core;
};
constexpr std::array<Names, 7> kRenamed = {{
    {"regarding", "involvedObject"},
    {"note", "message"},
    {"reportingController", "reportingComponent"},
    {"deprecatedSource", "source"},
    {"deprecatedFirstTimestamp", "firstTimestamp"},
    {"deprecatedLastTimestamp", "lastTimestamp"},
    {"deprecatedCount", "count"},
}};

void Rename(JsonObject& event, std::string_view from, std::string_view to) {
  const auto found = event.find(from);
  if (found == event.end()) return;
  Json value = std::move(found->value());
  event.stable_erase(found);
  event.insert_or_assign(to, std::move(value));
}

}  // namespace

void ToCoreEvent(JsonObject& event) {
  for (const Names& names : kRenamed) Rename(event, names.events, names.core);
  event.erase("apiVersion");
}

void FromCoreEvent(JsonObject& event) {
  for (const Names& names : kRenamed) Rename(event, names.core, names.events);
  event.erase("apiVersion");
}

std::string ConvertEvent(const Kind& kind, const store::Object& object) {
  if (&StoredKind(kind) == &kind) return object.json;
  Scratch scratch;
  Json document = ParseIn(object, scratch.storage());
  FromCoreEvent(document.get_object());
  ApiResult<store::Draft> draft = MakeDraft(kind, document.get_object());
  // What was stored is not too deep to print.
  return draft ? Finish(std::move(*draft), object.version)->json : object.json;
}

}  // namespace berth::apiserver
