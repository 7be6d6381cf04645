#include "framework/plugin.h"

#include "framework/cycle.h"

namespace berth {

std::unique_ptr<const ClassState> Plugin::Compile(Cluster&, const PodClass&) const {
  return nullptr;
}

}  // namespace berth
