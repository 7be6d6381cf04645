#include "localcluster/pod_events.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "localcluster/object_json.h"
#include "localcluster/pod_status.h"

namespace berth::localcluster {

namespace {

// PodEventWriter records events about one pod and its containers.
class PodEventWriter {
 public:
  PodEventWriter(EventRecorder& events, const PodRecord& pod, const JsonObject& document)
      : events_(events),
        pod_(pod),
        document_(document),
        object_(InvolvedObject::Of(Pods(), *pod.object)) {}

  void Record(EventType type, std::string_view reason, std::string message) {
    events_.Record(object_, type, reason, std::move(message), kKubeletComponent, pod_.node());
  }
  void Normal(std::string_view reason, std::string message) {
    Record(EventType::kNormal, reason, std::move(message));
  }
  void Warning(std::string_view reason, std::string message) {
    Record(EventType::kWarning, reason, std::move(message));
  }

  // Calls `visit` with the name and image of each container; events are then about it.
  template <typename Visit>
  void ForEach(std::string_view key, Visit visit) {
    for (const JsonObject& container : ObjectsAt(ObjectAt(&document_, "spec"), key)) {
      const std::string name(StringAt(&container, "name"));
      object_.field_path = fmt::format("spec.{}{{{}}}", key, name);
      visit(name, StringAt(&container, "image"));
    }
  }

  void RecordStarted(std::string_view key) {
    ForEach(key, [&](const std::string&, std::string_view image) {
      Normal("Pulled",
             fmt::format("Container image \"{}\" already present on machine and can be accessed by "
                         "the pod",
                         image));
      Normal("Created", "Container created");
      Normal("Started", "Container started");
    });
  }

  void RecordFailedPull(int64_t pull) {
    ForEach("containers", [&](const std::string&, std::string_view image) {
      Normal("Pulling", fmt::format("Pulling image \"{}\"", image));
      Warning("Failed", fmt::format("Failed to pull image \"{}\": {}", image, PullError(pull)));
      Warning("Failed", fmt::format("Error: {}", kErrImagePull));
    });
  }

 private:
  EventRecorder& events_;
  const PodRecord& pod_;
  const JsonObject& document_;
  InvolvedObject object_;
};

}  // namespace

void RecordStep(EventRecorder& events, const PodStep& step, const PodRecord& pod,
                const JsonObject& document) {
  PodEventWriter writer(events, pod, document);
  const JsonObject* status = ObjectAt(&document, "status");
  if (step.starts() && StringAt(status, "phase") == "Failed") {
    return writer.Warning(StringAt(status, "reason"), std::string(StringAt(status, "message")));
  }
  switch (step.action) {
    case PodStep::Action::kRefuse:
      return writer.ForEach("containers", [&](const std::string&, std::string_view) {
        writer.Warning("Failed", "Error: " + step.problem);
      });
    case PodStep::Action::kFailPull:
      return writer.RecordFailedPull(step.pull);
    case PodStep::Action::kBackOffPull:
      return writer.ForEach("containers", [&](const std::string&, std::string_view image) {
        writer.Normal("BackOff", fmt::format("Back-off pulling image \"{}\"", image));
        writer.Warning("Failed", fmt::format("Error: {}", kImagePullBackOff));
      });
    case PodStep::Action::kStart:
      writer.RecordStarted("initContainers");
      return writer.RecordStarted("containers");
    case PodStep::Action::kRestart:
      return writer.RecordStarted("containers");
    case PodStep::Action::kDebug:
      return writer.RecordStarted(kEphemeralContainers);
    case PodStep::Action::kBackOff:
      return writer.ForEach("containers", [&](const std::string& name, std::string_view) {
        writer.Warning("BackOff",
                       fmt::format("Back-off restarting failed container {} in pod {}_{}({})", name,
                                   pod.name().name, pod.name().namespace_, pod.uid()));
      });
    case PodStep::Action::kCreate:
    case PodStep::Action::kMarkReady:
    case PodStep::Action::kExit:
    case PodStep::Action::kStop:
    case PodStep::Action::kRemove:
      return;
  }
}

void RecordKilling(EventRecorder& events, const PodRecord& pod, const JsonObject& document) {
  PodEventWriter writer(events, pod, document);
  writer.ForEach("containers", [&](const std::string& name, std::string_view) {
    writer.Normal("Killing", "Stopping container " + name);
  });
}

}  // namespace berth::localcluster
