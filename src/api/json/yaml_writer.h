// Printing of documents as YAML.
#pragma once

#include <string>

#include "api/json/json.h"

namespace berth::api {

// Formats `document` in block style with sorted keys, as Kubernetes tools print it.
std::string ToYamlText(const Json& document);

}  // namespace berth::api
