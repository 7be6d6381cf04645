#include "apiserver/crd/pattern.h"

#include <re2/re2.h>

#include <utility>

namespace berth::apiserver::crd {
namespace {

// The memory of one expression: two thirds are for its instructions, 16 bytes each, which is far
// more than published schemas need, and the rest for what matching caches.
constexpr int64_t kMaxPatternMemory = 1 << 20;

re2::StringPiece Piece(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace

std::expected<std::shared_ptr<const Pattern>, std::string> Pattern::Compile(std::string_view text) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kMaxPatternMemory);
  auto compiled = std::make_unique<re2::RE2>(Piece(text), options);
  if (!compiled->ok()) return std::unexpected("error parsing regexp: " + compiled->error());
  return std::shared_ptr<const Pattern>(new Pattern(std::move(compiled)));
}

Pattern::Pattern(std::unique_ptr<re2::RE2> compiled) : compiled_(std::move(compiled)) {}
Pattern::~Pattern() = default;

const std::string& Pattern::text() const { return compiled_->pattern(); }

bool Pattern::Matches(std::string_view text) const {
  return re2::RE2::PartialMatch(Piece(text), *compiled_);
}

size_t Pattern::instructions() const { return static_cast<size_t>(compiled_->ProgramSize()); }

}  // namespace berth::apiserver::crd
