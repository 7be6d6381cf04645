// The layouts of pods and pod templates.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <ranges>
#include <set>
#include <string_view>

#include "api/timestamp.h"
#include "apiserver/printing/columns.h"
#include "apiserver/printing/table.h"

namespace berth::apiserver::printing {
namespace {

// The number of container restarts and the time of the last one.
struct Restarts {
  int64_t count = 0;
  std::optional<Instant> last;

  void Add(api::JsonView status) {
    count += status["restartCount"].number();
    const auto ended = api::ParseTimestamp(status["lastState"]["terminated"]["finishedAt"].text());
    if (ended && (!last || *last < *ended)) last = *ended;
  }

  std::string Text(Instant now) const {
    if (count == 0 || !last) return fmt::format("{}", count);
    return fmt::format("{} ({} ago)", count, ShortAge(now - *last));
  }
};

// The aggregated state of a pod's containers.
struct PodSummary {
  std::string status;
  Restarts restarts;
  Restarts sidecar_restarts;
  size_t ready = 0;
  size_t total = 0;
};

std::string TerminatedReason(api::JsonView terminated) {
  if (!terminated["reason"].text().empty()) return std::string(terminated["reason"].text());
  if (terminated["signal"].number() != 0) {
    return fmt::format("Signal:{}", terminated["signal"].number());
  }
  return fmt::format("ExitCode:{}", terminated["exitCode"].number());
}

bool IsSidecar(api::JsonView container) { return container["restartPolicy"].text() == "Always"; }

std::set<std::string_view> SidecarNames(const std::vector<api::JsonView>& init_containers) {
  std::set<std::string_view> names;
  for (const api::JsonView container : init_containers) {
    if (IsSidecar(container)) names.insert(container["name"].text());
  }
  return names;
}

std::string StatusBeforeContainers(api::JsonView status) {
  for (const api::JsonView condition : status["conditions"].items()) {
    if (condition["type"].text() == "PodScheduled" &&
        condition["reason"].text() == "SchedulingGated") {
      return "SchedulingGated";
    }
  }
  return std::string(status["reason"].text_or(status["phase"].text()));
}

// Summarizes the init containers in order, up to the first that is running or failed. Returns
// whether there is one.
bool SummarizeInitContainers(api::JsonView pod, PodSummary& summary) {
  const std::vector<api::JsonView> specs = pod["spec"]["initContainers"].items();
  const std::set<std::string_view> sidecars = SidecarNames(specs);
  size_t index = 0;
  for (const api::JsonView status : pod["status"]["initContainerStatuses"].items()) {
    const bool sidecar = sidecars.contains(status["name"].text());
    const api::JsonView terminated = status["state"]["terminated"];
    const std::string_view waiting = status["state"]["waiting"]["reason"].text();
    summary.restarts.Add(status);
    if (sidecar) summary.sidecar_restarts.Add(status);
    if (terminated && terminated["exitCode"].number() == 0) {
      ++index;
      continue;
    }
    if (sidecar && status["started"].flag()) {
      if (status["ready"].flag()) ++summary.ready;
      ++index;
      continue;
    }
    if (terminated) {
      summary.status = "Init:" + TerminatedReason(terminated);
    } else if (!waiting.empty() && waiting != "PodInitializing") {
      summary.status = fmt::format("Init:{}", waiting);
    } else {
      summary.status = fmt::format("Init:{}/{}", index, specs.size());
    }
    return true;
  }
  return false;
}

// Summarizes the main containers and sidecars. The first container that waits or has terminated
// determines the pod's status.
void SummarizeContainers(api::JsonView pod, PodSummary& summary) {
  summary.restarts = summary.sidecar_restarts;
  bool any_running = false;
  std::string failure;
  const std::vector<api::JsonView> statuses = pod["status"]["containerStatuses"].items();
  for (const api::JsonView status : statuses | std::views::reverse) {
    const api::JsonView state = status["state"];
    summary.restarts.Add(status);
    if (!state["waiting"]["reason"].text().empty()) {
      summary.status = state["waiting"]["reason"].text();
    } else if (state["terminated"]) {
      summary.status = TerminatedReason(state["terminated"]);
      if (state["terminated"]["exitCode"].number() != 0) failure = summary.status;
    } else if (status["ready"].flag() && state["running"]) {
      any_running = true;
      ++summary.ready;
    }
  }
  if (summary.status != "Completed") return;
  // A completed container does not determine the status if others run or failed.
  if (any_running && HasCondition(pod["status"]["conditions"], "Ready")) {
    summary.status = "Running";
  } else if (!failure.empty()) {
    summary.status = failure;
  } else if (any_running) {
    summary.status = "NotReady";
  }
}

PodSummary Summarize(api::JsonView pod) {
  PodSummary summary;
  const api::JsonView status = pod["status"];
  const std::string_view phase = status["phase"].text();
  summary.status = StatusBeforeContainers(status);
  summary.total = pod["spec"]["containers"].size();
  summary.total +=
      static_cast<size_t>(std::ranges::count_if(pod["spec"]["initContainers"].items(), IsSidecar));
  const bool initializing = SummarizeInitContainers(pod, summary);
  if (!initializing || HasCondition(status["conditions"], "Initialized")) {
    SummarizeContainers(pod, summary);
  }
  if (!IsBeingDeleted(pod)) return summary;
  if (status["reason"].text() == "NodeLost") {
    summary.status = "Unknown";
  } else if (phase != "Succeeded" && phase != "Failed") {
    summary.status = "Terminating";
  }
  return summary;
}

std::string ReadinessGates(api::JsonView pod) {
  const std::vector<api::JsonView> gates = pod["spec"]["readinessGates"].items();
  if (gates.empty()) return "<none>";
  std::set<std::string_view> true_conditions;
  for (const api::JsonView condition : pod["status"]["conditions"].items()) {
    if (condition["status"].text() == "True") true_conditions.insert(condition["type"].text());
  }
  const auto open = std::ranges::count_if(gates, [&](api::JsonView gate) {
    return true_conditions.contains(gate["conditionType"].text());
  });
  return fmt::format("{}/{}", open, gates.size());
}

std::string_view PodIp(api::JsonView status) {
  const std::vector<api::JsonView> ips = status["podIPs"].items();
  return ips.empty() ? status["podIP"].text() : ips.front()["ip"].text();
}

Cells PodCells(api::JsonView pod, Instant now) {
  const PodSummary summary = Summarize(pod);
  const std::string_view ip = PodIp(pod["status"]);
  return {NameOf(pod),
          fmt::format("{}/{}", summary.ready, summary.total),
          summary.status,
          summary.restarts.Text(now),
          AgeOf(pod, now),
          std::string(ip.empty() ? "<none>" : ip),
          std::string(pod["spec"]["nodeName"].text_or("<none>")),
          std::string(pod["status"]["nominatedNodeName"].text_or("<none>")),
          ReadinessGates(pod)};
}

Cells PodTemplateCells(api::JsonView object, Instant) {
  Cells cells = {NameOf(object)};
  AppendContainers(cells, object["template"]["spec"]);
  cells.emplace_back(FormatLabels(object["template"]["metadata"]["labels"]));
  return cells;
}

}  // namespace

Layouts PodLayouts() {
  return {
      {"pods",
       {{NameColumn(),
         {"Ready", "Number of ready containers and of all containers."},
         {"Status", "Aggregated status of the containers."},
         {"Restarts", "Number of container restarts and time since the last one."},
         AgeColumn(),
         {"IP", "Address of the pod.", true},
         {"Node", "Node that the pod is bound to.", true},
         {"Nominated Node", "Node on which pods are preempted for this pod.", true},
         {"Readiness Gates", "Number of readiness gates that are True and of all.", true}},
        PodCells}},
      {"podtemplates",
       {{NameColumn(),
         {"Containers", "Containers of the template."},
         {"Images", "Images of the containers."},
         {"Pod Labels", "Labels of pods created from the template."}},
        PodTemplateCells}},
  };
}

}  // namespace berth::apiserver::printing
