// format.named(...), format.dns1123Label() and so on, and validate.
#include <array>
#include <string>
#include <vector>

#include "cel/containers.h"
#include "cel/evaluation.h"
#include "cel/libraries.h"
#include "cel/named_format.h"

namespace berth::cel {
namespace {

Value Named(const Call& call) {
  for (const NamedFormat& format : NamedFormats()) {
    if (format.function == call[0].text()) {
      return call.evaluation.NewOptional(Value::Of(&format));
    }
  }
  return Value::Optional(nullptr);
}

Value Validate(const Call& call) {
  if (!call.evaluation.Spend(call[1].text().size())) return Value::Optional(nullptr);
  std::vector<Value> messages;
  for (const std::string& message : call[0].named_format().validate(call[1].text())) {
    messages.push_back(call.evaluation.NewString(message));
  }
  if (messages.empty()) return Value::Optional(nullptr);
  return call.evaluation.NewOptional(MakeList(call.evaluation.arena(), messages));
}

template <size_t kIndex>
Value Get(const Call&) {
  return Value::Of(&NamedFormats()[kIndex]);
}

// The name of the function and what it is called in expressions.
struct Getter {
  std::string_view name;
  Implementation implementation;
};
constexpr Getter kGetters[] = {
    {"format.dns1123Label", Get<0>},
    {"format.dns1123Subdomain", Get<1>},
    {"format.dns1035Label", Get<2>},
    {"format.qualifiedName", Get<3>},
    {"format.dns1123LabelPrefix", Get<4>},
    {"format.dns1123SubdomainPrefix", Get<5>},
    {"format.dns1035LabelPrefix", Get<6>},
    {"format.labelValue", Get<7>},
    {"format.uri", Get<8>},
    {"format.uuid", Get<9>},
    {"format.byte", Get<10>},
    {"format.date", Get<11>},
    {"format.datetime", Get<12>},
};

}  // namespace

void AddNamedFormats(Environment& environment) {
  TypePool& types = environment.types();
  for (const Getter& getter : kGetters) {
    environment.Define(getter.name)
        .Global(getter.name, {}, &kNamedFormatType, getter.implementation);
  }
  environment.Define("format.named")
      .Global("format-named", {&kStringType}, types.Optional(&kNamedFormatType), Named);
  environment.Define("validate")
      .Costs(CostRule::kValidate)
      .Member("format-validate", {&kNamedFormatType, &kStringType},
              types.Optional(types.List(&kStringType)), Validate);
}

}  // namespace berth::cel
