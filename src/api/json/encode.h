// The encoder of Kubernetes objects as JSON: apiVersion, kind and the fields that Berth knows,
// without absent ones. DecodeJson(EncodeJson(x)) equals x.
#pragma once

#include <string>

#include "api/object.h"

namespace berth::api {

std::string EncodeJson(const Object& object);

template <typename T>
std::string EncodeJson(const T& object);

}  // namespace berth::api
