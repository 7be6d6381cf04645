// ContinueToken is where the next page of a list begins, as clients carry it around: opaque to
// them, checked when it comes back.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kinds/kinds.h"
#include "store/object.h"

namespace berth::apiserver {

struct ContinueToken {
  store::Version version = 0;  // Of the first page.
  store::ObjectName after;     // The last object of the page before.
  friend bool operator==(const ContinueToken&, const ContinueToken&) = default;
};

// Good for the same kind and namespace only (an empty one: all namespaces).
std::string EncodeContinue(const Kind& kind, std::string_view namespace_,
                           const ContinueToken& token);
// Nothing if the token was not made for such a list.
std::optional<ContinueToken> DecodeContinue(const Kind& kind, std::string_view namespace_,
                                            std::string_view text);

}  // namespace berth::apiserver
