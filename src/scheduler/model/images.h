// Images records which container images the nodes have, their sizes, and on how many nodes each is.
//
// An image's size is the one reported by the first node, in name order, that has it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "scheduler/model/ids.h"

namespace berth::scheduler::model {

class Images {
 public:
  struct Image {
    Symbol name;
    int64_t size = 0;
    uint32_t nodes = 0;  // How many nodes have it; 0 while the id is free.
    std::string owner;   // The node whose report gives the size.
  };
  struct Report {
    Symbol name;
    int64_t size = 0;
    friend auto operator<=>(const Report&, const Report&) = default;
  };

  // Replaces the images of `row` (named `node`); an empty list removes the node.
  void SetHeld(NodeRow row, const std::string& node, std::vector<Report> reports);

  ImageId Find(Symbol name) const;
  const Image& image(ImageId id) const { return images_[id.index()]; }
  bool Holds(NodeRow row, ImageId id) const;

  // Grows whenever the size or the number of nodes of any image changes.
  uint64_t version() const { return version_; }

 private:
  struct Holding {
    ImageId image;
    int64_t size = 0;
    friend auto operator<=>(const Holding&, const Holding&) = default;
  };

  void Add(NodeRow row, const std::string& node, const Report& report);
  void Drop(NodeRow row, const std::string& node, const Holding& holding);

  std::vector<Image> images_;
  std::unordered_map<Symbol, ImageId> by_name_;
  std::vector<ImageId> free_;
  std::vector<std::vector<Holding>> held_by_row_;  // Sorted by image.
  std::vector<std::string> node_names_;            // By row.
  uint64_t version_ = 0;
};

// Returns the name under which nodes report `image`: with ":latest" if it has no tag or digest.
std::string NormalizedImageName(std::string_view image);

}  // namespace berth::scheduler::model
