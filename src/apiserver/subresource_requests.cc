// Requests about bindings, evictions and scales (declared in object_requests.h): documents of their
// own, not views of the object.

#include <fmt/format.h>

#include <boost/json.hpp>

#include "api/json_text.h"
#include "apiserver/object_requests.h"
#include "apiserver/request_options.h"

namespace berth::apiserver {
namespace {

// How often a patch of a scale is tried again when someone else writes in between.
constexpr int kPatchAttempts = 8;

// The name in the body, if there is one, must be that of the path.
std::optional<ApiError> CheckName(const Call& call, const Json& body) {
  const Json* metadata = body.get_object().if_contains("metadata");
  const Json* name = metadata != nullptr && metadata->is_object()
                         ? metadata->get_object().if_contains("name")
                         : nullptr;
  if (name == nullptr || !name->is_string() || name->get_string().empty()) return std::nullopt;
  if (name->get_string() == call.info.name) return std::nullopt;
  return BadRequest(
      fmt::format("the name of the object ({}) does not match the name on the URL ({})",
                  api::Shorten(std::string_view(name->get_string())), call.info.name));
}

ApiResult<Reply> Bind(const Call& call) {
  const auto dry_run = ReadDryRun(call.info.query);
  if (!dry_run) return std::unexpected(dry_run.error());
  const auto body = ReadObjectBody(call);
  if (!body) return std::unexpected(body.error());
  if (auto error = CheckName(call, *body)) return std::unexpected(*std::move(error));
  const auto bound = call.api.Bind(call.info.object(), *body, *dry_run);
  if (!bound) return std::unexpected(bound.error());
  return CreatedReply((*bound)->version);
}

ApiResult<Reply> Evict(const Call& call) {
  const auto body = ReadObjectBody(call);
  if (!body) return std::unexpected(body.error());
  if (auto error = CheckName(call, *body)) return std::unexpected(*std::move(error));
  const Json* given = body->get_object().if_contains("deleteOptions");
  const auto options = ReadDeleteOptions(call.info.query, given == nullptr ? Json() : *given);
  if (!options) return std::unexpected(options.error());
  const auto evicted = call.api.Evict(call.info.object(), *options);
  if (!evicted) return std::unexpected(evicted.error());
  return CreatedReply(evicted->object->version);
}

ApiResult<Reply> ScaleReply(const Call& call, const ApiResult<Json>& scale) {
  if (!scale) return std::unexpected(scale.error());
  // The scale's version is the object's: what was read or written is not newer than this.
  return Reply{JsonAnswer(200, boost::json::serialize(*scale)), call.api.store().version()};
}

ApiResult<Json> Patched(Json scale, const PatchBody& body) {
  switch (body.type) {
    case PatchType::kJson:
      return ApplyJsonPatch(std::move(scale), body.patch);
    case PatchType::kStrategic:
      return ApplyStrategicPatch(std::move(scale), body.patch);
    case PatchType::kMerge:
    case PatchType::kApply:
      break;
  }
  return ApplyMergePatch(std::move(scale), body.patch);
}

ApiResult<Json> PatchScale(const Call& call) {
  const auto options = OptionsOf(call);
  if (!options) return std::unexpected(options.error());
  const auto body = ReadPatchBody(call);
  if (!body) return std::unexpected(body.error());
  for (int attempt = 1;; ++attempt) {
    auto scale = call.api.GetScale(call.kind(), call.info.object());
    if (!scale) return scale;
    auto patched = Patched(*std::move(scale), *body);
    if (!patched) return patched;
    if (!patched->is_object()) return std::unexpected(BadRequest("the patch leaves no object"));
    auto put = call.api.PutScale(call.kind(), call.info.object(), *patched, *options);
    if (put || put.error().code != 409 || attempt == kPatchAttempts) return put;
  }
}

ApiResult<Reply> Scale(const Call& call) {
  switch (call.info.verb) {
    case Verb::kGet:
      return ScaleReply(call, call.api.GetScale(call.kind(), call.info.object()));
    case Verb::kPatch:
      return ScaleReply(call, PatchScale(call));
    default:
      break;
  }
  const auto options = OptionsOf(call);
  if (!options) return std::unexpected(options.error());
  const auto body = ReadObjectBody(call);
  if (!body) return std::unexpected(body.error());
  return ScaleReply(call, call.api.PutScale(call.kind(), call.info.object(), *body, *options));
}

}  // namespace

ApiResult<Reply> ServeSubresource(const Call& call) {
  if (call.info.subresource == "binding") return Bind(call);
  if (call.info.subresource == "eviction") return Evict(call);
  return Scale(call);
}

}  // namespace berth::apiserver
