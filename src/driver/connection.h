// Connection is what an EngineDriver runs its engine on: a Kubernetes API, near or far.
//
// It brings what the engine is to hear and carries out what the engine asks for. All its functions
// are called on the driver's thread; whatever else it does with threads is its own affair.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "driver/driver_snapshot.h"
#include "engine/events.h"

namespace berth::driver {

// A line for whoever runs the program.
using Log = std::function<void(const std::string&)>;

class Connection {
 public:
  virtual ~Connection() = default;

  // Appends what has happened, in order: changes of objects, and the ends of writes. False if there
  // was nothing to read: the driver is woken when there is.
  virtual bool Read(std::vector<Event>& events) = 0;

  // How many writes it would take on now. The engine keeps the rest, so that a more urgent one can
  // still overtake.
  virtual size_t room() const = 0;
  // Takes a write on. Its end comes with a later Read.
  virtual void Carry(Command command) = 0;

  // Asked when the driver has done a step: a chance to do what nobody waits for. `idle` means that
  // the driver has nothing else to do. False if there was nothing to do here, either.
  virtual bool DoSpareWork(bool idle) = 0;

  // Adds what it has counted.
  virtual void Count(DriverSnapshot& snapshot) const = 0;
};

}  // namespace berth::driver
