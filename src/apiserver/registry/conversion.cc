#include "apiserver/registry/conversion.h"

#include <array>
#include <string_view>
#include <utility>

#include "api/json/document.h"
#include "api/scheme/scheme.h"
#include "apiserver/registry/custom_objects.h"
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

namespace {

bool HasForm(const api::scheme::Kind& kind, const store::Object& object) {
  return kind.custom != nullptr ? IsCurrent(kind, object) : &api::scheme::StoredKind(kind) == &kind;
}

void Convert(const api::scheme::Kind& kind, api::JsonObject& document) {
  if (kind.custom != nullptr) return ConvertCustom(kind, document);
  if (kind.kind == "Event") FromCoreEvent(document);
  if (kind.kind == "HorizontalPodAutoscaler") ToAutoscalerV1(document);
  api::SetString(document, "apiVersion", kind.api_version());
}

}  // namespace

void ToForm(const api::scheme::Kind& kind, const store::Object& object, api::JsonObject& document) {
  if (!HasForm(kind, object)) Convert(kind, document);
}

store::ObjectPtr InForm(const api::scheme::Kind& kind, const store::ObjectPtr& object) {
  if (HasForm(kind, *object)) return object;
  store::Scratch scratch;
  api::Json document = store::ParseIn(*object, scratch.storage());
  Convert(kind, document.get_object());
  api::scheme::ApiResult<store::Draft> draft = store::MakeDraft(kind, document.get_object());
  // The defaults of a custom kind can nest an object too deeply.
  return draft ? store::Finish(std::move(*draft), object->version) : object;
}

const api::scheme::Kind& AdmissionKind(const api::scheme::Kind& kind) {
  return kind.custom != nullptr ? kind : api::scheme::StoredKind(kind);
}

void ToAdmissionForm(const api::scheme::Kind& kind, api::JsonObject& object) {
  if (&AdmissionKind(kind) == &kind) return;
  if (kind.kind == "Event") ToCoreEvent(object);
  if (kind.kind == "HorizontalPodAutoscaler") ToAutoscalerV2(object);
  object.erase("apiVersion");
}

}  // namespace berth::apiserver::registry
