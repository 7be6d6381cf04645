// matches, find and findAll.
#include <re2/re2.h>

#include <memory>
#include <vector>

#include "cel/containers.h"
#include "cel/evaluation.h"
#include "cel/libraries.h"
#include "cel/regex.h"

namespace berth::cel {
namespace {

// The pattern of a call: compiled with the program, or for this call.
class Pattern {
 public:
  explicit Pattern(const Call& call) : regex_(call.pattern) {
    if (regex_ != nullptr) return;
    auto compiled = CompileRegex(call[1].text());
    if (!compiled) {
      error_ = call.evaluation.FailWith("{}", compiled.error().message);
      return;
    }
    owned_ = std::move(*compiled);
    regex_ = owned_.get();
    // Compiling takes longer than what matching is charged for.
    call.evaluation.Spend(static_cast<uint64_t>(regex_->ProgramSize()) * 32);
  }

  bool ok() const { return regex_ != nullptr; }
  const Value& error() const { return error_; }
  const re2::RE2& operator*() const { return *regex_; }

 private:
  std::unique_ptr<const re2::RE2> owned_;
  const re2::RE2* regex_;
  Value error_;
};

re2::StringPiece Piece(std::string_view text) { return {text.data(), text.size()}; }

bool AreStrings(const Call& call) { return call[0].is(Kind::kString) && call[1].is(Kind::kString); }

// Pays for matching `bytes` bytes. At worst each instruction looks at each byte, in about the time
// of a step; cached states make most matches many times faster, so that a part of it is charged.
bool PayForMatch(const Call& call, const re2::RE2& regex, size_t bytes) {
  constexpr uint64_t kInstructionsPerStep = 4;
  const auto instructions = static_cast<uint64_t>(regex.ProgramSize());
  return call.evaluation.Spend(bytes * (1 + instructions / kInstructionsPerStep) + 1);
}

// Finds the first match from `start` on.
bool FindMatch(const Call& call, const re2::RE2& regex, size_t start, re2::StringPiece& match) {
  const std::string_view text = call[0].text();
  if (!PayForMatch(call, regex, text.size() - start)) return false;
  return regex.Match(Piece(text), start, text.size(), re2::RE2::UNANCHORED, &match, 1);
}

Value Matches(const Call& call) {
  if (!AreStrings(call)) return Value::Error(kNoSuchOverload);
  const Pattern pattern(call);
  if (!pattern.ok()) return pattern.error();
  if (!PayForMatch(call, *pattern, call[0].text().size())) return Value::Bool(false);
  return Value::Bool(re2::RE2::PartialMatch(Piece(call[0].text()), *pattern));
}

Value Find(const Call& call) {
  if (!AreStrings(call)) return Value::Error(kNoSuchOverload);
  const Pattern pattern(call);
  if (!pattern.ok()) {
    return call.evaluation.FailWith("Illegal regex: {}", pattern.error().message());
  }
  re2::StringPiece match;
  if (!FindMatch(call, *pattern, 0, match)) return Value::String("");
  return Value::String({match.data(), match.size()});
}

Value FindAll(const Call& call) {
  if (!AreStrings(call)) return Value::Error(kNoSuchOverload);
  const Pattern pattern(call);
  if (!pattern.ok()) {
    return call.evaluation.FailWith("Illegal regex: {}", pattern.error().message());
  }
  const std::string_view text = call[0].text();
  const int64_t limit = call.args.size() > 2 ? call[2].integer() : -1;
  std::vector<Value> found;
  // An empty match right after another one does not count.
  size_t previous_end = std::string_view::npos;
  for (size_t at = 0; at <= text.size();) {
    if (limit >= 0 && static_cast<int64_t>(found.size()) >= limit) break;
    re2::StringPiece match;
    if (!FindMatch(call, *pattern, at, match)) break;
    const auto start = static_cast<size_t>(match.data() - text.data());
    const size_t end = start + match.size();
    if (!match.empty() || start != previous_end) {
      if (!call.evaluation.Reserve((found.size() + 1) * sizeof(Value))) break;
      found.push_back(Value::String({match.data(), match.size()}));
    }
    previous_end = end;
    if (!match.empty()) {
      at = end;
    } else if (end < text.size()) {
      at = end + CodePointSize(text.substr(end));
    } else {
      break;
    }
  }
  if (!call.evaluation.Reserve(found.size() * sizeof(Value))) return call[0];
  return MakeList(call.evaluation.arena(), found);
}

}  // namespace

void AddRegexFunctions(Environment& environment) {
  const Type* const s = &kStringType;
  const Type* const strings = environment.types().List(s);
  environment.Define("matches")
      .Runs(Matches)
      .Global("matches", {s, s}, &kBoolType, nullptr, CostRule::kRegex)
      .Member("matches_string", {s, s}, &kBoolType, nullptr, CostRule::kRegex);
  environment.Define("find").Costs(CostRule::kRegex).Member("string_find_string", {s, s}, s, Find);
  environment.Define("findAll")
      .Costs(CostRule::kRegex)
      .Member("string_find_all_string", {s, s}, strings, FindAll)
      .Member("string_find_all_string_int", {s, s, &kIntType}, strings, FindAll);
}

}  // namespace berth::cel
