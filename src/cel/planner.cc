#include "cel/planner.h"

#include <algorithm>
#include <array>

#include "api/quantity.h"
#include "base/semantic_version.h"
#include "cel/limits.h"
#include "cel/operators.h"
#include "cel/regex.h"

namespace berth::cel {
namespace {

// cel-go computes these when it plans, if the argument is a constant; they are free then.
constexpr std::string_view kConversions[] = {"bool", "bytes",  "double",    "duration", "dyn",
                                             "int",  "string", "timestamp", "type",     "uint"};

bool IsRegexFunction(std::string_view name) {
  return name == "matches" || name == "find" || name == "findAll";
}

bool AreConstant(const std::vector<Node*>& nodes) {
  return std::ranges::all_of(nodes, [](const Node* node) { return node->constant() != nullptr; });
}

}  // namespace

bool Planner::Plan(const Expr& root) {
  program_.root_ = PlanExpr(root);
  return program_.root_ != nullptr;
}

Node* Planner::Fail(std::string message) {
  if (error_.empty()) error_ = std::move(message);
  return nullptr;
}

Node* Planner::AddConstant(const Value& value) { return Add(Constant(value)); }

Node* Planner::PlanExpr(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::kLiteral: {
      Value value = expr.literal;
      // The text belongs to the expression.
      if (value.is(Kind::kString)) value = Value::String(program_.arena_.Copy(value.text()));
      if (value.is(Kind::kBytes)) value = Value::Bytes(program_.arena_.Copy(value.text()));
      return AddConstant(value);
    }
    case ExprKind::kIdent:
      return PlanIdent(expr);
    case ExprKind::kSelect:
      return PlanSelect(expr);
    case ExprKind::kCall:
      return PlanCall(expr);
    case ExprKind::kList:
      return PlanList(expr);
    case ExprKind::kMap:
      return PlanMap(expr);
    case ExprKind::kLoop:
      return PlanLoop(expr);
  }
  return nullptr;
}

Node* Planner::PlanIdent(const Expr& expr) {
  if (expr.type_name != nullptr) return AddConstant(Value::Of(expr.type_name));
  if (expr.variable != nullptr) return Add(Chain::OfVariable(expr.variable->slot));
  for (auto local = locals_.rbegin(); local != locals_.rend(); ++local) {
    if (local->name == expr.name) return Add(Chain::OfLocal(local->slot));
  }
  return Fail("undeclared variable");
}

// Returns the chain that selectors on the node are appended to.
Chain& Planner::ChainOf(Node& node) {
  if (Chain* chain = node.chain()) return *chain;
  return *Add(Chain::OfNode(node));
}

Node* Planner::PlanSelect(const Expr& expr) {
  Node* operand = PlanExpr(*expr.target);
  if (operand == nullptr) return nullptr;
  Chain& chain = ChainOf(*operand);
  Chain::Selector selector;
  selector.key = Value::String(program_.arena_.Copy(expr.key.empty() ? expr.name : expr.key));
  selector.is_test = expr.is_test;
  chain.Append(selector);
  return &chain;
}

Node* Planner::PlanIndex(Node& operand, Node& index, bool optional) {
  Chain& chain = ChainOf(operand);
  Chain::Selector selector;
  selector.is_optional = optional;
  if (const Value* key = index.constant()) {
    if (!key->is_number() && !key->is(Kind::kString) && !key->is(Kind::kBool)) {
      return Fail("invalid qualifier type: " + std::string(key->type().name));
    }
    selector.key = *key;
  } else if (const Chain* key_chain = index.chain()) {
    selector.chain_index = key_chain;
  } else {
    selector.index = &index;
  }
  chain.Append(selector);
  return &chain;
}

Node* Planner::PlanConditional(const std::vector<Node*>& args) {
  return Add(Chain::OfConditional(*args[0], ChainOf(*args[1]), ChainOf(*args[2])));
}

Node* Planner::PlanCall(const Expr& expr) {
  std::vector<Node*> args;
  if (expr.target != nullptr) args.push_back(PlanExpr(*expr.target));
  for (const Expr* arg : expr.args) args.push_back(PlanExpr(*arg));
  if (std::ranges::find(args, nullptr) != args.end()) return nullptr;
  const std::string_view name = expr.name;
  if (name == operators::kAnd || name == operators::kOr) {
    return Add(Logic(name == operators::kAnd, *args[0], *args[1]));
  }
  if (name == operators::kConditional) return PlanConditional(args);
  if (name == operators::kEquals || name == operators::kNotEquals) {
    return Remember(Add(Equals(*args[0], *args[1], name == operators::kNotEquals)), args);
  }
  if (name == operators::kIndex) return PlanIndex(*args[0], *args[1], false);
  if (name == operators::kOptionalIndex || name == operators::kOptionalSelect) {
    Node* index = args[1];
    if (!expr.key.empty()) index = AddConstant(Value::String(program_.arena_.Copy(expr.key)));
    return PlanIndex(*args[0], *index, true);
  }
  if (name == operators::kOptionalOr || name == operators::kOptionalOrValue) {
    return Add(OptionalOr(*args[0], *args[1], name == operators::kOptionalOrValue));
  }
  return PlanFunction(expr, args);
}

