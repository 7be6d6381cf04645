#include "cel/libraries.h"

namespace berth::cel {

void AddKubernetesLibraries(Environment& environment) {
  AddOperators(environment);
  AddConversions(environment);
  AddTimeFunctions(environment);
  AddStringFunctions(environment);
  AddFormatFunction(environment);
  AddRegexFunctions(environment);
  AddListFunctions(environment);
  AddOptionalFunctions(environment);
  AddQuantityFunctions(environment);
  AddSemverFunctions(environment);
  AddUrlFunctions(environment);
  AddNetworkFunctions(environment);
  AddNamedFormats(environment);
  AddAuthorizationFunctions(environment);
}

}  // namespace berth::cel
