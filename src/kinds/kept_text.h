// What is kept of an object's text for others (api/kept_text.h).
#pragma once

#include <string>
#include <string_view>

namespace berth::apiserver {

// An object's JSON without apiVersion, kind and metadata.managedFields: kube-scheduler's own copies
// lack them, and so does what it tells extenders. Text that is no object is given back as it is.
std::string WithoutTypeAndManagers(std::string_view object);

}  // namespace berth::apiserver
