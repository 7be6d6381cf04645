// Regular expressions as Go understands them, matched by RE2.
//
// The two agree but for details: both are the same design, with the same syntax.
#pragma once

#include <re2/re2.h>

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace berth::cel {

// Fails with the message of Go's regexp package: error parsing regexp: missing closing ): `(a`.
// The result may be used by several threads.
Result<std::unique_ptr<const re2::RE2>> CompileRegex(std::string_view pattern);

}  // namespace berth::cel
