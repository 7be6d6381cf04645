#include "localcluster/pod_kubelet.h"

#include <algorithm>
#include <bitset>

#include "api/json/decode.h"
#include "localcluster/node_kubelet.h"
#include "localcluster/object_json.h"
#include "localcluster/pod_admission.h"
#include "localcluster/pod_claims.h"
#include "localcluster/pod_events.h"
#include "localcluster/pod_status.h"

namespace berth::localcluster {

namespace {

bool HasKubelet(const NodeRecord* node) { return node && node->has_kubelet && node->registered; }

// Returns an address of the node's range that none of its pods has.
std::string FreeAddress(const NodeRecord& node, const PodIndex::Set& pods) {
  const auto range = AddressRange::Parse(node.pod_cidr);
  if (!range) return {};
  std::bitset<AddressRange::kMaxTracked> used;
  uint32_t last = 0;
  for (const PodRecord* pod : pods) {
    const auto offset = range->OffsetOf(pod->admitted ? pod->admitted->address : pod->ip());
    if (!offset || *offset >= used.size()) continue;
    used.set(*offset);
    last = std::max(last, *offset);
  }
  // Cycle through the range, so that addresses are reused as late as possible.
  const uint32_t size = std::min<uint32_t>(range->size(), AddressRange::kMaxTracked);
  for (uint32_t i = 1; i < size; ++i) {
    const uint32_t offset = (last + i) % size;
    // The first is the network address, the last the broadcast address.
    if (offset > 0 && offset + 1 < size && !used.test(offset)) return range->At(offset);
  }
  return range->At(last);
}

}  // namespace

PodBehavior PodKubelet::BehaviorOf(const PodRecord& pod, const JsonObject& document) const {
  PodRandom random{.seed = context_.options.seed};
  if (context_.options.stages) random.pod = pod.stable_name(document);
  return {document, context_.options, std::move(random)};
}

void PodKubelet::Observe(const Change& change) {
  if (&change.kind == &Pods()) {
    if (change.deleted) return queue_.Forget(change.object.key);
    const NodeRecord* node = context_.nodes.Find(change.pod->node());
    if (!HasKubelet(node)) return;
    RecordDeletion(change);
    const auto step =
        NextStep(change.document, BehaviorOf(*change.pod, change.document),
                 {.node_ready = node->ready == "True", .now = context_.now(), .pod_changed = true});
    if (!step) return;
    if (step->at <= context_.now()) {
      queue_.Add(change.object.key);
    } else {
      queue_.AddAt(change.object.key, step->at);
    }
  } else if (&change.kind == &Nodes() && !change.deleted && HasKubelet(change.node)) {
    // A kubelet that starts, or whose node becomes ready, processes all its pods.
    const NodeRecord* before = change.previous_node;
    if (HasKubelet(before) && before->ready == change.node->ready) return;
    for (const PodRecord* pod : context_.pods.OnNode(change.object.key.name)) {
      queue_.Add(pod->name());
    }
  }
}

void PodKubelet::Sync(const ObjectName& key) {
  const PodRecord* pod = context_.pods.Find(key);
  const NodeRecord* node = pod ? context_.nodes.Find(pod->node()) : nullptr;
  if (!HasKubelet(node)) return;
  const Instant now = context_.now();
  std::optional<PodStep> step;
  std::optional<std::string> unprepared;
  const auto done = context_.api.Modify(Pods(), key, [&](Json& document) {
    JsonObject* fields = document.if_object();
    // Ignore another pod of the same name: its events are yet to come.
    const bool same = StringAt(ObjectAt(fields, "metadata"), "uid") == pod->uid();
    step = same ? NextStep(*fields, BehaviorOf(*pod, *fields),
                           {.node_ready = node->ready == "True", .now = now})
                : std::nullopt;
    if (!step || step->at > now) return false;
    // Devices are prepared before the containers start.
    if (step->action == PodStep::Action::kStart)
      unprepared = UnpreparedClaim(context_.store(), *fields);
    if (unprepared) {
      context_.events.Record(
          InvolvedObject::Of(Pods(), *fields), EventType::kWarning, "FailedPrepareDynamicResources",
          "Failed to prepare dynamic resources: " + *unprepared, kKubeletComponent, pod->node());
      return false;
    }
    return Execute(*step, *pod, *node, *fields);
  });
  if (!done || !step) return;
  if (unprepared) return queue_.AddAfterFailure(key, now);
  queue_.Succeeded(key);
  if (step->at > now) return queue_.AddAt(key, step->at);
  if (!context_.events.full()) {
    const Json document = apiserver::store::Parse(**done);
    RecordStep(context_.events, *step, *pod, document.get_object());
  }
  if (step->action == PodStep::Action::kRemove) {
    const auto deleted =
        context_.api.Delete(Pods(), key, {.grace_period_seconds = 0, .uid = pod->uid()});
    if (deleted) Wrote(key, deleted->object);
    return;
  }
  Wrote(key, *done);
}

void PodKubelet::RecordDeletion(const Change& change) {
  const PodRecord* before = change.previous_pod;
  const bool begins = before && !before->deleting && change.pod->deleting;
  if (!begins || change.pod->phase() != "Running" || context_.events.full()) return;
  RecordKilling(context_.events, *change.pod, change.document);
}

bool PodKubelet::Execute(const PodStep& step, const PodRecord& pod, const NodeRecord& node,
                         JsonObject& document) {
  const Instant now = context_.now();
  if (step.starts()) return Start(step, pod, node, document);
  switch (step.action) {
    case PodStep::Action::kMarkReady:
      MakePodReady(document, now);
      return true;
    case PodStep::Action::kDebug:
      StartEphemeralContainers(document, now);
      return true;
    case PodStep::Action::kExit:
      ExitPod(document, step.exit_code, step.exit_reason, now);
      return true;
    case PodStep::Action::kBackOff:
      BackOffPod(document, step.backoff, now);
      return true;
    case PodStep::Action::kRestart:
      RestartPod(document, step.ready, now);
      return true;
    case PodStep::Action::kStop:
      StopPod(document, step.exit_code, now);
      return true;
    default:
      return false;
  }
}

bool PodKubelet::Start(const PodStep& step, const PodRecord& pod, const NodeRecord& node,
                       JsonObject& document) {
  const Instant now = context_.now();
  if (!pod.admitted && !Admit(pod, node, document)) return true;
  const PodAddresses addresses{node.address, pod.admitted->address};
  switch (step.action) {
    case PodStep::Action::kCreate:
      CreateContainers(document, addresses, now);
      return true;
    case PodStep::Action::kRefuse:
      RefuseContainers(document, addresses, step.problem, now);
      return true;
    case PodStep::Action::kFailPull:
      FailImagePull(document, addresses, kErrImagePull, step.pull, now);
      return true;
    case PodStep::Action::kBackOffPull:
      FailImagePull(document, addresses, kImagePullBackOff, step.pull, now);
      return true;
    default:
      StartPod(document, addresses, step.ready, now);
      return true;
  }
}

bool PodKubelet::Admit(const PodRecord& pod, const NodeRecord& node, JsonObject& document) {
  const PodIndex::Set& pods = context_.pods.OnNode(node.name());
  // Pods that already ran when the local cluster started are admitted as they are.
  for (const PodRecord* other : pods) {
    if (other->admitted || other->phase() != "Running") continue;
    const auto running = api::DecodeJsonAs<api::Pod>(other->object->json);
    AllocatedResources allocated = running ? DemandOf(**running) : AllocatedResources{};
    allocated.address = other->ip();
    context_.pods.Admit(other->name(), std::move(allocated));
  }
  const auto decoded = api::DecodeJsonAs<api::Pod>(pod.object->json);
  AllocatedResources demand = decoded ? DemandOf(**decoded) : AllocatedResources{};
  if (decoded) {
    if (const auto rejection = RejectionOf(**decoded, demand, node, pods)) {
      RejectPod(document, rejection->reason, rejection->message, context_.now());
      return false;
    }
  }
  const bool host_network = BoolAt(ObjectAt(&document, "spec"), "hostNetwork");
  demand.address = host_network ? node.address : FreeAddress(node, pods);
  context_.pods.Admit(pod.name(), std::move(demand));
  return true;
}

}  // namespace berth::localcluster
