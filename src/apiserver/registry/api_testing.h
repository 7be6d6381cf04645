// ApiFixture is an Api for tests: a store in memory, a manual clock and a fixed seed.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/value.hpp>
#include <memory>
#include <string>
#include <string_view>

#include "api/json/document.h"
#include "api/json/parse.h"
#include "apiserver/registry/api.h"
#include "testing/require.h"

namespace berth::apiserver::registry {

// Parses JSON in which single quotes stand for double quotes.
inline api::Json Doc(std::string_view text) {
  std::string json(text);
  std::ranges::replace(json, '\'', '"');
  auto document = api::ParseJson(json);
  EXPECT_TRUE(document.has_value()) << json;
  return std::move(document).value_or(api::Json());
}

// Reports whether `have` contains `want`: objects may have more members, lists must be equally
// long; null in `want` means absent.
inline bool Holds(const api::Json& have, const api::Json& want) {
  if (const api::JsonObject* members = want.if_object()) {
    const api::JsonObject* object = have.if_object();
    if (!object) return false;
    for (const auto& [key, value] : *members) {
      const api::Json* member = object->if_contains(key);
      if (value.is_null() ? member != nullptr : !member || !Holds(*member, value)) return false;
    }
    return true;
  }
  if (const api::JsonArray* items = want.if_array()) {
    const api::JsonArray* array = have.if_array();
    if (!array || array->size() != items->size()) return false;
    for (size_t i = 0; i < items->size(); ++i) {
      if (!Holds((*array)[i], (*items)[i])) return false;
    }
    return true;
  }
  return have == want;
}

#define EXPECT_HOLDS(have, want) \
  EXPECT_PRED2(::berth::apiserver::registry::Holds, have, ::berth::apiserver::registry::Doc(want))

// Returns `404 NotFound: pods "a" not found`, or "ok" if there is no error.
template <typename T>
std::string ErrorOf(const api::scheme::ApiResult<T>& result) {
  if (result) return "ok";
  return fmt::format("{} {}: {}", result.error().code, result.error().reason,
                     result.error().message);
}

// "field: message", one cause a line.
template <typename T>
std::string CausesOf(const api::scheme::ApiResult<T>& result) {
  if (result) return "";
  std::string text;
  for (const api::scheme::ApiError::Cause& cause : result.error().causes) {
    if (!text.empty()) text += '\n';
    text += cause.field + ": " + cause.message;
  }
  return text;
}

struct ApiFixture {
  ApiFixture()
      : store(
            Require(store::Store::Open({.collections = api::scheme::CollectionNames()}, nullptr))) {
  }

  api::scheme::ApiResult<Written> Create(std::string_view kind, std::string_view text,
                                         std::string_view namespace_ = "default") {
    const api::scheme::Kind& which = api::scheme::KindOf(kind);
    return api.Create(which, which.namespaced ? namespace_ : "", Doc(text));
  }
  // Creates the object and returns the stored document.
  api::Json Make(std::string_view kind, std::string_view text,
                 std::string_view namespace_ = "default") {
    const api::scheme::ApiResult<Written> written = Create(kind, text, namespace_);
    EXPECT_EQ(ErrorOf(written), "ok");
    return written ? store::Parse(*written->object) : api::Json();
  }
  ObjectName NameOf(std::string_view kind, std::string_view name) const {
    return {api::scheme::KindOf(kind).namespaced ? "default" : "", std::string(name)};
  }
  api::scheme::ApiResult<Written> Update(std::string_view kind, std::string_view name,
                                         const api::Json& document,
                                         std::string_view subresource = "") {
    return api.Update(api::scheme::KindOf(kind), NameOf(kind, name), subresource, document);
  }
  api::scheme::ApiResult<Written> Merge(std::string_view kind, std::string_view name,
                                        std::string_view patch, std::string_view subresource = "") {
    return api.Patch(api::scheme::KindOf(kind), NameOf(kind, name), subresource,
                     patch::PatchType::kMerge, Doc(patch));
  }
  api::scheme::ApiResult<Deleted> Delete(std::string_view kind, std::string_view name,
                                         const DeleteOptions& options = {}) {
    return api.Delete(api::scheme::KindOf(kind), NameOf(kind, name), options);
  }
  // Returns the stored document, or null.
  api::Json Get(std::string_view kind, std::string_view name) const {
    const ObjectPtr object = store->Get(api::scheme::KindOf(kind).collection, NameOf(kind, name));
    return object ? store::Parse(*object) : api::Json();
  }
  api::scheme::ApiResult<ObjectPtr> Bind(std::string_view pod, std::string_view node) {
    return api.Bind({"default", std::string(pod)},
                    Doc(fmt::format("{{'target':{{'kind':'Node','name':'{}'}}}}", node)));
  }

  SimClock clock{Instant::FromUnixSeconds(1767225600)};  // 2026-01-01T00:00:00Z
  std::unique_ptr<store::Store> store;
  Api api{*store, clock, 1};
};

inline constexpr std::string_view kPodA =
    "{'metadata':{'name':'a'},'spec':{'containers':[{'name':'c','image':'i'}]}}";

}  // namespace berth::apiserver::registry