Node* Planner::PlanFunction(const Expr& expr, const std::vector<Node*>& args) {
  const Overload* overload = expr.overloads.size() == 1 ? expr.overloads[0] : nullptr;
  if (overload != nullptr && overload->id == "in_list" && args[1]->constant() != nullptr) {
    const Value& list = *args[1]->constant();
    // The value is not even looked at.
    if (list.size() == 0) return AddConstant(Value::Bool(false));
    if (auto set = InSet::Make(*args[0], list)) return Add(std::move(set));
  }
  std::unique_ptr<const re2::RE2> pattern;
  if (IsRegexFunction(expr.name) && args[1]->constant() != nullptr &&
      args[1]->constant()->is(Kind::kString)) {
    auto compiled = CompileRegex(args[1]->constant()->text());
    if (!compiled) return Fail(compiled.error().message);
    pattern = std::move(*compiled);
    ++program_.pattern_count_;
    program_.pattern_instructions_ += static_cast<size_t>(pattern->ProgramSize());
  }
  Node* call = Add(std::make_unique<FunctionCall>(
      *expr.function, overload, std::vector<const Node*>(args.begin(), args.end()),
      std::move(pattern)));
  const bool is_conversion =
      std::ranges::find(kConversions, expr.name) != std::end(kConversions) && args.size() == 1;
  if (!is_conversion || !AreConstant(args)) return Remember(call, args);
  Node* folded = Fold(call);
  const Value* value = folded->constant();
  return value != nullptr && value->is_error() ? Fail(std::string(value->message())) : folded;
}

Node* Planner::PlanList(const Expr& expr) {
  std::vector<Node*> items;
  for (const Expr* item : expr.args) items.push_back(PlanExpr(*item));
  if (std::ranges::find(items, nullptr) != items.end()) return nullptr;
  Node* list = Add(NewList(std::vector<const Node*>(items.begin(), items.end()), expr.optional));
  return AreConstant(items) ? Fold(list) : list;
}

Node* Planner::PlanMap(const Expr& expr) {
  std::vector<Node*> entries;
  for (const Expr* part : expr.args) entries.push_back(PlanExpr(*part));
  if (std::ranges::find(entries, nullptr) != entries.end()) return nullptr;
  Node* map = Add(NewMap(std::vector<const Node*>(entries.begin(), entries.end()), expr.optional));
  return AreConstant(entries) ? Fold(map) : map;
}

// Slots are not reused: a variable that is computed when it is first read may be so in any loop.
uint32_t Planner::AddLocal(std::string_view name) {
  const uint32_t slot = program_.local_count_++;
  locals_.push_back({name, slot});
  return slot;
}

Node* Planner::PlanLoop(const Expr& expr) {
  const Loop& loop = expr.loop;
  LoopNode::Parts parts;
  parts.init = PlanExpr(*loop.init);
  parts.range = PlanExpr(*loop.range);
  parts.accumulator = AddLocal(loop.accumulator);
  parts.variable = AddLocal(loop.variable);
  parts.has_two_variables = !loop.variable2.empty();
  if (parts.has_two_variables) AddLocal(loop.variable2);
  parts.condition = PlanExpr(*loop.condition);
  parts.step = PlanExpr(*loop.step);
  // The result sees the accumulator only.
  locals_.resize(locals_.size() - (parts.has_two_variables ? 2 : 1));
  parts.result = PlanExpr(*loop.result);
  locals_.pop_back();
  for (const Node* part : {parts.init, parts.range, parts.condition, parts.step, parts.result}) {
    if (part == nullptr) return nullptr;
  }
  return Add(LoopNode(parts));
}

Node* Planner::Fold(Node* node) {
  // What the program's arena gets is not more than the expression has.
  Evaluation evaluation(program_.arena_, kMaxSelectorCost, {}, 0);
  const Value value = node->Evaluate(evaluation);
  return evaluation.aborted() ? node : AddConstant(value);
}

Node* Planner::Remember(Node* call, const std::vector<Node*>& args) {
  const bool known = std::ranges::all_of(args, [](const Node* arg) { return arg->is_known(); });
  if (!known) return call;
  Arena scratch;
  Evaluation evaluation(scratch, kMaxSelectorCost, {}, 0);
  const Value value = call->Evaluate(evaluation);
  Value copy;
  if (evaluation.aborted() || !CopySmall(value, copy)) return call;
  return Add(Remembered(copy, evaluation.cost()));
}

bool Planner::CopySmall(const Value& value, Value& copy) {
  constexpr size_t kMaxText = 1024;
  Arena& arena = program_.arena_;
  switch (value.kind()) {
    case Kind::kNull:
    case Kind::kBool:
    case Kind::kInt:
    case Kind::kUint:
    case Kind::kDouble:
    case Kind::kDuration:
    case Kind::kType:
    case Kind::kNamedFormat:
      copy = value;
      return true;
    case Kind::kString:
    case Kind::kBytes:
    case Kind::kError: {
      if (value.text().size() > kMaxText) return false;
      const std::string_view text = arena.Copy(value.text());
      copy = value.is(Kind::kString)  ? Value::String(text)
             : value.is(Kind::kBytes) ? Value::Bytes(text)
                                      : Value::Error(text);
      return true;
    }
    case Kind::kTimestamp:
      copy = Value::Of(arena.New<Timestamp>(value.timestamp()));
      return true;
    case Kind::kQuantity:
      copy = Value::Of(arena.New<api::Quantity>(value.quantity()), value.is_sum());
      return true;
    case Kind::kSemver: {
      auto* version = arena.New<SemanticVersion>(value.semver());
      version->prerelease = arena.Copy(version->prerelease);
      version->build = arena.Copy(version->build);
      copy = Value::Of(version);
      return true;
    }
    case Kind::kIp:
      copy = Value::Ip(arena.New<IpAddress>(value.address()));
      return true;
    case Kind::kCidr:
      copy = Value::Cidr(arena.New<IpAddress>(value.address()));
      return true;
    default:
      return false;
  }
}

}  // namespace berth::cel
