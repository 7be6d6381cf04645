// Creates pods in batches, a million by default, waits until a running scheduler has bound them,
// and deletes them. Prints the scheduler's memory at intervals, so that a leak shows as a slope.
//
//   build/release/bench/soak PORT PID [PODS]
//
// PORT is the port of `berth apiserver` on this machine, PID the scheduler's. docs/scheduler.md
// describes how to start both.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "load_client.h"

namespace berth::bench {
namespace {

constexpr size_t kBatch = 1000;
constexpr size_t kReportEvery = 50'000;
constexpr size_t kConnections = 8;
constexpr std::string_view kPods = "/api/v1/namespaces/default/pods";
// Sends an event when a pod is bound, and when it is deleted.
constexpr std::string_view kBound = "/api/v1/pods?watch=true&fieldSelector=spec.nodeName!=";

std::string Request(std::string_view method, std::string_view target, std::string_view body) {
  return fmt::format(
      "{} {} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
      "{}\r\n\r\n{}",
      method, target, body.size(), body);
}

std::string CreatePod(size_t number) {
  return Request("POST", kPods,
                 fmt::format(R"({{"metadata":{{"name":"pod-{}","labels":{{"app":"app-{}"}}}},)"
                             R"("spec":{{"containers":[{{"name":"c","image":"i","resources":)"
                             R"({{"requests":{{"cpu":"10m","memory":"1Mi"}}}}}}]}}}})",
                             number, number % 10));
}

std::string DeletePod(size_t number) {
  return Request("DELETE", fmt::format("{}/pod-{}", kPods, number), R"({"gracePeriodSeconds":0})");
}

double ResidentMebibytes(const std::string& pid) {
  FILE* file = std::fopen(("/proc/" + pid + "/statm").c_str(), "r");
  long size = 0, resident = 0;
  if (file == nullptr || std::fscanf(file, "%ld %ld", &size, &resident) != 2) {
    fmt::print(stderr, "soak: no process {}\n", pid);
    std::exit(1);
  }
  std::fclose(file);
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

void Run(uint16_t port, const std::string& pid, size_t pods) {
  LoadClient client(port, kConnections);
  Watchers bound(port, 1, kBound);
  Stopwatch stopwatch;
  for (size_t done = 0; done < pods; done += kBatch) {
    if (done % kReportEvery == 0) {
      const double seconds = stopwatch.Read().seconds;
      fmt::print("{:>9} pods  {:>6.0f} pods/s  {:.1f} MiB\n", done,
                 seconds > 0 ? static_cast<double>(done) / seconds : 0, ResidentMebibytes(pid));
      std::fflush(stdout);
      // Delete the Events of the pods, which outlive them and would fill the server.
      client.Run(1, 200, [](size_t, std::string& out) {
        out += Request("DELETE", "/apis/events.k8s.io/v1/namespaces/default/events", "");
      });
    }
    client.Run(kBatch, 201, [&](size_t i, std::string& out) { out += CreatePod(done + i); });
    bound.ReadUntil(2 * done + kBatch);
    client.Run(kBatch, 200, [&](size_t i, std::string& out) { out += DeletePod(done + i); });
    bound.ReadUntil(2 * done + 2 * kBatch);
  }
  fmt::print("{:>9} pods  {:>6.0f} pods/s  {:.1f} MiB\n", pods,
             static_cast<double>(pods) / stopwatch.Read().seconds, ResidentMebibytes(pid));
}

}  // namespace
}  // namespace berth::bench

int main(int argc, char** argv) {
  if (argc < 3 || argc > 4) {
    fmt::print(stderr, "usage: soak PORT PID [PODS]\n");
    return 2;
  }
  const size_t pods = argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 1'000'000;
  berth::bench::Run(static_cast<uint16_t>(std::strtoul(argv[1], nullptr, 10)), argv[2], pods);
}
