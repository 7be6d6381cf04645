// What each kind's table shows: its columns, and the cells of an object. table.h is what others
// use.
//
// Columns and cells are those of kube-apiserver: people know them, and scripts cut them apart.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "api/json/view.h"
#include "base/time.h"

namespace berth::api::scheme {
struct Kind;
}

namespace berth::apiserver::printing {

struct TableColumn {
  std::string_view name;
  std::string_view description;
  bool wide = false;  // Shown with -o wide only.
  std::string_view type = "string";
  std::string_view format = {};
};

using Cell = std::variant<std::string, int64_t, bool>;
using Cells = std::vector<Cell>;

struct TableLayout {
  std::vector<TableColumn> columns;
  Cells (*cells)(api::JsonView object, Instant now) = nullptr;  // One per column.
};

// Name and creation time, if nobody thought of more.
const TableLayout& LayoutOf(const api::scheme::Kind& kind);

// By group resource: "pods", "deployments.apps".
using Layouts = std::vector<std::pair<std::string_view, TableLayout>>;
Layouts PodLayouts();
Layouts ClusterLayouts();  // Nodes, namespaces, events and plain objects.
Layouts NetworkLayouts();
Layouts WorkloadLayouts();
Layouts StorageLayouts();
Layouts AccessLayouts();  // RBAC.

// --- Columns and cells that many share.

inline TableColumn NameColumn() { return {"Name", "Name of the object.", false, "string", "name"}; }
inline TableColumn AgeColumn() { return {"Age", "Time since the object was created."}; }
// Containers and images of a pod template, and the selector if there is one.
inline const TableColumn kContainersColumn = {"Containers", "Containers of the pods.", true};
inline const TableColumn kImagesColumn = {"Images", "Images of the containers.", true};
inline const TableColumn kSelectorColumn = {"Selector", "Which pods belong to it.", true};

std::string NameOf(api::JsonView object);
std::string AgeOf(api::JsonView object, Instant now);
// Time since `timestamp`; "<unknown>" if there is none.
std::string Since(api::JsonView timestamp, Instant now);
bool IsBeingDeleted(api::JsonView object);
// Whether there is a condition of this type with status True.
bool HasCondition(api::JsonView conditions, std::string_view type);
std::string Join(const std::vector<std::string>& texts, std::string_view separator);
// "a=b,c=d" by key; "<none>" if there are none.
std::string FormatLabels(api::JsonView labels);
// A LabelSelector in kubectl's notation; empty if it selects by nothing.
std::string FormatSelector(api::JsonView selector);
// The names and images of a pod spec's containers.
void AppendContainers(Cells& cells, api::JsonView pod_spec);
// The first three, then "a,b,c + 2 more...".
std::string FirstThree(const std::vector<std::string>& texts);

}  // namespace berth::apiserver::printing
