#include "kinds/kept_text.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <utility>

#include "api/decode.h"
#include "api/json_text.h"

namespace berth::apiserver {

std::string WithoutTypeAndManagers(std::string_view object) {
  boost::json::error_code error;
  boost::json::parse_options options;
  options.max_depth = api::kMaxNesting;
  boost::json::value value = boost::json::parse({object.data(), object.size()}, error, {}, options);
  boost::json::object* const fields = error ? nullptr : value.if_object();
  if (fields == nullptr) return std::string(object);
  fields->stable_erase("apiVersion");
  fields->stable_erase("kind");
  boost::json::value* const metadata = fields->if_contains("metadata");
  if (metadata != nullptr && metadata->is_object())
    metadata->get_object().stable_erase("managedFields");
  return boost::json::serialize(value);
}

template <typename T>
Result<api::Object> DecodeKeepingText(std::string_view json) {
  auto object = api::DecodeJsonKept<T>(WithoutTypeAndManagers(json));
  if (!object) return std::unexpected(std::move(object.error()));
  return api::Object(*std::move(object));
}

template Result<api::Object> DecodeKeepingText<api::Pod>(std::string_view);
template Result<api::Object> DecodeKeepingText<api::Node>(std::string_view);

}  // namespace berth::apiserver
