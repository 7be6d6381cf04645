#include "kinds/kept_text.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

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

}  // namespace berth::apiserver
