#include "apiserver/object_requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <iterator>

#include "apiserver/body.h"
#include "apiserver/list.h"
#include "apiserver/raw_json.h"
#include "apiserver/request_options.h"
#include "apiserver/selectors.h"

namespace berth::apiserver {
namespace {

// A delete of these answers with the object even if it is gone.
constexpr std::array<std::string_view, 6> kReturnDeleted = {
    "pods",     "persistentvolumes", "persistentvolumeclaims",
    "services", "serviceaccounts",   "resourcequotas"};

ApiResult<Reply> Get(const Call& call) {
  const auto options = ReadListOptions(call.info.query, false);
  if (!options) return std::unexpected(options.error());
  const store::Store& store = call.api.store();
  const store::Version wanted = options->resource_version.value_or(0);
  if (wanted > store.version()) return std::unexpected(TooLargeVersion(wanted, store.version()));
  const auto object = store.Get(call.kind().collection, call.info.object());
  if (object == nullptr) return std::unexpected(NotFound(call.kind(), call.info.name));
  return ObjectReply(200, call.form, object);
}

ApiResult<Reply> List(const Call& call) {
  const auto options = ReadListOptions(call.info.query, false);
  if (!options) return std::unexpected(options.error());
  const auto selector =
      ObjectSelector::Make(call.kind(), options->label_selector, options->field_selector);
  if (!selector) return std::unexpected(selector.error());
  auto list = AnswerList(call.api.store(), call.info.namespace_, *options, *selector, call.form);
  if (!list) return std::unexpected(list.error());
  Reply reply{JsonHead(200), list->version};
  reply.answer.body = std::move(list->body);
  return reply;
}

ApiResult<Reply> WrittenReply(const Call& call, const ApiResult<Written>& written) {
  if (!written) return std::unexpected(written.error());
  return ObjectReply(written->created ? 201 : 200, call.form, written->object);
}

// The body of a write. Fields given twice, of which the last would count, are told to the client.
ApiResult<Json> ReadWrittenBody(const Call& call, const WriteOptions& options) {
  auto body = ReadObjectBody(call);
  if (!body || options.field_validation == FieldValidation::kIgnore) return body;
  if (!IsJsonBody(call.request.header("Content-Type"))) return body;
  std::vector<std::string> twice;
  for (const std::string& path : DuplicateKeys(call.request.body)) {
    twice.push_back("duplicate field \"" + path + "\"");
  }
  if (twice.empty()) return body;
  if (options.field_validation == FieldValidation::kStrict) {
    return std::unexpected(
        BadRequest(fmt::format("strict decoding error: {}", fmt::join(twice, ", "))));
  }
  std::ranges::move(twice, std::back_inserter(call.warnings));
  return body;
}

ApiResult<Reply> Create(const Call& call) {
  const auto options = OptionsOf(call);
  if (!options) return std::unexpected(options.error());
  auto body = ReadWrittenBody(call, *options);
  if (!body) return std::unexpected(body.error());
  const auto written =
      call.api.Create(call.kind(), call.info.namespace_, *std::move(body), *options);
  if (!written) return std::unexpected(written.error());
  return ObjectReply(201, call.form, written->object);
}

ApiResult<Reply> Update(const Call& call) {
  const auto options = OptionsOf(call);
  if (!options) return std::unexpected(options.error());
  auto body = ReadWrittenBody(call, *options);
  if (!body) return std::unexpected(body.error());
  return WrittenReply(call, call.api.Update(call.kind(), call.info.object(), call.info.subresource,
                                            *std::move(body), *options));
}

ApiResult<Reply> Patch(const Call& call) {
  const auto options = OptionsOf(call);
  if (!options) return std::unexpected(options.error());
  const auto body = ReadPatchBody(call);
  if (!body) return std::unexpected(body.error());
  return WrittenReply(call, call.api.Patch(call.kind(), call.info.object(), call.info.subresource,
                                           body->type, body->patch, *options));
}

ApiResult<DeleteOptions> ReadDelete(const Call& call) {
  const auto body = ParseOptionalBody(call.request.header("Content-Type"), call.request.body,
                                      call.scratch.storage());
  if (!body) return std::unexpected(body.error());
  return ReadDeleteOptions(call.info.query, *body);
}

ApiResult<Reply> Delete(const Call& call) {
  const auto options = ReadDelete(call);
  if (!options) return std::unexpected(options.error());
  const auto deleted = call.api.Delete(call.kind(), call.info.object(), *options);
  if (!deleted) return std::unexpected(deleted.error());
  const bool whole = !deleted->gone || (call.kind().group.empty() &&
                                        std::ranges::find(kReturnDeleted, call.kind().resource) !=
                                            kReturnDeleted.end());
  return whole ? ObjectReply(200, call.form, deleted->object)
               : DeletedReply(call.kind(), *deleted->object);
}

ApiResult<Reply> DeleteCollection(const Call& call) {
  const auto options = ReadDelete(call);
  if (!options) return std::unexpected(options.error());
  const auto wanted = ReadListOptions(call.info.query, false);
  if (!wanted) return std::unexpected(wanted.error());
  const auto selector =
      ObjectSelector::Make(call.kind(), wanted->label_selector, wanted->field_selector);
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
  Reply reply{JsonHead(200), version};
  const std::string metadata = "{\"resourceVersion\":\"" + std::to_string(version) + "\"}";
  call.form.AppendList(deleted, metadata, reply.answer.body);
  return reply;
}

bool IsOwnDocument(std::string_view subresource) {
  return subresource == "binding" || subresource == "eviction" || subresource == "scale";
}

}  // namespace

ApiResult<Json> ReadObjectBody(const Call& call) {
  auto body =
      ParseBody(call.request.header("Content-Type"), call.request.body, call.scratch.storage());
  if (!body) return body;
  if (!body->is_object()) {
    return std::unexpected(BadRequest("the body must be an object, as JSON, YAML or protobuf"));
  }
  return body;
}

ApiResult<PatchBody> ReadPatchBody(const Call& call) {
  const auto type = PatchTypeOf(call.request.header("Content-Type"));
  if (!type) return std::unexpected(type.error());
  auto patch =
      ParsePatchBody(*type == PatchType::kApply, call.request.body, call.scratch.storage());
  if (!patch) return std::unexpected(patch.error());
  if (*type == PatchType::kJson ? !patch->is_array() : !patch->is_object()) {
    return std::unexpected(BadRequest(*type == PatchType::kJson
                                          ? "a JSON patch must be a list of operations"
                                          : "the patch must be an object"));
  }
  return PatchBody{*type, *std::move(patch)};
}

ApiResult<WriteOptions> OptionsOf(const Call& call) {
  auto options = ReadWriteOptions(call.info.query, call.request.header("User-Agent"));
  if (!options) return options;
  options->warnings = &call.warnings;
  options->user = call.user.name;
  options->groups = call.user.groups;
  options->access = &call.access;
  return options;
}

ApiResult<Reply> ServeObjects(const Call& call) {
  if (IsOwnDocument(call.info.subresource)) return ServeSubresource(call);
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
  return std::unexpected(MethodNotAllowed(call.request.method));
}

}  // namespace berth::apiserver
