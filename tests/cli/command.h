// Runs the berth program in a test, with files of its own.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace berth::cli {

// TempDir is a directory that is removed with everything in it.
class TempDir {
 public:
  TempDir() {
    std::string name = std::filesystem::temp_directory_path() / "berth-cli-XXXXXX";
    path_ = mkdtemp(name.data());
  }
  ~TempDir() { std::filesystem::remove_all(path_); }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  std::string Path(std::string_view name) const { return path_ / name; }
  // Writes the file and returns its path.
  std::string Write(std::string_view name, std::string_view content) const {
    std::ofstream(Path(name), std::ios::binary) << content;
    return Path(name);
  }
  std::string Read(std::string_view name) const {
    std::ifstream file(Path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  std::filesystem::path path_;
};

struct Ended {
  int code = -1;  // The exit code; -1 if a signal ended the program.
  std::string out;
  std::string err;
};

// Runs berth with `arguments`, and `input` as its standard input.
inline Ended RunBerth(const std::vector<std::string>& arguments, std::string_view input = "") {
  const TempDir files;
  std::string line = BERTH_BINARY;
  for (const std::string& argument : arguments) line += " '" + argument + "'";
  line += " <'" + files.Write("in", input) + "' >'" + files.Path("out") + "' 2>'" +
          files.Path("err") + "'";
  const int status = std::system(line.c_str());
  // The shell turns a signal into an exit code above 128.
  const bool ended = WIFEXITED(status) && WEXITSTATUS(status) < 128;
  return {ended ? WEXITSTATUS(status) : -1, files.Read("out"), files.Read("err")};
}

}  // namespace berth::cli
