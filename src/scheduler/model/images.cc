#include "scheduler/model/images.h"

#include <algorithm>
#include <utility>

namespace berth::scheduler::model {

ImageId Images::Find(Symbol name) const {
  auto found = by_name_.find(name);
  return found == by_name_.end() ? ImageId{} : found->second;
}

bool Images::Holds(NodeRow row, ImageId id) const {
  if (row.index() >= held_by_row_.size()) return false;
  const auto& held = held_by_row_[row.index()];
  auto found = std::ranges::lower_bound(held, id, {}, &Holding::image);
  return found != held.end() && found->image == id;
}

void Images::SetHeld(NodeRow row, const std::string& node, std::vector<Report> reports) {
  if (row.index() >= held_by_row_.size()) {
    if (reports.empty()) return;
    held_by_row_.resize(row.index() + 1);
    node_names_.resize(row.index() + 1);
  }
  // The first report of a name counts, as it does upstream.
  std::ranges::stable_sort(reports, {}, &Report::name);
  const auto repeated = std::ranges::unique(reports, {}, &Report::name);
  reports.erase(repeated.begin(), repeated.end());

  std::vector<Holding>& held = held_by_row_[row.index()];
  const bool same =
      held.size() == reports.size() && std::ranges::all_of(reports, [&](const Report& report) {
        const ImageId id = Find(report.name);
        return std::ranges::binary_search(held, Holding{id, report.size});
      });
  if (same) return;

  ++version_;
  const std::vector<Holding> before = std::exchange(held, {});
  for (const Holding& holding : before) Drop(row, node, holding);
  node_names_[row.index()] = reports.empty() ? std::string() : node;
  for (const Report& report : reports) Add(row, node, report);
  std::ranges::sort(held);
}

void Images::Add(NodeRow row, const std::string& node, const Report& report) {
  auto [found, added] = by_name_.try_emplace(report.name);
  if (added) {
    if (free_.empty()) {
      found->second = ImageId{static_cast<uint32_t>(images_.size())};
      images_.emplace_back();
    } else {
      found->second = free_.back();
      free_.pop_back();
    }
    images_[found->second.index()] = {report.name, report.size, 0, node};
  }
  Image& image = images_[found->second.index()];
  ++image.nodes;
  if (node < image.owner) {
    image.owner = node;
    image.size = report.size;
  }
  held_by_row_[row.index()].push_back({found->second, report.size});
}

void Images::Drop(NodeRow row, const std::string& node, const Holding& holding) {
  Image& image = images_[holding.image.index()];
  if (--image.nodes == 0) {
    by_name_.erase(image.name);
    free_.push_back(holding.image);
    return;
  }
  if (image.owner != node) return;
  // The size is now that of the next node by name. Rare: only when the owner is deleted or drops
  // the image.
  const std::string* next = nullptr;
  for (size_t other = 0; other < held_by_row_.size(); ++other) {
    if (other == row.index()) continue;
    const auto& held = held_by_row_[other];
    auto found = std::ranges::lower_bound(held, holding.image, {}, &Holding::image);
    if (found == held.end() || found->image != holding.image) continue;
    if (next != nullptr && node_names_[other] >= *next) continue;
    next = &node_names_[other];
    image.size = found->size;
  }
  image.owner = *next;
}

std::string NormalizedImageName(std::string_view image) {
  const size_t colon = image.rfind(':');
  const size_t slash = image.rfind('/');
  const bool tagged =
      colon != std::string_view::npos && (slash == std::string_view::npos || colon > slash);
  return tagged ? std::string(image) : std::string(image) + ":latest";
}

}  // namespace berth::scheduler::model
