#include "api/json/parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json/stream_parser.hpp>

#include "api/json/document.h"

namespace berth::api {
namespace {

std::string PlaceOf(std::string_view text, size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const auto line = std::ranges::count(before, '\n') + 1;
  const size_t newline = before.rfind('\n');
  const size_t column = before.size() - (newline == before.npos ? 0 : newline + 1) + 1;
  return fmt::format("line {}, column {}", line, column);
}

}  // namespace

Result<Json> ParseJson(std::string_view text, ParseOptions options) {
  boost::json::parse_options limits;
  limits.max_depth = options.max_depth;
  std::array<unsigned char, 4096> stack;  // Enough for most documents.
  boost::json::stream_parser parser({}, limits, stack.data(), stack.size());
  parser.reset(std::move(options.storage));
  boost::system::error_code error;
  const size_t read = parser.write(text.data(), text.size(), error);
  if (!error) parser.finish(error);
  if (error) return Fail(fmt::format("{}: {}", PlaceOf(text, read), error.message()));
  Json document = parser.release();
  if (!HasFiniteNumbers(document)) return Fail("a number is out of range");
  return document;
}

}  // namespace berth::api
