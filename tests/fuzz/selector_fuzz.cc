// Selectors from arbitrary keys, operators and values: compiling never crashes, and what compiles
// means what its operator says.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "api/selector.h"
#include "base/check.h"

namespace berth::api {
namespace {

// The input as a sequence of words between spaces.
class Words {
 public:
  explicit Words(std::string_view text) : text_(text) {}

  bool done() const { return text_.empty(); }
  std::string Next() {
    const size_t end = text_.find(' ');
    std::string word(text_.substr(0, end));
    text_.remove_prefix(end == std::string_view::npos ? text_.size() : end + 1);
    return word;
  }

 private:
  std::string_view text_;
};

// "KEY OP VALUE VALUE ... ;"
template <typename T>
T NextRequirement(Words& words) {
  T requirement{words.Next(), words.Next(), {}};
  while (!words.done()) {
    std::string value = words.Next();
    if (value == ";") break;
    requirement.values.push_back(std::move(value));
  }
  return requirement;
}

void CheckLabels(Words words, const StringMap& labels) {
  LabelSelector written;
  while (!words.done()) {
    written.match_expressions.push_back(NextRequirement<LabelSelectorRequirement>(words));
  }
  const auto selector = Selector::FromLabelSelector(written);
  if (!selector) {
    CHECK(!selector.error().message.empty());
    return;
  }
  bool all = true;
  for (const Requirement& requirement : selector->requirements()) {
    all &= requirement.Matches(labels);
  }
  CHECK(selector->Matches(labels) == all);
  // In and NotIn are opposites, whatever the labels.
  for (Requirement requirement : selector->requirements()) {
    if (requirement.op != SelectorOp::kIn) continue;
    const bool in = requirement.Matches(labels);
    requirement.op = SelectorOp::kNotIn;
    CHECK(requirement.Matches(labels) != in);
  }
}

void CheckNode(Words words, const StringMap& labels, const std::string& name) {
  NodeSelector written;
  while (!words.done()) {
    NodeSelectorTerm term;
    auto requirement = NextRequirement<NodeSelectorRequirement>(words);
    const bool field = requirement.key.starts_with("metadata");
    (field ? term.match_fields : term.match_expressions).push_back(std::move(requirement));
    written.terms.push_back(std::move(term));
  }
  const auto strict = CompiledNodeSelector::Make(written);
  const CompiledNodeSelector lazy = CompiledNodeSelector::MakeLazy(written);
  CHECK(strict.has_value() == !lazy.parse_error().has_value());
  if (strict) CHECK(strict->Matches(labels, name) == lazy.Matches(labels, name));
  if (lazy.terms().empty()) CHECK(!lazy.Matches(labels, name));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Words words(std::string_view(reinterpret_cast<const char*>(data), size));
  StringMap labels;
  for (int i = 0; i < 2 && !words.done(); ++i) {
    std::string key = words.Next();
    labels.emplace(std::move(key), words.Next());
  }
  const std::string name = words.Next();
  CheckLabels(words, labels);
  CheckNode(words, labels, name);
  return 0;
}

}  // namespace berth::api
