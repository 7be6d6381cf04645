// The JSON documents that the API server works on.
#pragma once

#include <boost/json/fwd.hpp>

namespace berth::api {

using Json = boost::json::value;
using JsonObject = boost::json::object;
using JsonArray = boost::json::array;

}  // namespace berth::api
