#include "plugins/default_binder.h"

#include "framework/binding.h"

namespace berth {

Task<Verdict> DefaultBinder::Bind(BindingContext& binding) const {
  const PodRecord& pod = binding.cycle().pod();
  const std::string& node = binding.cycle().nodes().name(binding.node());
  BindPod bind{pod.key(), pod.uid(), node};
  const WriteResult result = co_await binding.Write(std::move(bind));
  co_return result.ok() ? Verdict() : Verdict::Error(result.message);
}

}  // namespace berth
