// The public header for programs that embed the scheduler: feed events to an engine and execute its
// commands. docs/embedding.md leads through it.
//
// Installed as <berth/engine.h>; CMake target berth::berth.
#pragma once

// IWYU pragma: begin_exports
#include "api/json/yaml.h"                       // DecodeObjects: YAML or JSON to objects.
#include "api/object.h"                          // Object and the kinds of objects.
#include "base/result.h"                         // Result, Error.
#include "base/time.h"                           // Instant, Duration.
#include "scheduler/config/configuration.h"      // KubeSchedulerConfiguration: Default, Load.
#include "scheduler/config/engine_options.h"     // ToEngineOptions.
#include "scheduler/engine/engine.h"             // Engine, its events, commands and decisions.
#include "scheduler/framework/registry.h"        // Registry: the plugins that profiles may enable.
#include "scheduler/plugins/in_tree_registry.h"  // InTreeRegistry.
// IWYU pragma: end_exports
