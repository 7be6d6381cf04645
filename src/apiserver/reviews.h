// Reviews: questions to the server that are answered and forgotten.
//
// Whoever is let in may do everything, so every access is allowed, but to strangers.
#pragma once

#include "kinds/json.h"
#include "store/object.h"

namespace berth::apiserver {

struct Kind;
struct WriteOptions;

// The review with its answer as an object of version 0.
store::ObjectPtr AnswerReview(const Kind& kind, const Json& review, const WriteOptions& options);

}  // namespace berth::apiserver
