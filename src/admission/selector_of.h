// Label selectors and label maps out of documents.
#pragma once

#include "api/meta.h"
#include "kinds/json.h"

namespace berth::apiserver {

// Null gives an empty map.
api::StringMap StringMapOf(const JsonObject* map);
api::LabelSelector LabelSelectorOf(const JsonObject& selector);

}  // namespace berth::apiserver
