// Which dashboards the programs of this user serve, so that `berth dashboard --open` finds them.
//
// Each has a file that nobody but the user can read, with its port and the key that signs links to
// it. The process that serves it holds a lock on the file: a file without one was left behind.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace berth::cmd {

struct ServedDashboard {
  uint16_t port = 0;
  std::string link_key;
  std::string server;  // "up" or "dashboard".
};

// DashboardFile is the file of a dashboard that this process serves. Its destructor removes it.
class DashboardFile {
 public:
  // The error names the directory or file.
  static Result<DashboardFile> Create(const ServedDashboard& served);
  DashboardFile(DashboardFile&& other) noexcept;
  DashboardFile& operator=(DashboardFile&&) = delete;
  ~DashboardFile();

 private:
  DashboardFile(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}

  std::string path_;
  int lock_ = -1;
};

// Returns those of this user, by port; removes files that were left behind.
Result<std::vector<ServedDashboard>> FindDashboards();

// Opens `url`, a link to the dashboard at `port`, with the desktop's browser. Other users see the
// arguments of programs, so the browser gets the name of a file that leads to the link. Returns
// false if there is no desktop.
Result<bool> OpenInBrowser(uint16_t port, const std::string& url);

}  // namespace berth::cmd
