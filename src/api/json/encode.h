// Encodes objects as Kubernetes JSON: apiVersion, kind and the fields that Berth knows, absent ones
// left out. DecodeJson(EncodeJson(x)) equals x.
#pragma once

#include <string>

#include "api/object.h"

namespace berth::api {

std::string EncodeJson(const Object& object);

template <typename T>
std::string EncodeJson(const T& object);

}  // namespace berth::api
