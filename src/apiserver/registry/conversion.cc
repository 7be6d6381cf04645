#include "apiserver/registry/conversion.h"

#include <array>
#include <string_view>

#include "api/json/document.h"
#include "api/scheme/scheme.h"
#include "apiserver/store/codec.h"

namespace berth::apiserver::registry {

namespace {

struct FieldNames {
  std::string_view events;  // In events.k8s.io.
  std::string_view core;
};
constexpr std::array<FieldNames, 7> kRenamed = {{
    {"regarding", "involvedObject"},
    {"note", "message"},
    {"reportingController", "reportingComponent"},
    {"deprecatedSource", "source"},
    {"deprecatedFirstTimestamp", "firstTimestamp"},
    {"deprecatedLastTimestamp", "lastTimestamp"},
    {"deprecatedCount", "count"},
}};

void Rename(api::JsonObject& event, std::string_view from, std::string_view to) {
  const auto found = event.find(from);
  if (found == event.end()) return;
  api::Json value = std::move(found->value());
  event.stable_erase(found);
  event.insert_or_assign(to, std::move(value));
}

}  // namespace

void ToCoreEvent(api::JsonObject& event) {
  for (const FieldNames& names : kRenamed) Rename(event, names.events, names.core);
}

void FromCoreEvent(api::JsonObject& event) {
  for (const FieldNames& names : kRenamed) Rename(event, names.core, names.events);
}

void ToStored(const api::scheme::Kind& kind, api::JsonObject& object) {
  if (&api::scheme::StoredKind(kind) == &kind) return;
  if (kind.kind == "Event") ToCoreEvent(object);
  if (kind.kind == "HorizontalPodAutoscaler") ToAutoscalerV2(object);
  object.erase("apiVersion");
}

void FromStored(const api::scheme::Kind& kind, api::JsonObject& object) {
  if (&api::scheme::StoredKind(kind) == &kind) return;
  if (kind.kind == "Event") FromCoreEvent(object);
  if (kind.kind == "HorizontalPodAutoscaler") ToAutoscalerV1(object);
  object.erase("apiVersion");
}

std::string ConvertStored(const api::scheme::Kind& kind, const store::Object& object) {
  if (&api::scheme::StoredKind(kind) == &kind) return object.json;
  store::Scratch scratch;
  api::Json document = store::ParseIn(object, scratch.storage());
  FromStored(kind, document.get_object());
  api::scheme::ApiResult<store::Draft> draft = store::MakeDraft(kind, document.get_object());
  // A stored object is never nested too deeply.
  return draft ? store::Finish(std::move(*draft), object.version)->json : object.json;
}

}  // namespace berth::apiserver::registry
