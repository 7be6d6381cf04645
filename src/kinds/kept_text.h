// Reads pods and nodes whose text is kept for extenders (api/kept_text.h).
#pragma once

#include <string>
#include <string_view>

#include "api/object.h"
#include "base/result.h"

namespace berth::apiserver {

// A Pod or a Node from an API server's JSON, with that JSON less what WithoutTypeAndManagers takes.
template <typename T>
Result<api::Object> DecodeKeepingText(std::string_view json);

// An object's JSON without apiVersion, kind and metadata.managedFields: kube-scheduler's own copies
// lack them, and so does what it tells extenders. Text that is no object is given back as it is.
std::string WithoutTypeAndManagers(std::string_view object);

}  // namespace berth::apiserver
