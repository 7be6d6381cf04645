#include "cel/libraries.h"

namespace berth::cel {
namespace {

class KubernetesLibraries {
 public:
  KubernetesLibraries() {
    AddOperators(environment_);
    AddConversions(environment_);
    AddTimeFunctions(environment_);
    AddStringFunctions(environment_);
    AddFormatFunction(environment_);
    AddRegexFunctions(environment_);
    AddListFunctions(environment_);
    AddOptionalFunctions(environment_);
    AddQuantityFunctions(environment_);
    AddSemverFunctions(environment_);
    AddUrlFunctions(environment_);
    AddNetworkFunctions(environment_);
    AddNamedFormats(environment_);
    AddAuthorizationFunctions(environment_);
  }

  const Environment& environment() const { return environment_; }

 private:
  Environment environment_;
};

}  // namespace

const Environment& KubernetesEnvironment() {
  static const KubernetesLibraries libraries;
  return libraries.environment();
}

}  // namespace berth::cel
