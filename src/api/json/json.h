// The mutable JSON document type (Boost.JSON), forward declared; document.h reads and writes it.
#pragma once

#include <boost/json/fwd.hpp>

namespace berth::api {

using Json = boost::json::value;
using JsonObject = boost::json::object;
using JsonArray = boost::json::array;

}  // namespace berth::api
