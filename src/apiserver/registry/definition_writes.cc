// What writes to CustomResourceDefinitions entail: Api::AdmitDefinition, SyncDefinitions and
// DeleteInstances.
#include <algorithm>
#include <string>

#include "api/json/document.h"
#include "api/json/json_text.h"
#include "apiserver/admission/field_errors.h"
#include "apiserver/admission/metadata.h"
#include "apiserver/admission/strategy.h"
#include "apiserver/crd/custom_resource.h"
#include "apiserver/crd/definition.h"
#include "apiserver/registry/api.h"
#include "apiserver/registry/custom_objects.h"

namespace berth::apiserver::registry {

void Api::AdmitDefinition(const api::JsonObject* before, api::JsonObject& definition,
                          admission::FieldErrors& errors, const WriteOptions& options) {
  crd::DefaultDefinition(definition);
  crd::NoteStorageVersion(definition);
  crd::ValidateDefinition(definition, before, errors);
  if (!errors.empty()) return;
  const std::string name(api::StringAt(&admission::MetadataOf(definition), "name"));
  const std::string group(api::StringAt(api::ObjectAt(&definition, "spec"), "group"));
  crd::AcceptNames(definition, definitions_.TakenByOthers(group, name), now());
  if (options.warnings == nullptr) return;
  std::ranges::move(crd::WarningsOf(definition), std::back_inserter(*options.warnings));
}

void Api::SyncDefinitions() {
  // Each write calls this function again, so that it ends with nothing left to do.
  for (const std::string& name : definitions_.Unaccepted()) {
    (void)Modify(DefinitionKind(), {"", name}, [&](api::Json& newest) {
      api::JsonObject& definition = newest.get_object();
      const api::Json status = definition["status"];
      // An earlier version of Berth stored definitions without looking at them.
      crd::DefaultDefinition(definition);
      crd::NoteStorageVersion(definition);
      admission::FieldErrors errors;
      crd::ValidateDefinition(definition, nullptr, errors);
      if (!errors.empty()) return false;
      const std::string group(api::StringAt(api::ObjectAt(&definition, "spec"), "group"));
      crd::AcceptNames(definition, definitions_.TakenByOthers(group, name), now());
      return definition["status"] != status;
    });
  }
  for (const auto& resource : definitions_.Terminating()) DeleteInstances(*resource);
}

void Api::DeleteInstances(const crd::CustomResource& resource) {
  const api::scheme::Kind& kind = resource.storage().kind;
  for (const ObjectPtr& object : store_.List(kind.collection, {}).objects) {
    const std::string_view metadata = api::RawMember(object->json, "metadata");
    if (!api::RawMember(metadata, "deletionTimestamp").empty()) continue;
    (void)Delete(kind, object->key, {.propagation_policy = "Background"});
  }
  FinishDeletion(resource);
}

void Api::FinishDeletion(const crd::CustomResource& resource) {
  const bool done = store_.Count(resource.collection()) == 0;
  (void)Modify(DefinitionKind(), {"", resource.name()}, [&](api::Json& newest) {
    api::JsonObject& definition = newest.get_object();
    api::JsonObject& metadata = admission::MetadataOf(definition);
    if (api::StringAt(&metadata, "uid") != resource.uid()) return false;
    api::JsonObject& status = api::EnsureObject(definition, "status");
    if (!done) {
      const api::Json unchanged(status);
      admission::SetCondition(status, "Terminating", "True", "InstanceDeletionInProgress",
                              "CustomResource deletion is in progress", now());
      return api::Json(status) != unchanged;
    }
    api::JsonArray* finalizers = api::ArrayAt(&metadata, "finalizers");
    if (finalizers == nullptr) return false;
    const auto found = std::ranges::find(*finalizers, api::Json(crd::kCleanupFinalizer));
    if (found == finalizers->end()) return false;
    finalizers->erase(found);
    admission::SetCondition(status, "Terminating", "False", "InstanceDeletionCompleted",
                            "removed all instances", now());
    return true;
  });
}

}  // namespace berth::apiserver::registry
