#include "explain/change.h"

#include <utility>

namespace berth::explain {

std::string_view ToString(ChangeKind kind) {
  switch (kind) {
    case ChangeKind::kCorrect:
      return "Correct";
    case ChangeKind::kReduceReplicas:
      return "ReduceReplicas";
    case ChangeKind::kCreateClaim:
      return "CreateClaim";
    case ChangeKind::kCreateAccount:
      return "CreateAccount";
    case ChangeKind::kRaiseQuota:
      return "RaiseQuota";
    case ChangeKind::kCreateClass:
      return "CreateClass";
    case ChangeKind::kUncordon:
      return "Uncordon";
    case ChangeKind::kTolerate:
      return "Tolerate";
    case ChangeKind::kRemoveTaint:
      return "RemoveTaint";
    case ChangeKind::kRelaxSpread:
      return "RelaxSpread";
    case ChangeKind::kDropHostPort:
      return "DropHostPort";
    case ChangeKind::kDropNodeSelector:
      return "DropNodeSelector";
    case ChangeKind::kDropNodeAffinity:
      return "DropNodeAffinity";
    case ChangeKind::kAddLabel:
      return "AddLabel";
    case ChangeKind::kLowerRequest:
      return "LowerRequest";
    case ChangeKind::kSoftenPodAffinity:
      return "SoftenPodAffinity";
    case ChangeKind::kMovePod:
      return "MovePod";
    case ChangeKind::kProvideVolume:
      return "ProvideVolume";
    case ChangeKind::kAllowTopology:
      return "AllowTopology";
    case ChangeKind::kAddDevices:
      return "AddDevices";
    case ChangeKind::kRaisePriority:
      return "RaisePriority";
    case ChangeKind::kAddNode:
      return "AddNode";
  }
  return "";
}

std::string_view ToString(Audience audience) {
  return audience == Audience::kAuthor ? "author" : "administrator";
}

ObjectName NameOf(const api::Object& object) {
  const api::KindInfo& info = api::KindOf(object);
  return {std::string(info.api_version), std::string(info.kind), api::KeyOf(object)};
}

std::string PatchPath(const std::vector<std::string>& members) {
  std::string path;
  for (const std::string& member : members) {
    path += '/';
    for (const char c : member) {
      if (c == '~') {
        path += "~0";
      } else if (c == '/') {
        path += "~1";
      } else {
        path += c;
      }
    }
  }
  return path;
}

Change MakeChange(ChangeKind kind, ObjectName object, std::string subject, std::string text) {
  Change change;
  change.kind = kind;
  change.text = std::move(text);
  change.object = std::move(object);
  change.subject = std::move(subject);
  return change;
}

}  // namespace berth::explain
