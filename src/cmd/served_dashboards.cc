#include "cmd/served_dashboards.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/text.h"

namespace berth::cmd {
namespace {

constexpr std::string_view kPrefix = "dashboard-";
// A port, a key of 32 digits and a word.
constexpr size_t kMaxAddressBytes = 128;

std::unexpected<Error> Errno(std::string_view what, const std::string& path) {
  return Fail(fmt::format("cannot {} {}: {}", what, path, std::strerror(errno)));
}

// Returns the user's directory for files of running programs.
Result<std::string> UserDirectory() {
  namespace fs = std::filesystem;
  fs::path parent;
  if (const char* runtime = std::getenv("XDG_RUNTIME_DIR"); runtime != nullptr && *runtime != 0) {
    parent = runtime;
  } else if (const char* home = std::getenv("HOME"); home != nullptr && *home != 0) {
    parent = fs::path(home) / ".cache";
  } else {
    return Fail("neither XDG_RUNTIME_DIR nor HOME is set");
  }
  std::error_code error;
  fs::create_directories(parent, error);
  if (error) return Fail(fmt::format("cannot create {}: {}", parent.string(), error.message()));
  const std::string path = parent / "berth";
  if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return Errno("create", path);
  // Another user who could write here could lead this one to a page of theirs.
  struct stat found = {};
  if (lstat(path.c_str(), &found) != 0) return Errno("read", path);
  if (!S_ISDIR(found.st_mode) || found.st_uid != geteuid() || (found.st_mode & 0077) != 0) {
    return Fail(fmt::format("{} is not a directory of this user alone (mode 0700)", path));
  }
  return path;
}

std::string PathOf(const std::string& directory, uint16_t port) {
  return fmt::format("{}/{}{}", directory, kPrefix, port);
}

std::string PagePathOf(const std::string& file) { return file + ".html"; }

// Returns a new file that only the user can read, open for writing.
Result<int> CreatePrivate(const std::string& path, std::string_view content) {
  unlink(path.c_str());
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0) return Errno("create", path);
  if (write(file, content.data(), content.size()) != static_cast<ssize_t>(content.size())) {
    const auto failed = Errno("write", path);
    close(file);
    return failed;
  }
  return file;
}

// Returns whether a running process has locked the file.
bool IsInUse(int file) {
  if (flock(file, LOCK_SH | LOCK_NB) != 0) return errno == EWOULDBLOCK;
  flock(file, LOCK_UN);
  return false;
}

// Reads "PORT KEY SERVER\n".
bool Parse(std::string_view text, ServedDashboard& served) {
  const size_t first = text.find(' ');
  const size_t second = text.find(' ', first + 1);
  if (first == text.npos || second == text.npos || !text.ends_with('\n')) return false;
  served.link_key = text.substr(first + 1, second - first - 1);
  served.server = text.substr(second + 1, text.size() - second - 2);
  const auto [end, error] = std::from_chars(text.data(), text.data() + first, served.port);
  return error == std::errc() && end == text.data() + first;
}

}  // namespace

DashboardFile::DashboardFile(DashboardFile&& other) noexcept
    : path_(std::move(other.path_)), lock_(std::exchange(other.lock_, -1)) {}

DashboardFile::~DashboardFile() {
  if (lock_ < 0) return;
  unlink(PagePathOf(path_).c_str());
  unlink(path_.c_str());
  close(lock_);
}

Result<DashboardFile> DashboardFile::Create(const ServedDashboard& served) {
  const auto directory = UserDirectory();
  if (!directory) return std::unexpected(directory.error());
  const std::string path = PathOf(*directory, served.port);
  // It gets its name when it is locked, so that it is never taken for one that was left behind.
  const std::string hidden = fmt::format("{}/.{}", *directory, served.port);
  const auto file =
      CreatePrivate(hidden, fmt::format("{} {} {}\n", served.port, served.link_key, served.server));
  if (!file) return std::unexpected(file.error());
  DashboardFile created(path, *file);
  if (flock(*file, LOCK_EX | LOCK_NB) != 0) return Errno("lock", hidden);
  if (rename(hidden.c_str(), path.c_str()) != 0) return Errno("create", path);
  return created;
}

Result<std::vector<ServedDashboard>> FindDashboards() {
  const auto directory = UserDirectory();
  if (!directory) return std::unexpected(directory.error());
  std::vector<ServedDashboard> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(*directory, error)) {
    const std::string path = entry.path();
    const std::string name = entry.path().filename();
    if (!name.starts_with(kPrefix) || name.ends_with(".html")) continue;
    const int file = open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0) continue;
    std::array<char, kMaxAddressBytes> text = {};
    const ssize_t size = read(file, text.data(), text.size());
    ServedDashboard served;
    if (!IsInUse(file)) {
      unlink(PagePathOf(path).c_str());
      unlink(path.c_str());
    } else if (size > 0 && Parse({text.data(), static_cast<size_t>(size)}, served)) {
      found.push_back(std::move(served));
    }
    close(file);
  }
  if (error) return Fail(fmt::format("cannot read {}: {}", *directory, error.message()));
  std::ranges::sort(found, {}, &ServedDashboard::port);
  return found;
}

Result<bool> OpenInBrowser(uint16_t port, const std::string& url) {
  const auto directory = UserDirectory();
  if (!directory) return std::unexpected(directory.error());
  std::string path = PagePathOf(PathOf(*directory, port));
  const auto page = CreatePrivate(
      path, fmt::format("<!doctype html><meta http-equiv=\"refresh\" content=\"0; url={}\">"
                        "<title>Berth</title><a href=\"{}\">Dashboard</a>\n",
                        url, url));
  if (!page) return std::unexpected(page.error());
  close(*page);
  std::string program = "xdg-open";
  std::array<char*, 3> arguments = {program.data(), path.data(), nullptr};
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  // It lists the browsers that it misses.
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int failed =
      posix_spawnp(&child, program.c_str(), &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (failed != 0) return false;
  int status = 0;
  if (waitpid(child, &status, 0) != child) return false;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace berth::cmd
