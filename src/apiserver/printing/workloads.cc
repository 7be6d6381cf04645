// The layouts of workloads, autoscalers, disruption budgets and priority classes.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "api/timestamp.h"
#include "apiserver/printing/columns.h"
#include "apiserver/printing/table.h"

namespace berth::apiserver::printing {
namespace {

const TableColumn kDesired = {"Desired", "Number of desired pods.", false, "integer"};
const TableColumn kCurrent = {"Current", "Number of pods.", false, "integer"};
const TableColumn kReady = {"Ready", "Number of ready pods.", false, "integer"};
const TableColumn kReadyOfAll = {"Ready", "Number of ready and of desired pods."};

std::string OrNone(const std::string& text) { return text.empty() ? "<none>" : text; }

// The default of spec.replicas is 1.
int64_t Replicas(api::JsonView object) { return object["spec"]["replicas"].number_or(1); }

std::string ReadyOfAll(api::JsonView object) {
  return fmt::format("{}/{}", object["status"]["readyReplicas"].number(), Replicas(object));
}

Cells DeploymentCells(api::JsonView object, Instant now) {
  const api::JsonView status = object["status"];
  Cells cells = {NameOf(object), ReadyOfAll(object), status["updatedReplicas"].number(),
                 status["availableReplicas"].number(), AgeOf(object, now)};
  AppendContainers(cells, object["spec"]["template"]["spec"]);
  cells.emplace_back(FormatSelector(object["spec"]["selector"]));
  return cells;
}

Cells ReplicaCells(api::JsonView object, Instant now) {
  const api::JsonView status = object["status"];
  Cells cells = {NameOf(object), Replicas(object), status["replicas"].number(),
                 status["readyReplicas"].number(), AgeOf(object, now)};
  AppendContainers(cells, object["spec"]["template"]["spec"]);
  return cells;
}

Cells ReplicaSetCells(api::JsonView object, Instant now) {
  Cells cells = ReplicaCells(object, now);
  cells.emplace_back(OrNone(FormatSelector(object["spec"]["selector"])));
  return cells;
}

Cells ReplicationControllerCells(api::JsonView object, Instant now) {
  Cells cells = ReplicaCells(object, now);
  cells.emplace_back(FormatLabels(object["spec"]["selector"]));
  return cells;
}

Cells StatefulSetCells(api::JsonView object, Instant now) {
  Cells cells = {NameOf(object), ReadyOfAll(object), AgeOf(object, now)};
  AppendContainers(cells, object["spec"]["template"]["spec"]);
  return cells;
}

Cells DaemonSetCells(api::JsonView object, Instant now) {
  const api::JsonView status = object["status"];
  const api::JsonView pod_spec = object["spec"]["template"]["spec"];
  Cells cells = {NameOf(object),
                 status["desiredNumberScheduled"].number(),
                 status["currentNumberScheduled"].number(),
                 status["numberReady"].number(),
                 status["updatedNumberScheduled"].number(),
                 status["numberAvailable"].number(),
                 FormatLabels(pod_spec["nodeSelector"]),
                 AgeOf(object, now)};
  AppendContainers(cells, pod_spec);
  cells.emplace_back(OrNone(FormatSelector(object["spec"]["selector"])));
  return cells;
}

std::string JobStatus(api::JsonView job) {
  const api::JsonView conditions = job["status"]["conditions"];
  for (const char* end : {"Complete", "Failed"}) {
    if (HasCondition(conditions, end)) return end;
  }
  if (IsBeingDeleted(job)) return "Terminating";
  for (const char* type : {"Suspended", "FailureTarget", "SuccessCriteriaMet"}) {
    if (HasCondition(conditions, type)) return type;
  }
  return "Running";
}

std::string JobCompletions(api::JsonView job) {
  const int64_t succeeded = job["status"]["succeeded"].number();
  if (const api::JsonView completions = job["spec"]["completions"]) {
    return fmt::format("{}/{}", succeeded, completions.number());
  }
  const int64_t parallelism = job["spec"]["parallelism"].number();
  if (parallelism > 1) return fmt::format("{}/1 of {}", succeeded, parallelism);
  return fmt::format("{}/1", succeeded);
}

std::string JobDuration(api::JsonView job, Instant now) {
  const auto start = api::ParseTimestamp(job["status"]["startTime"].text());
  if (!start) return "";
  const auto end = api::ParseTimestamp(job["status"]["completionTime"].text());
  return ShortAge((end ? *end : now) - *start);
}

Cells JobCells(api::JsonView job, Instant now) {
  Cells cells = {NameOf(job), JobStatus(job), JobCompletions(job), JobDuration(job, now),
                 AgeOf(job, now)};
  AppendContainers(cells, job["spec"]["template"]["spec"]);
  cells.emplace_back(OrNone(FormatSelector(job["spec"]["selector"])));
  return cells;
}

Cells CronJobCells(api::JsonView object, Instant now) {
  const api::JsonView spec = object["spec"];
  const api::JsonView last = object["status"]["lastScheduleTime"];
  const api::JsonView job = spec["jobTemplate"]["spec"];
  Cells cells = {NameOf(object),
                 std::string(spec["schedule"].text()),
                 std::string(spec["timeZone"].text_or("<none>")),
                 std::string(spec["suspend"].flag() ? "True" : "False"),
                 static_cast<int64_t>(object["status"]["active"].size()),
                 last ? Since(last, now) : std::string("<none>"),
                 AgeOf(object, now)};
  AppendContainers(cells, job["template"]["spec"]);
  cells.emplace_back(OrNone(FormatSelector(job["selector"])));
  return cells;
}

Cells ControllerRevisionCells(api::JsonView object, Instant now) {
  std::string controller = "<none>";
  for (const api::JsonView owner : object["metadata"]["ownerReferences"].items()) {
    if (!owner["controller"].flag()) continue;
    const std::string_view version = owner["apiVersion"].text();
    const size_t slash = version.find('/');
    std::string kind(owner["kind"].text());
    if (slash != std::string_view::npos) kind += fmt::format(".{}", version.substr(0, slash));
    for (char& c : kind) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    controller = fmt::format("{}/{}", kind, owner["name"].text());
    break;
  }
  return {NameOf(object), std::move(controller), object["revision"].number(), AgeOf(object, now)};
}

Cells DisruptionBudgetCells(api::JsonView object, Instant now) {
  const auto given = [](api::JsonView value) {
    return value ? value.scalar() : std::string("N/A");
  };
  return {NameOf(object), given(object["spec"]["minAvailable"]),
          given(object["spec"]["maxUnavailable"]), object["status"]["disruptionsAllowed"].number(),
          AgeOf(object, now)};
}

Cells PriorityClassCells(api::JsonView object, Instant now) {
  return {NameOf(object), object["value"].number(), object["globalDefault"].flag(),
          AgeOf(object, now), std::string(object["preemptionPolicy"].text())};
}

Cells PodGroupCells(api::JsonView object, Instant now) {
  std::string status = "Pending";
  for (const std::string_view type : {"PodGroupScheduled", "DisruptionTarget"}) {
    for (const api::JsonView condition : object["status"]["conditions"].items()) {
      if (condition["type"].text() != type) continue;
      if (type == "DisruptionTarget") {
        status = condition["reason"].text();
      } else {
        status = condition["status"].text() == "True" ? "Scheduled" : "Unschedulable";
      }
    }
  }
  const api::JsonView spec = object["spec"];
  return {NameOf(object), std::string(spec["schedulingPolicy"]["gang"] ? "Gang" : "Basic"),
          std::string(spec["podGroupTemplateRef"]["workload"]["workloadName"].text_or("<none>")),
          std::move(status), AgeOf(object, now)};
}

Cells WorkloadCells(api::JsonView object, Instant now) {
  return {NameOf(object), AgeOf(object, now)};
}

// Returns the current and the target value: "cpu: 20%/80%".
std::string MetricText(api::JsonView metric, api::JsonView current_metric) {
  struct Source {
    std::string_view type;
    std::string_view field;
    bool named;          // Has the name of a resource.
    bool marks_average;  // Appends "(avg)" if the target is an average.
  };
  constexpr Source kSources[] = {{"Resource", "resource", true, false},
                                 {"ContainerResource", "containerResource", true, false},
                                 {"Pods", "pods", false, false},
                                 {"Object", "object", false, true},
                                 {"External", "external", false, true}};
  for (const Source& source : kSources) {
    if (metric["type"].text() != source.type) continue;
    const api::JsonView target = metric[source.field]["target"];
    const api::JsonView current = current_metric[source.field]["current"];
    std::string_view field = target["averageValue"] ? "averageValue" : "value";
    std::string_view unit;
    if (source.named && !target["averageValue"]) {
      field = "averageUtilization";
      unit = "%";
    }
    const auto amount = [&](api::JsonView value, std::string_view otherwise) {
      return value[field] ? value[field].scalar().append(unit) : std::string(otherwise);
    };
    std::string text =
        amount(current, "<unknown>") + "/" + amount(target, source.named ? "<auto>" : "0");
    if (source.named) {
      text = fmt::format("{}: {}", metric[source.field]["name"].text(), text);
    }
    return source.marks_average && field == "averageValue" ? text + " (avg)" : text;
  }
  return "<unknown type>";
}

Cells AutoscalerCells(api::JsonView object, Instant now) {
  const api::JsonView spec = object["spec"];
  const std::vector<api::JsonView> metrics = spec["metrics"].items();
  const std::vector<api::JsonView> current = object["status"]["currentMetrics"].items();
  std::vector<std::string> texts;
  for (size_t i = 0; i < std::min<size_t>(metrics.size(), 2); ++i) {
    texts.push_back(MetricText(metrics[i], i < current.size() ? current[i] : api::JsonView()));
  }
  std::string targets = texts.empty() ? "<none>" : Join(texts, ", ");
  if (metrics.size() > 2) targets += fmt::format(" + {} more...", metrics.size() - 2);
  const api::JsonView target = spec["scaleTargetRef"];
  return {NameOf(object),
          fmt::format("{}/{}", target["kind"].text(), target["name"].text()),
          std::move(targets),
          spec["minReplicas"] ? spec["minReplicas"].scalar() : std::string("<unset>"),
          spec["maxReplicas"].number(),
          object["status"]["currentReplicas"].number(),
          AgeOf(object, now)};
}

TableLayout ReplicasLayout(Cells (*cells)(api::JsonView, Instant)) {
  return {{NameColumn(), kDesired, kCurrent, kReady, AgeColumn(), kContainersColumn, kImagesColumn,
           kSelectorColumn},
          cells};
}

}  // namespace

Layouts WorkloadLayouts() {
  return {
      {"deployments.apps",
       {{NameColumn(),
         kReadyOfAll,
         {"Up-to-date", "Number of pods of the current template."},
         {"Available", "Number of available pods."},
         AgeColumn(),
         kContainersColumn,
         kImagesColumn,
         kSelectorColumn},
        DeploymentCells}},
      {"replicasets.apps", ReplicasLayout(ReplicaSetCells)},
      {"replicationcontrollers", ReplicasLayout(ReplicationControllerCells)},
      {"statefulsets.apps",
       {{NameColumn(), kReadyOfAll, AgeColumn(), kContainersColumn, kImagesColumn},
        StatefulSetCells}},
      {"daemonsets.apps",
       {{NameColumn(),
         kDesired,
         kCurrent,
         kReady,
         {"Up-to-date", "Number of pods of the current template.", false, "integer"},
         {"Available", "Number of available pods.", false, "integer"},
         {"Node Selector", "Labels of the nodes that run a pod."},
         AgeColumn(),
         kContainersColumn,
         kImagesColumn,
         kSelectorColumn},
        DaemonSetCells}},
      {"controllerrevisions.apps",
       {{NameColumn(),
         {"Controller", "Controller that the revision belongs to."},
         {"Revision", "Number of the revision."},
         AgeColumn()},
        ControllerRevisionCells}},
      {"jobs.batch",
       {{NameColumn(),
         {"Status", "Status of the job."},
         {"Completions", "Number of succeeded pods and of required ones."},
         {"Duration", "Run time of the job."},
         AgeColumn(),
         kContainersColumn,
         kImagesColumn,
         kSelectorColumn},
        JobCells}},
      {"cronjobs.batch",
       {{NameColumn(),
         {"Schedule", "Schedule in cron format."},
         {"Timezone", "Time zone of the schedule."},
         {"Suspend", "Whether the creation of jobs is suspended.", false, "boolean"},
         {"Active", "Number of running jobs.", false, "integer"},
         {"Last Schedule", "Time since the last job was created."},
         AgeColumn(),
         kContainersColumn,
         kImagesColumn,
         kSelectorColumn},
        CronJobCells}},
      {"horizontalpodautoscalers.autoscaling",
       {{NameColumn(),
         {"Reference", "Object that is scaled."},
         {"Targets", "Current and target values of the metrics."},
         {"MinPods", "Minimum number of replicas."},
         {"MaxPods", "Maximum number of replicas."},
         {"Replicas", "Current number of replicas."},
         AgeColumn()},
        AutoscalerCells}},
      {"poddisruptionbudgets.policy",
       {{NameColumn(),
         {"Min Available", "Minimum number or percentage of available pods."},
         {"Max Unavailable", "Maximum number or percentage of unavailable pods."},
         {"Allowed Disruptions", "Number of disruptions currently allowed.", false, "integer"},
         AgeColumn()},
        DisruptionBudgetCells}},
      {"priorityclasses.scheduling.k8s.io",
       {{NameColumn(),
         {"Value", "Priority of the pods.", false, "integer"},
         {"Global-Default", "Whether pods without a priority class use this one.", false,
          "boolean"},
         AgeColumn(),
         {"PreemptionPolicy", "Whether the pods may preempt others."}},
        PriorityClassCells}},
      {"podgroups.scheduling.k8s.io",
       {{NameColumn(),
         {"Policy", "How the members are scheduled."},
         {"Workload", "Name of the referenced Workload object."},
         {"Status", "Status of the PodGroup."},
         AgeColumn()},
        PodGroupCells}},
      {"workloads.scheduling.k8s.io", {{NameColumn(), AgeColumn()}, WorkloadCells}},
  };
}

}  // namespace berth::apiserver::printing
