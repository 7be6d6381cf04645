// The report of `berth check`: findings, printed as they are added or as one JSON document.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace berth::cmd {

enum class CheckResult { kOk, kNote, kProblem };

struct Finding {
  std::string check;  // "configuration", "permissions"
  CheckResult result = CheckResult::kOk;
  std::string message;
  std::string fix;  // What to do; empty if there is nothing to do.
};

class CheckReport {
 public:
  // Prints each finding when it is added, unless `json`.
  explicit CheckReport(bool json) : json_(json) {}

  // Names the check to which the following findings belong.
  void Begin(std::string check) { check_ = std::move(check); }
  void Ok(std::string message) { Add(CheckResult::kOk, std::move(message), ""); }
  void Note(std::string message, std::string fix = "") {
    Add(CheckResult::kNote, std::move(message), std::move(fix));
  }
  void Problem(std::string message, std::string fix = "") {
    Add(CheckResult::kProblem, std::move(message), std::move(fix));
  }
  // Adds a problem for each line.
  void Problems(std::string_view lines, const std::string& fix);

  // Sets the sentence that ends a report without problems.
  void SetVerdict(std::string verdict) { verdict_ = std::move(verdict); }
  void SetServer(std::string url) { server_ = std::move(url); }
  void SetServerVersion(std::string version) { server_version_ = std::move(version); }

  // Prints the summary, or the document. Returns the exit code.
  int End() const;

 private:
  void Add(CheckResult result, std::string message, std::string fix);
  size_t Count(CheckResult result) const;
  std::string Json() const;

  const bool json_;
  std::string check_;
  std::string verdict_ = "berth-scheduler can run on this cluster";
  std::string server_, server_version_;
  std::vector<Finding> findings_;
};

}  // namespace berth::cmd
