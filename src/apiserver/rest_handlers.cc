#include "apiserver/rest_handlers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "api/json/document.h"
#include "api/json/json_text.h"
#include "api/json/writer.h"
#include "api/protobuf/to_json.h"
#include "apiserver/list.h"
#include "apiserver/negotiation.h"
#include "apiserver/request_options.h"
#include "apiserver/selectors.h"
#include "base/text.h"

namespace berth::apiserver {
namespace {

// The core resources whose delete returns the object even if it is removed.
constexpr std::array<std::string_view, 6> kReturnDeleted = {
    "pods",     "persistentvolumes", "persistentvolumeclaims",
    "services", "serviceaccounts",   "resourcequotas"};

// Reads the request's body: an object of any supported content type.
api::scheme::ApiResult<api::Json> ReadObjectBody(const RequestContext& call) {
  auto body =
      ParseBody(call.request.header("Content-Type"), call.request.body, call.scratch.storage());
  if (!body) return body;
  if (!body->is_object()) {
    return std::unexpected(
        api::scheme::BadRequest("the body must be an object, as JSON, YAML or protobuf"));
  }
  return body;
}

struct PatchBody {
  patch::PatchType type = patch::PatchType::kMerge;
  api::Json patch;
};

api::scheme::ApiResult<PatchBody> ReadPatchBody(const RequestContext& call) {
  const auto type = patch::PatchTypeOf(call.request.header("Content-Type"));
  if (!type) return std::unexpected(type.error());
  if (call.kind().custom != nullptr && *type == patch::PatchType::kStrategic) {
    return std::unexpected(api::scheme::UnsupportedMediaType(
        call.request.header("Content-Type"),
        "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml"));
  }
  auto patch =
      ParsePatchBody(*type == patch::PatchType::kApply, call.request.body, call.scratch.storage());
  if (!patch) return std::unexpected(patch.error());
  if (*type == patch::PatchType::kJson ? !patch->is_array() : !patch->is_object()) {
    return std::unexpected(api::scheme::BadRequest(*type == patch::PatchType::kJson
                                                       ? "a JSON patch must be a list of operations"
                                                       : "the patch must be an object"));
  }
  return PatchBody{*type, *std::move(patch)};
}

api::scheme::ApiResult<registry::WriteOptions> OptionsOf(const RequestContext& call) {
  auto options = ReadWriteOptions(call.info.query, call.request.header("User-Agent"));
  if (!options) return options;
  options->warnings = &call.warnings;
  options->user = call.user.name;
  options->groups = call.user.groups;
  options->access = &call.access;
  return options;
}

api::scheme::ApiResult<VersionedResponse> Get(const RequestContext& call) {
  const auto options = ReadListOptions(call.info.query, false);
  if (!options) return std::unexpected(options.error());
  const store::Store& store = call.api.store();
  const store::Version wanted = options->resource_version.value_or(0);
  if (wanted > store.version()) return std::unexpected(TooLargeVersion(wanted, store.version()));
  const auto object = store.Get(call.kind().collection, call.info.object());
  if (object == nullptr) return std::unexpected(api::scheme::NotFound(call.kind(), call.info.name));
  return ObjectResponse(200, call.form, object);
}

api::scheme::ApiResult<VersionedResponse> List(const RequestContext& call) {
  const auto options = ReadListOptions(call.info.query, false);
  if (!options) return std::unexpected(options.error());
  const auto selector =
      ObjectSelector::Make(call.kind(), options->label_selector, options->field_selector);
  if (!selector) return std::unexpected(selector.error());
  auto list = ListObjects(call.api.store(), call.info.namespace_, *options, *selector, call.form);
  if (!list) return std::unexpected(list.error());
  VersionedResponse response{ResponseHead(200, call.form), list->version};
  response.response.body = std::move(list->body);
  return response;
}

api::scheme::ApiResult<VersionedResponse> WrittenResponse(
    const RequestContext& call, const api::scheme::ApiResult<registry::Written>& written) {
  if (!written) return std::unexpected(written.error());
  return ObjectResponse(written->created ? 201 : 200, call.form, written->object);
}

// Reads the body of a write. Reports duplicate fields, of which the last one wins, in `options`.
api::scheme::ApiResult<api::Json> ReadWrittenBody(const RequestContext& call,
                                                  registry::WriteOptions& options) {
  if (call.kind().custom != nullptr && IsProtobufBody(call.request.header("Content-Type"))) {
    return std::unexpected(api::scheme::UnsupportedMediaType(api::protobuf::kContentType,
                                                             "application/json, application/yaml"));
  }
  auto body = ReadObjectBody(call);
  if (!body || options.field_validation == registry::FieldValidation::kIgnore) return body;
  if (!IsJsonBody(call.request.header("Content-Type"))) return body;
  for (const std::string& path : api::DuplicateKeys(call.request.body)) {
    options.duplicate_fields.push_back("duplicate field \"" + path + "\"");
  }
  return body;
}

api::scheme::ApiResult<VersionedResponse> Create(const RequestContext& call) {
  auto options = OptionsOf(call);
  if (!options) return std::unexpected(options.error());
  auto body = ReadWrittenBody(call, *options);
  if (!body) return std::unexpected(body.error());
  const auto written =
      call.api.Create(call.kind(), call.info.namespace_, *std::move(body), *options);
  if (!written) return std::unexpected(written.error());
  return ObjectResponse(201, call.form, written->object);
}

api::scheme::ApiResult<VersionedResponse> Update(const RequestContext& call) {
  auto options = OptionsOf(call);
  if (!options) return std::unexpected(options.error());
  auto body = ReadWrittenBody(call, *options);
  if (!body) return std::unexpected(body.error());
  return WrittenResponse(call, call.api.Update(call.kind(), call.info.object(),
                                               call.info.subresource, *std::move(body), *options));
}

api::scheme::ApiResult<VersionedResponse> Patch(const RequestContext& call) {
  const auto options = OptionsOf(call);
  if (!options) return std::unexpected(options.error());
  const auto body = ReadPatchBody(call);
  if (!body) return std::unexpected(body.error());
  return WrittenResponse(
      call, call.api.Patch(call.kind(), call.info.object(), call.info.subresource, body->type,
                           body->patch, *options));
}

api::scheme::ApiResult<registry::DeleteOptions> ReadDelete(const RequestContext& call) {
  const auto body = ParseOptionalBody(call.request.header("Content-Type"), call.request.body,
                                      call.scratch.storage());
  if (!body) return std::unexpected(body.error());
  return ReadDeleteOptions(call.info.query, *body);
}

api::scheme::ApiResult<VersionedResponse> Delete(const RequestContext& call) {
  const auto options = ReadDelete(call);
  if (!options) return std::unexpected(options.error());
  const auto deleted = call.api.Delete(call.kind(), call.info.object(), *options);
  if (!deleted) return std::unexpected(deleted.error());
  const bool return_object =
      !deleted->gone ||
      (call.kind().group.empty() &&
       std::ranges::find(kReturnDeleted, call.kind().resource) != kReturnDeleted.end());
  return return_object ? ObjectResponse(200, call.form, deleted->object)
                       : DeletedResponse(call.kind(), *deleted->object);
}

api::scheme::ApiResult<VersionedResponse> DeleteCollection(const RequestContext& call) {
  const auto options = ReadDelete(call);
  if (!options) return std::unexpected(options.error());
  const auto list_options = ReadListOptions(call.info.query, false);
  if (!list_options) return std::unexpected(list_options.error());
  const auto selector =
      ObjectSelector::Make(call.kind(), list_options->label_selector, list_options->field_selector);
  if (!selector) return std::unexpected(selector.error());

  store::ListResult list = Snapshot(call.api.store(), call.kind(), call.info.namespace_, *selector);
  std::vector<store::ObjectPtr> deleted;
  store::Version version = list.version;
  for (const store::ObjectPtr& object : list.objects) {
    auto outcome = call.api.Delete(call.kind(), object->key, *options);
    if (!outcome && outcome.error().code == 404) continue;
    if (!outcome) return std::unexpected(outcome.error());
    version = std::max(version, outcome->object->version);
    deleted.push_back(std::move(outcome->object));
  }
  VersionedResponse response{ResponseHead(200, call.form), version};
  const std::string metadata = "{\"resourceVersion\":\"" + std::to_string(version) + "\"}";
  call.form.AppendList(deleted, metadata, response.response.body);
  return response;
}

// The number of attempts to patch a scale that others write to at the same time.
constexpr int kPatchAttempts = 8;

// Returns an error if the body has another name than the path.
std::optional<api::scheme::ApiError> CheckName(const RequestContext& call, const api::Json& body) {
  const api::Json* metadata = body.get_object().if_contains("metadata");
  const api::Json* name = metadata != nullptr && metadata->is_object()
                              ? metadata->get_object().if_contains("name")
                              : nullptr;
  if (name == nullptr || !name->is_string() || name->get_string().empty()) return std::nullopt;
  if (name->get_string() == call.info.name) return std::nullopt;
  return api::scheme::BadRequest(
      fmt::format("the name of the object ({}) does not match the name on the URL ({})",
                  Shorten(std::string_view(name->get_string())), call.info.name));
}

api::scheme::ApiResult<VersionedResponse> Bind(const RequestContext& call) {
  const auto dry_run = ReadDryRun(call.info.query);
  if (!dry_run) return std::unexpected(dry_run.error());
  const auto body = ReadObjectBody(call);
  if (!body) return std::unexpected(body.error());
  if (auto error = CheckName(call, *body)) return std::unexpected(*std::move(error));
  const auto bound = call.api.Bind(call.info.object(), *body, *dry_run);
  if (!bound) return std::unexpected(bound.error());
  return CreatedResponse((*bound)->version);
}

// POST of bindings: the binding names its pod.
api::scheme::ApiResult<VersionedResponse> CreateBinding(const RequestContext& call) {
  const auto dry_run = ReadDryRun(call.info.query);
  if (!dry_run) return std::unexpected(dry_run.error());
  const auto body = ReadObjectBody(call);
  if (!body) return std::unexpected(body.error());
  const store::ObjectName pod{
      call.info.namespace_,
      std::string(api::StringAt(api::ObjectAt(api::AsObject(*body), "metadata"), "name"))};
  const auto bound = call.api.Bind(pod, *body, *dry_run);
  if (!bound) return std::unexpected(bound.error());
  return CreatedResponse((*bound)->version);
}

// The subresources that connect to a kubelet, a pod or a service.
constexpr std::array<std::string_view, 5> kConnections = {"attach", "exec", "log", "portforward",
                                                          "proxy"};

api::scheme::ApiResult<VersionedResponse> Connect(const RequestContext& call) {
  if (call.api.store().Get(call.kind().collection, call.info.object()) == nullptr) {
    return std::unexpected(api::scheme::NotFound(call.kind(), call.info.name));
  }
  return std::unexpected(api::scheme::MakeError(
      501, fmt::format("{} is not available: Berth runs no containers, its pods are fake",
                       call.info.subresource)));
}

api::scheme::ApiResult<VersionedResponse> Evict(const RequestContext& call) {
  const auto body = ReadObjectBody(call);
  if (!body) return std::unexpected(body.error());
  if (auto error = CheckName(call, *body)) return std::unexpected(*std::move(error));
  const api::Json* given = body->get_object().if_contains("deleteOptions");
  const auto options = ReadDeleteOptions(call.info.query, given == nullptr ? api::Json() : *given);
  if (!options) return std::unexpected(options.error());
  const auto evicted = call.api.Evict(call.info.object(), *options);
  if (!evicted) return std::unexpected(evicted.error());
  return CreatedResponse(evicted->object->version);
}

api::scheme::ApiResult<VersionedResponse> ScaleResponse(
    const RequestContext& call, const api::scheme::ApiResult<api::Json>& scale) {
  if (!scale) return std::unexpected(scale.error());
  // The version of the scale is not newer than the store's.
  return VersionedResponse{JsonResponse(200, api::ToJsonText(*scale)), call.api.store().version()};
}

api::scheme::ApiResult<api::Json> ApplyPatch(api::Json scale, const PatchBody& body) {
  switch (body.type) {
    case patch::PatchType::kJson:
      return patch::ApplyJsonPatch(std::move(scale), body.patch);
    case patch::PatchType::kStrategic:
      return patch::ApplyStrategicPatch(std::move(scale), body.patch);
    case patch::PatchType::kMerge:
    case patch::PatchType::kApply:
      break;
  }
  return patch::ApplyMergePatch(std::move(scale), body.patch);
}

api::scheme::ApiResult<api::Json> PatchScale(const RequestContext& call) {
  const auto options = OptionsOf(call);
  if (!options) return std::unexpected(options.error());
  const auto body = ReadPatchBody(call);
  if (!body) return std::unexpected(body.error());
  for (int attempt = 1;; ++attempt) {
    auto scale = call.api.GetScale(call.kind(), call.info.object());
    if (!scale) return scale;
    auto patched = ApplyPatch(*std::move(scale), *body);
    if (!patched) return patched;
    if (!patched->is_object())
      return std::unexpected(api::scheme::BadRequest("the patch leaves no object"));
    auto put = call.api.PutScale(call.kind(), call.info.object(), *patched, *options);
    if (put || put.error().code != 409 || attempt == kPatchAttempts) return put;
  }
}

api::scheme::ApiResult<VersionedResponse> Scale(const RequestContext& call) {
  switch (call.info.verb) {
    case Verb::kGet:
      return ScaleResponse(call, call.api.GetScale(call.kind(), call.info.object()));
    case Verb::kPatch:
      return ScaleResponse(call, PatchScale(call));
    default:
      break;
  }
  const auto options = OptionsOf(call);
  if (!options) return std::unexpected(options.error());
  const auto body = ReadObjectBody(call);
  if (!body) return std::unexpected(body.error());
  return ScaleResponse(call, call.api.PutScale(call.kind(), call.info.object(), *body, *options));
}

api::scheme::ApiResult<VersionedResponse> RequestToken(const RequestContext& call) {
  const auto body = ReadObjectBody(call);
  if (!body) return std::unexpected(body.error());
  const auto& issuer = call.access.options().service_accounts;
  if (issuer == nullptr) return std::unexpected(api::scheme::UnknownResource());
  const auto issued = issuer->Issue(call.info.object(), *body);
  if (!issued) return std::unexpected(issued.error());
  return VersionedResponse{JsonResponse(201, api::ToJsonText(*issued)), call.api.store().version()};
}

}  // namespace

api::scheme::ApiResult<VersionedResponse> ServeObjects(const RequestContext& call) {
  if (call.info.subresource == "binding") return Bind(call);
  if (call.info.subresource == "token") return RequestToken(call);
  if (call.info.subresource == "eviction") return Evict(call);
  if (call.info.subresource == "scale") return Scale(call);
  if (std::ranges::find(kConnections, call.info.subresource) != kConnections.end()) {
    return Connect(call);
  }
  if (call.kind().IsBuiltIn("Binding")) return CreateBinding(call);
  switch (call.info.verb) {
    case Verb::kGet:
      return Get(call);
    case Verb::kList:
      return List(call);
    case Verb::kCreate:
      return Create(call);
    case Verb::kUpdate:
      return Update(call);
    case Verb::kPatch:
      return Patch(call);
    case Verb::kDelete:
      return Delete(call);
    case Verb::kDeleteCollection:
      return DeleteCollection(call);
    case Verb::kWatch:
      break;
  }
  return std::unexpected(api::scheme::MethodNotAllowed(call.request.method));
}

}  // namespace berth::apiserver
