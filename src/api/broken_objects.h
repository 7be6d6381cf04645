// What the scheduler makes of objects that can be read only in part.
//
// The API says that they exist, so they count: a running pod takes its share of its node with
// whatever can be read of it. But where what is missing may forbid something, caution decides.
#pragma once

#include "api/object.h"
#include "api/undecodable_fields.h"
#include "base/result.h"

namespace berth::api {

// Adjusts an object that lacks what `undecodable` describes. The object must not be shared yet.
//
// - An object without its namespace is an error: it is not known which one it is.
// - A pod that is not bound, and lacks its uid or part of its labels or spec, is an error: where it
//   may run is not known.
// - A node whose spec is incomplete is unschedulable: it may have further taints.
// - A volume whose node affinity is incomplete is accessible from no node.
// - A class or slice of devices whose spec is incomplete is an error: devices may seem to be what
//   they are not. A pool that lacks a slice is not used.
// - So is a group whose spec is incomplete: its pods wait for it, rather than being placed one by
//   one.
// - So is a claim, unless it is allocated: its devices are in use.
// - A claim whose status is incomplete is allocated, and accessible from no node.
// - A bound pod's volume without the name of its claim is a volume of no interest.
Result<Object> ReadWithCaution(Object object, const UndecodableFields& undecodable);

}  // namespace berth::api
