#include "twin/image_rule.h"

#include <algorithm>

namespace berth::twin {
namespace {

constexpr int64_t kMegabyte = 1024 * 1024;

// "nginx" is "nginx:latest"; a colon before the last slash belongs to a registry's port.
std::string WithTag(const std::string& image) {
  const size_t colon = image.rfind(':');
  const size_t slash = image.rfind('/');
  const bool has_tag = colon != std::string::npos && (slash == std::string::npos || colon > slash);
  return has_tag ? image : image + ":latest";
}

const api::ContainerImage* FindImage(const api::Node& node, const std::string& name) {
  for (const api::ContainerImage& image : node.status.images) {
    if (Contains(image.names, name)) return &image;
  }
  return nullptr;
}

class ImageLocality final : public Rule {
 public:
  using Rule::Rule;

  int64_t Score(const api::Node& node) const override {
    int64_t sum = 0;
    for (const std::string& image : ImagesOfPod()) {
      if (FindImage(node, image) != nullptr) sum += Worth(image);
    }
    const auto containers =
        static_cast<int64_t>(pod_.spec.init_containers.size() + pod_.spec.containers.size());
    const int64_t least = 23 * kMegabyte;
    const int64_t most = 1000 * kMegabyte * containers;
    if (sum < least) {
      sum = least;
    } else if (sum > most) {
      sum = most;
    }
    return 100 * (sum - least) / (most - least);
  }

 private:
  // Image volumes count here, but not as containers.
  std::vector<std::string> ImagesOfPod() const {
    std::vector<std::string> images;
    for (const auto* containers : {&pod_.spec.init_containers, &pod_.spec.containers}) {
      for (const api::Container& container : *containers)
        images.push_back(WithTag(container.image));
    }
    for (const api::Volume& volume : pod_.spec.volumes) {
      const auto* source = std::get_if<api::ImageSource>(&volume.source);
      if (source != nullptr) images.push_back(WithTag(source->reference));
    }
    return images;
  }

  // The image's size, as the first node by name tells it, times the share of nodes that have it.
  int64_t Worth(const std::string& name) const {
    int64_t size = 0;
    int64_t holders = 0;
    for (const auto& [key, node] : world_.nodes) {
      const api::ContainerImage* image = FindImage(*node, name);
      if (image != nullptr && holders++ == 0) size = image->size_bytes;
    }
    const double share = static_cast<double>(holders) / static_cast<double>(world_.nodes.size());
    return static_cast<int64_t>(static_cast<double>(size) * share);
  }
};

}  // namespace

std::unique_ptr<Rule> MakeImageLocality(const Question& question) {
  return std::make_unique<ImageLocality>(question);
}

}  // namespace berth::twin
