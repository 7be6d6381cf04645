// Completers for names that the command line is about: of a live cluster, or of files.
//
// A shell waits for the answer: it gets what can be read within two seconds, or nothing.
#pragma once

#include <string>
#include <vector>

#include "flags/completer.h"

namespace berth::cmd {

// Where names come from, as the flags of a command set it. Null: the command has no such flag. The
// variables must outlive the completers.
struct NameSource {
  const std::string* kubeconfig = nullptr;
  const std::string* context = nullptr;
  const std::string* namespace_ = nullptr;
  const std::vector<std::string>* files = nullptr;  // Unless empty, instead of the cluster.
};

flags::Completer NodeNames(NameSource source);
flags::Completer NamespaceNames(NameSource source);
// Pods of all namespaces, as NAMESPACE/NAME; those of "default" as NAME, too.
flags::Completer QualifiedPodNames(NameSource source);
// What `berth why` takes: pods of the namespace, and KIND/NAME.
flags::Completer WhySubjects(NameSource source);
// The contexts of the kubeconfig.
flags::Completer ContextNames(NameSource source);
// Names of the plugins that are enabled by default: A,B.
flags::Completer PluginNames();

}  // namespace berth::cmd
