// UndecodableFields describes what a tolerant decoder could not read of one object.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace berth::api {

class UndecodableFields {
 public:
  // Further fields are only counted: an object of a megabyte may consist of nothing else.
  static constexpr size_t kMaxDescribed = 8;

  struct Field {
    std::string path;  // "spec.containers[0].image"; empty if it is the object itself.
    std::string problem;
  };

  // The field was left out of the object.
  void AddOmitted(std::string path, std::string problem);
  // The field has a value: the nearest one to what the object says.
  void AddAdjusted(std::string path, std::string problem);

  bool empty() const { return count_ == 0; }
  size_t count() const { return count_; }
  // The first kMaxDescribed fields.
  const std::vector<Field>& described() const { return described_; }

  // The parts of objects without which some rule may go wrong.
  enum class Part : uint8_t { kNamespace, kUid, kLabels, kSpec, kNodeAffinity, kStatus };
  // Reports whether something in the part was left out.
  bool Lacks(Part part) const { return ((lacking_ >> static_cast<uint8_t>(part)) & 1) != 0; }

 private:
  void Add(std::string path, std::string problem);

  std::vector<Field> described_;
  size_t count_ = 0;
  uint8_t lacking_ = 0;  // A bit for each Part.
};

}  // namespace berth::api
