#include "cmd/bench_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/text_table.h"

namespace berth::cmd {
namespace {

using benchmark::Measurement;
using benchmark::WorkloadReport;

constexpr const char* kNone = "-";

std::string Rate(double rate) {
  return rate < 100 ? fmt::format("{:.1f}", rate) : fmt::format("{:.0f}", rate);
}

std::string Latency(Duration duration) {
  const double micros = duration.seconds() * 1e6;
  if (micros < 1'000) return fmt::format("{:.0f} µs", micros);
  if (micros < 1e6) return fmt::format("{:.1f} ms", micros / 1e3);
  return fmt::format("{:.1f} s", micros / 1e6);
}

std::string Seconds(const std::optional<Duration>& duration) {
  return duration ? fmt::format("{:.2f} s", duration->seconds()) : kNone;
}

std::string Memory(uint64_t bytes) {
  constexpr double kMebibyte = 1 << 20, kGibibyte = 1 << 30;
  const auto size = static_cast<double>(bytes);
  return size < kGibibyte ? fmt::format("{:.0f} MiB", size / kMebibyte)
                          : fmt::format("{:.1f} GiB", size / kGibibyte);
}

std::string ThresholdText(const Measurement& measured) {
  if (!measured.threshold) return kNone;
  // Thresholds of other metrics are in the JSON output.
  if (measured.threshold->metric != "SchedulingThroughput") return kNone;
  return Rate(measured.threshold->value);
}

std::string Ratio(const Measurement& own, const Measurement& peer) {
  if (peer.rates.average <= 0) return kNone;
  return fmt::format("{:.1f}", own.rates.average / peer.rates.average);
}

// Which columns there are.
struct Columns {
  bool loading = false;
  bool threshold = false;
  bool ratio = false;
};

Columns ColumnsOf(std::span<const WorkloadReport> reports) {
  Columns columns;
  for (const WorkloadReport& report : reports) {
    columns.ratio |= !report.peer.empty();
    for (const Measurement& measured : report.measurements) {
      columns.loading |= measured.loading.has_value();
      columns.threshold |= measured.threshold.has_value();
    }
  }
  return columns;
}

std::vector<std::string> RowOf(const std::string& name, const Measurement& measured,
                               const Columns& columns, const std::string& ratio) {
  const auto& rates = measured.rates;
  const bool decides = measured.attempts && *measured.attempts > 0;
  const auto latency = [&](double percent) {
    return decides ? Latency(measured.decision_time.Percentile(percent)) : kNone;
  };
  std::vector<std::string> row = {
      name + (measured.interrupted ? " (interrupted)" : ""),
      std::to_string(measured.pods),
      Rate(rates.average),
      Rate(rates.perc50),
      Rate(rates.perc90),
      Rate(rates.perc99),
      latency(50),
      latency(99),
      measured.attempts ? std::to_string(*measured.attempts) : kNone,
      Memory(measured.resident_bytes),
  };
  if (columns.loading) {
    row.push_back(Seconds(measured.deciding));
    row.push_back(Seconds(measured.events));
    row.push_back(Seconds(measured.loading));
  }
  if (columns.threshold) row.push_back(ThresholdText(measured));
  if (columns.ratio) row.push_back(ratio);
  return row;
}

// Each note once, with the number of workloads that it is about.
std::string Notes(std::span<const WorkloadReport> reports) {
  std::map<std::string, size_t> notes;
  for (const WorkloadReport& report : reports) {
    for (const std::string& note : report.notes) ++notes[note];
  }
  std::string out;
  for (const auto& [note, count] : notes) {
    out += fmt::format("note: {} workload{}: {}\n", count, count == 1 ? "" : "s", note);
  }
  return out;
}

}  // namespace

std::string BenchTable(std::span<const WorkloadReport> reports) {
  const Columns columns = ColumnsOf(reports);
  std::vector<std::string> head = {"WORKLOAD", "PODS",  "PODS/S",       "P50",
                                   "P90",      "P99",   "DECISION P50", "DECISION P99",
                                   "ATTEMPTS", "MEMORY"};
  if (columns.loading) head.insert(head.end(), {"DECIDING", "EVENTS", "LOADING"});
  if (columns.threshold) head.emplace_back("THRESHOLD");
  if (columns.ratio) head.emplace_back("RATIO");
  std::vector<TextTable::Align> align(head.size(), TextTable::Align::kRight);
  align.front() = TextTable::Align::kLeft;
  TextTable table("", std::move(align));
  table.Add(std::move(head));
  std::string skipped;
  for (const WorkloadReport& report : reports) {
    for (size_t i = 0; i < report.measurements.size(); ++i) {
      const Measurement& own = report.measurements[i];
      const Measurement* peer = i < report.peer.size() ? &report.peer[i] : nullptr;
      table.Add(RowOf(own.name, own, columns, peer == nullptr ? kNone : Ratio(own, *peer)));
      if (peer != nullptr) table.Add(RowOf("  peer", *peer, columns, ""));
    }
    if (!report.skipped.empty())
      skipped += fmt::format("skipped: {}: {}\n", report.name, report.skipped);
  }
  return table.ToString() + skipped + Notes(reports);
}

}  // namespace berth::cmd
