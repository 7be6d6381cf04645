// KeptText is an object's JSON as the API server has it, with the fields that Berth does not read.
//
// It is kept only where there are extenders, who get it. Whoever changes an object clears it.
#pragma once

#include <memory>
#include <string>

namespace berth::api {

struct KeptText {
  std::shared_ptr<const std::string> json;  // Null: not kept.

  friend bool operator==(const KeptText& a, const KeptText& b) {
    return a.json == b.json || (a.json != nullptr && b.json != nullptr && *a.json == *b.json);
  }
};

}  // namespace berth::api
