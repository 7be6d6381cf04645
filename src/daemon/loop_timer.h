// Calls after a while, on an event loop.
#pragma once

#include "daemon/api_requests.h"
#include "net/event_loop.h"

namespace berth::daemon {

// `loop` must outlive what is made of it. Calls that are due after the loop has stopped are
// dropped.
Later LaterOn(net::EventLoop& loop);

}  // namespace berth::daemon
