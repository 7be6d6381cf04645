// The table layouts: the columns of each kind and the cells of an object, for table.cc.
//
// Columns and cells are those of kube-apiserver, since users and scripts rely on them.
#pragma once

#include <cstdint>
#include <functional>
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

namespace berth::apiserver::crd {
struct CustomVersion;
}

namespace berth::apiserver::printing {

struct TableColumn {
  std::string_view name;
  std::string_view description;
  bool wide = false;  // Shown with -o wide only.
  std::string_view type = "string";
  std::string_view format = {};
};

using Cell = std::variant<std::string, int64_t, bool, double, std::monostate>;  // The last: null.
using Cells = std::vector<Cell>;

struct TableLayout {
  std::vector<TableColumn> columns;
  std::function<Cells(api::JsonView object, Instant now)> cells = {};  // One per column.
};

// Returns the layout of a built-in kind; by default name and creation time.
const TableLayout& LayoutOf(const api::scheme::Kind& kind);
// Returns the layout of a custom kind. Refers to `version`.
TableLayout CustomLayout(const crd::CustomVersion& version);

// By group resource: "pods", "deployments.apps".
using Layouts = std::vector<std::pair<std::string_view, TableLayout>>;
Layouts PodLayouts();
Layouts ClusterLayouts();  // Nodes, namespaces, events and small core kinds.
Layouts NetworkLayouts();  // Services and endpoints.
Layouts WorkloadLayouts();
Layouts StorageLayouts();
Layouts AccessLayouts();      // RBAC.
Layouts NetworkingLayouts();  // networking.k8s.io
Layouts ServerLayouts();      // Webhooks, policies, flow control, certificates, API services.

// Columns and cells that several kinds share.

inline TableColumn NameColumn() { return {"Name", "Name of the object.", false, "string", "name"}; }
inline TableColumn AgeColumn() { return {"Age", "Time since the object was created."}; }
inline const TableColumn kContainersColumn = {"Containers", "Containers of the pods.", true};
inline const TableColumn kImagesColumn = {"Images", "Images of the containers.", true};
inline const TableColumn kSelectorColumn = {"Selector", "Selector of the pods.", true};

std::string NameOf(api::JsonView object);
std::string AgeOf(api::JsonView object, Instant now);
// Returns the cells of kinds that have nothing else to show.
Cells NameAndAge(api::JsonView object, Instant now);
// Returns the time since `timestamp`; "<unknown>" if there is none.
std::string Since(api::JsonView timestamp, Instant now);
bool IsBeingDeleted(api::JsonView object);
// Reports whether there is a condition of this type with status True.
bool HasCondition(api::JsonView conditions, std::string_view type);
std::string Join(const std::vector<std::string>& texts, std::string_view separator);
// Returns "a=b,c=d", sorted by key; "<none>" if there are no labels.
std::string FormatLabels(api::JsonView labels);
// Returns a LabelSelector in kubectl's notation; empty if it has no requirements.
std::string FormatSelector(api::JsonView selector);
// Appends the names and the images of the containers as two cells.
void AppendContainers(Cells& cells, api::JsonView pod_spec);
// Returns at most three texts: "a,b,c + 2 more...".
std::string FirstThree(const std::vector<std::string>& texts);

}  // namespace berth::apiserver::printing
