#include "benchmark/template_functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <functional>

#include "api/json/writer.h"
#include "base/overloaded.h"

namespace berth::benchmark {
namespace {

using Arguments = std::span<const TemplateValue>;

// Doubles up to this have no fraction that matters, and fit an int64_t.
constexpr double kMaxInteger = 9.0e15;

Result<double> ToFloat(const TemplateValue& value) {
  if (const auto* whole = std::get_if<int64_t>(&value)) return static_cast<double>(*whole);
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (const auto* text = std::get_if<std::string>(&value)) {
    double number = 0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
    if (error == std::errc() && end == text->data() + text->size()) return number;
  }
  return Fail(fmt::format("\"{}\" is not a number", PrintValue(value)));
}

Result<TemplateValue> ToInteger(double number) {
  if (!(std::abs(number) <= kMaxInteger)) return Fail("the result is too large for an integer");
  return TemplateValue(static_cast<int64_t>(number));
}

Result<TemplateValue> Wrong(std::string_view wanted, Arguments given) {
  return Fail(fmt::format("wants {} arguments, has {}", wanted, given.size()));
}

// Folds the arguments as numbers.
template <typename Operation>
Result<double> Fold(Arguments arguments, double first, Operation operation) {
  double result = first;
  for (const TemplateValue& argument : arguments) {
    const auto number = ToFloat(argument);
    if (!number) return number;
    result = operation(result, *number);
  }
  return result;
}

struct Two {
  double a = 0, b = 0;
};
Result<Two> TwoNumbers(Arguments arguments) {
  if (arguments.size() != 2)
    return Fail(fmt::format("wants 2 arguments, has {}", arguments.size()));
  const auto a = ToFloat(arguments[0]);
  if (!a) return std::unexpected(a.error());
  const auto b = ToFloat(arguments[1]);
  if (!b) return std::unexpected(b.error());
  return Two{*a, *b};
}

Result<double> Add(Arguments arguments) { return Fold(arguments, 0, std::plus<double>()); }
Result<double> Multiply(Arguments arguments) {
  return Fold(arguments, 1, std::multiplies<double>());
}
Result<double> Subtract(Arguments arguments) {
  const auto numbers = TwoNumbers(arguments);
  if (!numbers) return std::unexpected(numbers.error());
  return numbers->a - numbers->b;
}
Result<double> Divide(Arguments arguments) {
  const auto numbers = TwoNumbers(arguments);
  if (!numbers) return std::unexpected(numbers.error());
  if (numbers->b == 0) return Fail("division by zero");
  return numbers->a / numbers->b;
}

template <Result<double> (*kOperation)(Arguments)>
Result<TemplateValue> AsFloat(Arguments arguments) {
  const auto number = kOperation(arguments);
  if (!number) return std::unexpected(number.error());
  return TemplateValue(*number);
}
template <Result<double> (*kOperation)(Arguments)>
Result<TemplateValue> AsInteger(Arguments arguments) {
  const auto number = kOperation(arguments);
  if (!number) return std::unexpected(number.error());
  return ToInteger(*number);
}

Result<TemplateValue> Mod(Arguments arguments) {
  const auto numbers = TwoNumbers(arguments);
  if (!numbers) return std::unexpected(numbers.error());
  const double a = std::trunc(numbers->a), b = std::trunc(numbers->b);
  if (b == 0) return Fail("division by zero");
  return ToInteger(std::fmod(a, b));
}

Result<TemplateValue> Int(Arguments arguments) {
  if (arguments.size() != 1) return Wrong("1", arguments);
  const auto number = ToFloat(arguments[0]);
  if (!number) return std::unexpected(number.error());
  return ToInteger(*number);
}

Result<TemplateValue> Json(Arguments arguments) {
  if (arguments.size() != 1) return Wrong("1", arguments);
  const auto* text = std::get_if<std::string>(&arguments[0]);
  if (text != nullptr) return TemplateValue(api::JsonQuoted(*text));
  const bool is_nil = std::holds_alternative<std::monostate>(arguments[0]);
  return TemplateValue(is_nil ? "null" : PrintValue(arguments[0]));
}

bool AreEqual(const TemplateValue& a, const TemplateValue& b) {
  const bool numbers = !std::holds_alternative<std::string>(a) &&
                       !std::holds_alternative<std::string>(b) && ToFloat(a) && ToFloat(b);
  return numbers ? *ToFloat(a) == *ToFloat(b) : a == b;
}

// Go's eq compares the first argument with each of the others.
Result<TemplateValue> Eq(Arguments arguments) {
  if (arguments.size() < 2) return Wrong("2 or more", arguments);
  return TemplateValue(std::ranges::any_of(
      arguments.subspan(1), [&](const auto& other) { return AreEqual(arguments[0], other); }));
}
Result<TemplateValue> Ne(Arguments arguments) {
  if (arguments.size() != 2) return Wrong("2", arguments);
  return TemplateValue(!AreEqual(arguments[0], arguments[1]));
}
template <typename Order>
Result<TemplateValue> Compare(Arguments arguments) {
  const auto numbers = TwoNumbers(arguments);
  if (!numbers) return std::unexpected(numbers.error());
  return TemplateValue(Order()(numbers->a, numbers->b));
}

// Go's and returns the first argument that is not true, else the last one; or the opposite.
template <bool kStops>
Result<TemplateValue> FirstThatIs(Arguments arguments) {
  if (arguments.empty()) return Wrong("1 or more", arguments);
  for (const TemplateValue& argument : arguments) {
    if (IsTrue(argument) == kStops) return argument;
  }
  return arguments.back();
}
Result<TemplateValue> Not(Arguments arguments) {
  if (arguments.size() != 1) return Wrong("1", arguments);
  return TemplateValue(!IsTrue(arguments[0]));
}

struct NamedFunction {
  std::string_view name;
  TemplateFunction call;
};
constexpr auto kFunctions = std::to_array<NamedFunction>({
    {"AddFloat", AsFloat<Add>},
    {"AddInt", AsInteger<Add>},
    {"DivideFloat", AsFloat<Divide>},
    {"DivideInt", AsInteger<Divide>},
    {"Int", Int},
    {"JSON", Json},
    {"Mod", Mod},
    {"MultiplyFloat", AsFloat<Multiply>},
    {"MultiplyInt", AsInteger<Multiply>},
    {"SubtractFloat", AsFloat<Subtract>},
    {"SubtractInt", AsInteger<Subtract>},
    {"and", FirstThatIs<false>},
    {"or", FirstThatIs<true>},
    {"not", Not},
    {"eq", Eq},
    {"ne", Ne},
    {"lt", Compare<std::less<double>>},
    {"le", Compare<std::less_equal<double>>},
    {"gt", Compare<std::greater<double>>},
    {"ge", Compare<std::greater_equal<double>>},
});

}  // namespace

TemplateFunction FindTemplateFunction(std::string_view name) {
  const auto found = std::ranges::find(kFunctions, name, &NamedFunction::name);
  return found == kFunctions.end() ? nullptr : found->call;
}

std::string PrintValue(const TemplateValue& value) {
  return std::visit(Overloaded{[](std::monostate) -> std::string { return "<no value>"; },
                               [](bool flag) -> std::string { return flag ? "true" : "false"; },
                               [](int64_t number) { return std::to_string(number); },
                               [](double number) {
                                 // Parameters are numbers of JSON, most of them whole.
                                 const bool whole = std::abs(number) <= kMaxInteger &&
                                                    number == std::trunc(number);
                                 return whole ? std::to_string(static_cast<int64_t>(number))
                                              : fmt::format("{}", number);
                               },
                               [](const std::string& text) { return text; }},
                    value);
}

bool IsTrue(const TemplateValue& value) {
  return std::visit(Overloaded{[](std::monostate) { return false; }, [](bool flag) { return flag; },
                               [](int64_t number) { return number != 0; },
                               [](double number) { return number != 0; },
                               [](const std::string& text) { return !text.empty(); }},
                    value);
}

}  // namespace berth::benchmark
