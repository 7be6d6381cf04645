#include "localcluster/pod_kubelet.h"

#include <fmt/format.h>

#include <algorithm>
#include <bitset>

#include "api/json/decode.h"
#include "api/pod_resources.h"
#include "localcluster/node_kubelet.h"
#include "localcluster/object_json.h"

namespace berth::localcluster {

namespace {

bool IsAtWork(const NodeRecord* node) { return node && node->runs && node->registered; }

struct Shortage {
  std::string resource;
  int64_t requested = 0;
  int64_t used = 0;
  int64_t capacity = 0;
};

int64_t AmountIn(const Amounts& amounts, std::string_view resource) {
  const auto found = std::ranges::find(amounts, resource, &Amounts::value_type::first);
  return found == amounts.end() ? 0 : found->second;
}

Amounts RequestsOf(const PodRecord& pod) {
  const auto decoded = api::DecodeJsonAs<api::Pod>(pod.object->json);
  return decoded ? AmountsOf(api::PodRequests(**decoded, {})) : Amounts{};
}

// What the node lacks for the pod beside those that it has taken in.
std::optional<Shortage> ShortageOn(const NodeRecord& node, const PodIndex::Set& pods,
                                   const PodRecord& pod, const Amounts& requests) {
  int64_t count = 0;
  Amounts used;
  for (const auto& [resource, amount] : requests) used.emplace_back(resource, 0);
  for (const PodRecord* other : pods) {
    if (other == &pod || other->finished() || !other->admitted) continue;
    ++count;
    for (auto& [resource, amount] : used) amount += AmountIn(other->admitted->amounts, resource);
  }
  const int64_t room = AmountIn(node.allocatable, "pods");
  if (count + 1 > room) return Shortage{"pods", 1, count, room};
  for (size_t i = 0; i < requests.size(); ++i) {
    const auto& [resource, amount] = requests[i];
    const int64_t capacity = AmountIn(node.allocatable, resource);
    if (amount > 0 && used[i].second + amount > capacity) {
      return Shortage{resource, amount, used[i].second, capacity};
    }
  }
  return std::nullopt;
}

// An address of the node's range that none of its pods has.
std::string FreeAddress(const NodeRecord& node, const PodIndex::Set& pods) {
  const auto range = AddressRange::Parse(node.pod_cidr);
  if (!range) return {};
  std::bitset<AddressRange::kMaxTracked> used;
  uint32_t last = 0;
  for (const PodRecord* pod : pods) {
    const auto place = range->PlaceOf(pod->admitted ? pod->admitted->address : pod->ip());
    if (!place || *place >= used.size()) continue;
    used.set(*place);
    last = std::max(last, *place);
  }
  // Addresses are not used again before they must be.
  const uint32_t size = std::min<uint32_t>(range->size(), AddressRange::kMaxTracked);
  for (uint32_t i = 1; i < size; ++i) {
    const uint32_t place = (last + i) % size;
    // The first is the network's own, the last for broadcasts.
    if (place > 0 && place + 1 < size && !used.test(place)) return range->At(place);
  }
  return range->At(last);
}

}  // namespace

PodTiming PodKubelet::Timing(const NodeRecord& node) const {
  const LocalClusterOptions& options = context_.options;
  return {options.start_delay, options.stop_delay, options.job_run, node.ready == "True"};
}

void PodKubelet::Observe(const Change& change) {
  if (&change.kind == &Pods()) {
    if (change.deleted) return queue_.Forget(change.object.key);
    const NodeRecord* node = context_.nodes.Find(change.pod->node());
    if (!IsAtWork(node)) return;
    const auto step = NextStep(change.document, Timing(*node));
    if (!step) return;
    if (step->at <= context_.now()) {
      queue_.Add(change.object.key);
    } else {
      queue_.AddAt(change.object.key, step->at);
    }
  } else if (&change.kind == &Nodes() && !change.deleted && IsAtWork(change.node)) {
    // A kubelet that starts looks at all that is there; so does one whose node got ready.
    const NodeRecord* before = change.previous_node;
    if (IsAtWork(before) && before->ready == change.node->ready) return;
    for (const PodRecord* pod : context_.pods.OnNode(change.object.key.name)) {
      queue_.Add(pod->name());
    }
  }
}

void PodKubelet::Sync(const ObjectName& key) {
  const PodRecord* pod = context_.pods.Find(key);
  const NodeRecord* node = pod ? context_.nodes.Find(pod->node()) : nullptr;
  if (!IsAtWork(node)) return;
  const Instant now = context_.now();
  std::optional<PodStep> step;
  const auto done = context_.api.Modify(Pods(), key, [&](Json& document) {
    JsonObject* fields = document.if_object();
    // Another pod of this name is another matter: its events are yet to come.
    const bool same = StringAt(ObjectAt(fields, "metadata"), "uid") == pod->uid();
    step = same ? NextStep(*fields, Timing(*node)) : std::nullopt;
    if (!step || step->at > now) return false;
    return Do(*step, *pod, *node, *fields);
  });
  if (!done || !step) return;
  if (step->at > now) return queue_.AddAt(key, step->at);
  if (step->what == PodStep::What::kRemove) {
    const auto gone =
        context_.api.Delete(Pods(), key, {.grace_period_seconds = 0, .uid = pod->uid()});
    if (gone) Wrote(key, gone->object);
    return;
  }
  Wrote(key, *done);
}

bool PodKubelet::Do(const PodStep& step, const PodRecord& pod, const NodeRecord& node,
                    JsonObject& document) {
  const Instant now = context_.now();
  switch (step.what) {
    case PodStep::What::kStart:
      return Start(pod, node, document);
    case PodStep::What::kExit:
      ExitPod(document, now);
      return true;
    case PodStep::What::kRestart:
      RestartPod(document, now);
      return true;
    case PodStep::What::kGetReady:
      MakePodReady(document, now);
      return true;
    case PodStep::What::kStop:
      StopPod(document, now);
      return true;
    case PodStep::What::kRemove:
      return false;
  }
  return false;
}

bool PodKubelet::Start(const PodRecord& pod, const NodeRecord& node, JsonObject& document) {
  const Instant now = context_.now();
  const PodIndex::Set& pods = context_.pods.OnNode(node.name());
  Amounts requests = RequestsOf(pod);
  // Those that ran before this world began are here, too.
  for (const PodRecord* other : pods) {
    if (!other->admitted && other->phase() == "Running") {
      context_.pods.Admit(other->name(), {RequestsOf(*other), other->ip()});
    }
  }
  if (const auto shortage = ShortageOn(node, pods, pod, requests)) {
    const std::string message = fmt::format(
        "Pod was rejected: Node didn't have enough resource: {}, requested: {}, used: {}, "
        "capacity: {}",
        shortage->resource, shortage->requested, shortage->used, shortage->capacity);
    RejectPod(document, "OutOf" + shortage->resource, message, now);
    return true;
  }
  const bool host_network = BoolAt(ObjectAt(&document, "spec"), "hostNetwork");
  const std::string ip = host_network ? node.address : FreeAddress(node, pods);
  context_.pods.Admit(pod.name(), {std::move(requests), ip});
  StartPod(document, node.address, ip, now);
  return true;
}

}  // namespace berth::localcluster
