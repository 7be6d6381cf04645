#include "scheduler/plugins/default_binder.h"

#include "scheduler/framework/cycle.h"
#include "scheduler/framework/writes.h"
#include "scheduler/model/node_table.h"
#include "scheduler/model/pod_table.h"

namespace berth::scheduler::plugins {

Task<framework::Verdict> DefaultBinder::Bind(framework::BindingContext& binding) const {
  const model::PodRecord& pod = binding.cycle().pod();
  const std::string& node = binding.cycle().nodes().name(binding.node());
  framework::BindPod bind{pod.key(), pod.uid(), node};
  const framework::WriteResult result = co_await binding.Write(std::move(bind));
  co_return result.ok() ? framework::Verdict() : framework::Verdict::Error(result.message);
}

}  // namespace berth::scheduler::plugins
