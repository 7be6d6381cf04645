// A world for tests of the Api: a store in memory, a clock that stands still and a fixed seed.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <memory>
#include <string>
#include <string_view>

#include "apiserver/api.h"
#include "kinds/json_access.h"

namespace berth::apiserver {

// The document of a JSON text; single quotes stand for double ones.
inline Json Doc(std::string_view text) {
  std::string json(text);
  std::ranges::replace(json, '\'', '"');
  boost::json::error_code error;
  Json document = boost::json::parse(json, error);
  EXPECT_FALSE(error) << json;
  return document;
}

// What `want` says is so in `have`: objects may have more members, lists may not have more items.
inline bool Holds(const Json& have, const Json& want) {
  if (const JsonObject* members = want.if_object()) {
    const JsonObject* object = have.if_object();
    if (!object) return false;
    for (const auto& [key, value] : *members) {
      const Json* member = object->if_contains(key);
      if (value.is_null() ? member != nullptr : !member || !Holds(*member, value)) return false;
    }
    return true;
  }
  if (const JsonArray* items = want.if_array()) {
    const JsonArray* array = have.if_array();
    if (!array || array->size() != items->size()) return false;
    for (size_t i = 0; i < items->size(); ++i) {
      if (!Holds((*array)[i], (*items)[i])) return false;
    }
    return true;
  }
  return have == want;
}

#define EXPECT_HOLDS(have, want) \
  EXPECT_PRED2(::berth::apiserver::Holds, have, ::berth::apiserver::Doc(want))

// "404 NotFound: pods "a" not found"; "ok" if there is none.
template <typename T>
std::string ErrorOf(const ApiResult<T>& result) {
  if (result) return "ok";
  return fmt::format("{} {}: {}", result.error().code, result.error().reason,
                     result.error().message);
}

// "field: message", one cause a line.
template <typename T>
std::string CausesOf(const ApiResult<T>& result) {
  if (result) return "";
  std::string text;
  for (const ApiError::Cause& cause : result.error().causes) {
    if (!text.empty()) text += '\n';
    text += cause.field + ": " + cause.message;
  }
  return text;
}

struct ApiWorld {
  ApiWorld() : store(*store::Store::Open({.collections = Collections()}, nullptr)) {}

  ApiResult<Written> Create(std::string_view kind, std::string_view text,
                            std::string_view namespace_ = "default") {
    const Kind& which = KindOf(kind);
    return api.Create(which, which.namespaced ? namespace_ : "", Doc(text));
  }
  // The document that creating it leaves.
  Json Make(std::string_view kind, std::string_view text, std::string_view namespace_ = "default") {
    const ApiResult<Written> written = Create(kind, text, namespace_);
    EXPECT_EQ(ErrorOf(written), "ok");
    return written ? Parse(*written->object) : Json();
  }
  ObjectName NameOf(std::string_view kind, std::string_view name) const {
    return {KindOf(kind).namespaced ? "default" : "", std::string(name)};
  }
  ApiResult<Written> Update(std::string_view kind, std::string_view name, const Json& document,
                            std::string_view subresource = "") {
    return api.Update(KindOf(kind), NameOf(kind, name), subresource, document);
  }
  ApiResult<Written> Merge(std::string_view kind, std::string_view name, std::string_view patch,
                           std::string_view subresource = "") {
    return api.Patch(KindOf(kind), NameOf(kind, name), subresource, PatchType::kMerge, Doc(patch));
  }
  ApiResult<Deleted> Delete(std::string_view kind, std::string_view name,
                            const DeleteOptions& options = {}) {
    return api.Delete(KindOf(kind), NameOf(kind, name), options);
  }
  // The stored document, or null.
  Json Get(std::string_view kind, std::string_view name) const {
    const ObjectPtr object = store->Get(KindOf(kind).collection, NameOf(kind, name));
    return object ? Parse(*object) : Json();
  }
  ApiResult<ObjectPtr> Bind(std::string_view pod, std::string_view node) {
    return api.Bind({"default", std::string(pod)},
                    Doc(fmt::format("{{'target':{{'kind':'Node','name':'{}'}}}}", node)));
  }

  SimClock clock{Instant::FromUnixSeconds(1767225600)};  // 2026-01-01T00:00:00Z
  std::unique_ptr<store::Store> store;
  Api api{*store, clock, 1};
};

inline constexpr std::string_view kPodA =
    "{'metadata':{'name':'a'},'spec':{'containers':[{'name':'c','image':'i'}]}}";

}  // namespace berth::apiserver
