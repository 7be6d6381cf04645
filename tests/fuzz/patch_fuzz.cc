// Arbitrary documents and patches of any type: the first line is the document, the rest the patch.
// Merging a patch twice equals merging it once; so does applying.
#include <boost/json.hpp>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "api/json/document.h"
#include "api/scheme/scheme.h"
#include "apiserver/patch/patches.h"
#include "apiserver/patch/server_side_apply.h"
#include "base/check.h"

namespace {

using berth::api::HasFiniteNumbers;
using berth::api::Json;

void CheckApply(const Json& document, const Json& config) {
  berth::api::scheme::Kind kind;
  kind.version = "v1";
  kind.kind = "Pod";
  kind.has_status = true;
  const auto apply = [&](const Json& live, bool force) {
    return berth::apiserver::patch::ServerSideApply(
        kind, live, config, {.manager = "kubectl", .force = force, .now = {}, .subresource = ""});
  };
  const auto careful = apply(document, false);
  const auto applied = apply(document, true);
  if (!applied) {
    CHECK(applied.error().code == 400 && !careful);
    return;
  }
  CHECK(careful ? *careful == *applied : careful.error().code == 409);
  const auto again = apply(*applied, false);
  CHECK(again && *again == *applied);
  (void)berth::apiserver::patch::TrackUpdate(kind, *applied, document, "editor", "", {});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t end = text.find('\n');
  if (end == std::string_view::npos) return 0;
  boost::json::error_code error;
  const Json document = boost::json::parse(text.substr(0, end), error);
  if (error) return 0;
  const Json patch = boost::json::parse(text.substr(end + 1), error);
  if (error || !HasFiniteNumbers(document) || !HasFiniteNumbers(patch)) return 0;

  if (const auto patched = berth::apiserver::patch::ApplyJsonPatch(document, patch); !patched) {
    CHECK(patched.error().code >= 400 && !patched.error().message.empty());
  }
  const Json merged = berth::apiserver::patch::ApplyMergePatch(document, patch);
  CHECK(berth::apiserver::patch::ApplyMergePatch(merged, patch) == merged);
  if (const auto patched = berth::apiserver::patch::ApplyStrategicPatch(document, patch);
      !patched) {
    CHECK((patched.error().code == 400 || patched.error().code == 422) &&
          !patched.error().message.empty());
  }
  CheckApply(document, patch);
  return 0;
}
