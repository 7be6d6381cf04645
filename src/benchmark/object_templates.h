// ObjectTemplates makes objects from template files.
//
// A path is relative to the folder of the workload's file. Where there is no such file, it is tried
// relative to the folders above, so that suites may share the templates of a parent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "api/json/json.h"
#include "base/result.h"
#include "benchmark/environment.h"
#include "benchmark/operations.h"

namespace berth::benchmark {

class ObjectTemplates {
 public:
  // `file` is the file of the workload. `environment` must outlive this object.
  ObjectTemplates(const std::string& file, const Environment& environment);
  ~ObjectTemplates();

  // Returns object `index` of `count`, which the template's actions may refer to. The error names
  // the template.
  Result<api::Json> Make(const TemplateFile& file, int64_t index = 0, int64_t count = 1);
  // Reads a file that is no template.
  Result<std::string> Read(const std::string& path);

 private:
  struct Loaded;

  Result<Loaded*> Load(const std::string& path);

  const std::string folder_;
  const Environment& environment_;
  std::map<std::string, std::unique_ptr<Loaded>> loaded_;  // By path.
};

}  // namespace berth::benchmark
