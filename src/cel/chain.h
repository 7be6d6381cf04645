// Chain is a root with selectors: device.attributes["a"].?b.
//
// cel-go charges one unit for a chain and one for each selector. Where a chain is only part of
// another expression (an index, or a branch of a conditional), the unit for the chain is saved.
#pragma once

#include <cstdint>
#include <vector>

#include "cel/evaluation.h"
#include "cel/node.h"
#include "cel/value.h"

namespace berth::cel {

class Chain final : public Node {
 public:
  struct Selector {
    Value key;  // If neither of the following computes it.
    const Node* index = nullptr;
    const Chain* chain_index = nullptr;
    bool is_optional = false;
    bool is_test = false;  // has(x.f)
  };

  static Chain OfVariable(uint32_t slot) { return Chain(Root::kVariable, slot); }
  static Chain OfLocal(uint32_t slot) { return Chain(Root::kLocal, slot); }
  static Chain OfNode(const Node& node);
  // c ? yes : no. Selectors are appended to both branches.
  static Chain OfConditional(const Node& condition, Chain& yes, Chain& no);

  void Append(const Selector& selector);

  Value Evaluate(Evaluation& evaluation) const override;
  // Evaluates without the unit for the chain itself.
  Value Resolve(Evaluation& evaluation) const;
  Chain* chain() override { return this; }

 private:
  enum class Root : uint8_t { kVariable, kLocal, kNode, kConditional };

  Chain(Root root, uint32_t slot) : root_(root), slot_(slot) {}

  Value EvaluateRoot(Evaluation& evaluation) const;
  Value ResolveBranch(Evaluation& evaluation) const;
  Value ApplySelectors(Evaluation& evaluation, Value value) const;
  static Value EvaluateKey(Evaluation& evaluation, const Selector& selector);

  Root root_;
  bool is_test_ = false;
  uint32_t slot_ = 0;
  const Node* node_ = nullptr;  // The root, or the condition.
  Chain* yes_ = nullptr;
  Chain* no_ = nullptr;
  std::vector<Selector> selectors_;
};

}  // namespace berth::cel
