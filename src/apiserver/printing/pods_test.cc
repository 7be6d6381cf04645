#include <gtest/gtest.h>

#include "apiserver/printing/table_testing.h"

namespace berth::apiserver::printing {
namespace BERTH_TEST_FILE {

class PodCellsTest : public testing::TestWithParam<CellCase> {};

TEST_P(PodCellsTest, MatchKubeApiserver) { EXPECT_EQ(CellsOf(GetParam()), GetParam().want); }

std::string Pod(const std::string& spec, const std::string& status,
                const std::string& metadata = "") {
  return metadata + R"(},"spec":{)" + spec + R"(},"status":{)" + status + "}";
}

const std::string kOne = R"("containers":[{"name":"a"}])";
const std::string kTwo = R"("containers":[{"name":"a"},{"name":"b"}])";
const std::string kInit =
    R"("initContainers":[{"name":"i"},{"name":"j"}],"containers":[{"name":"a"}])";
const std::string kSidecar =
    R"("initContainers":[{"name":"s","restartPolicy":"Always"}],"containers":[{"name":"a"}])";
const std::string kRunning = R"("state":{"running":{}},"ready":true)";
const std::string kGoing = R"(,"deletionTimestamp":"2026-01-01T11:00:30Z")";

std::string Statuses(const std::string& statuses) {
  return R"("phase":"Running","containerStatuses":[)" + statuses + "]";
}
std::string InitStatuses(const std::string& statuses) {
  return R"("phase":"Pending","initContainerStatuses":[)" + statuses + "]";
}
std::string Named(const std::string& name, const std::string& rest) {
  return R"({"name":")" + name + "\"," + rest + "}";
}

#define WIDE R"(,"<none>","<none>","<none>","<none>")"

INSTANTIATE_TEST_SUITE_P(
    Pods, PodCellsTest,
    testing::Values(
        CellCase{"Pending", "pods", Pod(kOne, R"("phase":"Pending")"),
                 R"("x","0/1","Pending","0","60m")" WIDE},
        CellCase{"Gated", "pods",
                 Pod(kOne, R"("phase":"Pending","conditions":[{"type":"PodScheduled",)"
                           R"("status":"False","reason":"SchedulingGated"}])"),
                 R"("x","0/1","SchedulingGated","0","60m")" WIDE},
        CellCase{"ReasonBeforePhase", "pods", Pod(kOne, R"("phase":"Failed","reason":"OutOfcpu")"),
                 R"("x","0/1","OutOfcpu","0","60m")" WIDE},
        CellCase{"Running", "pods",
                 Pod(kTwo + R"(,"nodeName":"n1")",
                     Statuses(Named("a", kRunning) + "," + Named("b", kRunning)) +
                         R"(,"podIP":"10.0.0.1","podIPs":[{"ip":"10.0.0.1"},{"ip":"f::1"}])"),
                 R"("x","2/2","Running","0","60m","10.0.0.1","n1","<none>","<none>")"},
        CellCase{"Nominated", "pods", Pod(kOne, R"("phase":"Pending","nominatedNodeName":"n2")"),
                 R"("x","0/1","Pending","0","60m","<none>","<none>","n2","<none>")"},
        CellCase{"ReadinessGates", "pods",
                 Pod(kOne + R"(,"readinessGates":[{"conditionType":"p"},{"conditionType":"q"}])",
                     R"("phase":"Pending","conditions":[{"type":"p","status":"True"}])"),
                 R"("x","0/1","Pending","0","60m","<none>","<none>","<none>","1/2")"},
        CellCase{"Creating", "pods",
                 Pod(kOne, R"("phase":"Pending","containerStatuses":[{"name":"a",)"
                           R"("state":{"waiting":{"reason":"ContainerCreating"}}}])"),
                 R"("x","0/1","ContainerCreating","0","60m")" WIDE},
        CellCase{
            "CrashLoop", "pods",
            Pod(kOne, Statuses(Named("a", R"("restartCount":4,"ready":false,)"
                                          R"("state":{"waiting":{"reason":"CrashLoopBackOff"}},)"
                                          R"("lastState":{"terminated":{"exitCode":1,)"
                                          R"("finishedAt":"2026-01-01T10:55:00Z"}})"))),
            R"_("x","0/1","CrashLoopBackOff","4 (5m ago)","60m")_" WIDE},
        CellCase{"Completed", "pods",
                 Pod(kOne, R"("phase":"Succeeded","containerStatuses":[{"name":"a","state":)"
                           R"({"terminated":{"exitCode":0,"reason":"Completed"}}}])"),
                 R"("x","0/1","Completed","0","60m")" WIDE},
        CellCase{"ExitCode", "pods",
                 Pod(kOne, Statuses(Named("a", R"("state":{"terminated":{"exitCode":3}})"))),
                 R"("x","0/1","ExitCode:3","0","60m")" WIDE},
        CellCase{"Signal", "pods",
                 Pod(kOne,
                     Statuses(Named("a", R"("state":{"terminated":{"exitCode":137,"signal":9}})"))),
                 R"("x","0/1","Signal:9","0","60m")" WIDE},
        CellCase{"OneCompletedOneReady", "pods",
                 Pod(kTwo, Statuses(Named("a", R"("state":{"terminated":{"exitCode":0,)"
                                               R"("reason":"Completed"}})") +
                                    "," + Named("b", kRunning)) +
                               R"(,"conditions":[{"type":"Ready","status":"True"}])"),
                 R"("x","1/2","Running","0","60m")" WIDE},
        CellCase{"OneCompletedPodNotReady", "pods",
                 Pod(kTwo, Statuses(Named("a", R"("state":{"terminated":{"exitCode":0,)"
                                               R"("reason":"Completed"}})") +
                                    "," + Named("b", kRunning))),
                 R"("x","1/2","NotReady","0","60m")" WIDE},
        CellCase{"OneCompletedOneFailed", "pods",
                 Pod(kTwo, Statuses(Named("a", R"("state":{"terminated":{"exitCode":0,)"
                                               R"("reason":"Completed"}})") +
                                    "," +
                                    Named("b", R"("state":{"terminated":{"exitCode":1,)"
                                               R"("reason":"Error"}})"))),
                 R"("x","0/2","Error","0","60m")" WIDE},
        CellCase{"NotReady", "pods",
                 Pod(kOne, Statuses(Named("a", R"("state":{"running":{}},"ready":false)"))),
                 R"("x","0/1","Running","0","60m")" WIDE},
        CellCase{"FirstInitContainerRuns", "pods",
                 Pod(kInit, InitStatuses(Named("i", R"("state":{"running":{}})"))),
                 R"("x","0/1","Init:0/2","0","60m")" WIDE},
        CellCase{"SecondInitContainerRuns", "pods",
                 Pod(kInit, InitStatuses(Named("i", R"("state":{"terminated":{"exitCode":0}})") +
                                         "," + Named("j", R"("state":{"running":{}})"))),
                 R"("x","0/1","Init:1/2","0","60m")" WIDE},
        CellCase{"InitContainerFailed", "pods",
                 Pod(kInit, InitStatuses(Named("i", R"("restartCount":2,"state":{"terminated":)"
                                                    R"({"exitCode":1,"reason":"Error"}})"))),
                 R"("x","0/1","Init:Error","2","60m")" WIDE},
        CellCase{"InitContainerWithExitCodeOnly", "pods",
                 Pod(kInit, InitStatuses(Named("i", R"("state":{"terminated":{"exitCode":7}})"))),
                 R"("x","0/1","Init:ExitCode:7","0","60m")" WIDE},
        CellCase{
            "InitContainerCrashLoop", "pods",
            Pod(kInit,
                InitStatuses(Named("i", R"("state":{"waiting":{"reason":"CrashLoopBackOff"}})"))),
            R"("x","0/1","Init:CrashLoopBackOff","0","60m")" WIDE},
        CellCase{
            "SidecarCounts", "pods",
            Pod(kSidecar, R"("initContainerStatuses":[{"name":"s","started":true,"ready":true,)"
                          R"("restartCount":1,"state":{"running":{}}}],)" +
                              Statuses(Named("a", kRunning))),
            R"("x","2/2","Running","1","60m")" WIDE},
        CellCase{"Terminating", "pods", Pod(kOne, Statuses(Named("a", kRunning)), kGoing),
                 R"("x","1/1","Terminating","0","60m")" WIDE},
        CellCase{"NodeLost", "pods", Pod(kOne, R"("phase":"Running","reason":"NodeLost")", kGoing),
                 R"("x","0/1","Unknown","0","60m")" WIDE},
        CellCase{"CompletedStaysSoWhileDeleted", "pods",
                 Pod(kOne,
                     R"("phase":"Succeeded","containerStatuses":[{"name":"a","state":)"
                     R"({"terminated":{"exitCode":0,"reason":"Completed"}}}])",
                     kGoing),
                 R"("x","0/1","Completed","0","60m")" WIDE},
        CellCase{"Template", "podtemplates",
                 R"(},"template":{"metadata":{"labels":{"b":"2","a":"1"}},)"
                 R"("spec":{"containers":[{"name":"c","image":"i"},{"name":"d","image":"j"}]}})",
                 R"("x","c,d","i,j","a=1,b=2")"}),
    [](const auto& param_info) { return param_info.param.name; });

// Looking for each status or gate in all containers or conditions would take minutes.
TEST(PodCells, AreLinearInTheNumberOfContainersAndGates) {
  constexpr int kMany = 200'000;
  const auto list = [](const std::string& head, const std::string& tail) {
    std::string text;
    for (int i = 0; i < kMany; ++i) text += (i > 0 ? "," : "") + head + std::to_string(i) + tail;
    return "[" + text + "]";
  };
  const std::string many = std::to_string(kMany);
  const std::string spec = R"("containers":[{"name":"a"}],"initContainers":)" +
                           list(R"({"restartPolicy":"Always","name":"i)", "\"}") +
                           R"(,"readinessGates":)" + list(R"({"conditionType":"c)", "\"}");
  const std::string status = R"("phase":"Pending","initContainerStatuses":)" +
                             list(R"({"started":true,"name":"i)", "\"}") + R"(,"conditions":)" +
                             list(R"({"status":"True","type":"c)", "\"}");
  const std::string want = R"("x","0/)" + std::to_string(kMany + 1) +
                           R"(","Pending","0","60m","<none>","<none>","<none>",")" + many + "/" +
                           many + "\"";
  EXPECT_EQ(CellsOf({"Many", "pods", Pod(spec, status), ""}), want);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver::printing
