// Arbitrary texts as quantities. Printing and parsing a quantity gives the same number, and the
// laws of arithmetic hold.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "api/quantity.h"
#include "base/check.h"

using berth::Result;
using berth::api::Quantity;

namespace {

void CheckOne(const Quantity& quantity) {
  const Result<Quantity> again = Quantity::Parse(quantity.ToString());
  CHECK(again.has_value());
  CHECK(*again == quantity);
  CHECK(again->Sign() == quantity.Sign());
  CHECK(again->Value() == quantity.Value());
  CHECK(again->MilliValue() == quantity.MilliValue());

  // Rounds away from zero, by less than one.
  const int64_t value = quantity.Value();
  if (value == INT64_MAX || value == INT64_MIN) return;
  const int64_t below = value - quantity.Sign();
  const auto magnitude_order = Quantity::FromValue(value) <=> quantity;
  CHECK(quantity.Sign() >= 0 ? magnitude_order >= 0 : magnitude_order <= 0);
  CHECK(quantity.Sign() <= 0 || Quantity::FromValue(below) < quantity);
  CHECK(quantity.Sign() >= 0 || Quantity::FromValue(below) > quantity);
}

void CheckTwo(const Quantity& a, const Quantity& b) {
  CHECK((a < b) == (b > a));
  Quantity difference = a;
  difference -= b;
  CHECK((difference.Sign() <=> 0) == (a <=> b));
  Quantity sum = a;
  sum += b;
  Quantity reversed = b;
  reversed += a;
  CHECK(sum == reversed);
  CHECK(sum.ToString().size() > 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t space = std::min(text.find(' '), size);
  const Result<Quantity> a = Quantity::Parse(text.substr(0, space));
  if (!a) return 0;
  CheckOne(*a);
  if (space == size) return 0;
  const Result<Quantity> b = Quantity::Parse(text.substr(space + 1));
  if (b) CheckTwo(*a, *b);
  return 0;
}
