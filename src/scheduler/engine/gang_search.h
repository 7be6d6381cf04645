// SearchGang finds nodes for a gang wherever there are some. Greedy placement, one member after the
// other, may fail although a placement exists.
//
// It knows members and nodes by numbers alone. What fits where is asked of a GangBoard; sums of
// resources, members that may stand for one another and nodes that are equal only save questions.
// Its work is counted and bounded, so that the same question has the same result on any machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "scheduler/engine/gang_problem.h"
#include "scheduler/model/ids.h"

namespace berth::scheduler::engine {

// GangBoard is the state of a search: members on nodes.
class GangBoard {
 public:
  virtual ~GangBoard() = default;

  // Returns the nodes on which `member` fits now; nothing if that is unknown.
  virtual std::optional<model::NodeMask> NodesFor(size_t member) = 0;

  // Places `member` on a node on which it fits. Enough: the gang is complete. No: it cannot be
  // placed there after all, and nothing has changed.
  enum class Placed : uint8_t { kNo, kYes, kEnough };
  virtual Placed Place(size_t member, size_t node) = 0;
  // Reverts the last Place that was not reverted.
  virtual void Undo() = 0;
};

enum class GangSearchEnd : uint8_t {
  kFound,      // The members are on the board.
  kNone,       // There is no placement. The board is as before.
  kUndecided,  // The budget ended, or the board could not tell something. Likewise.
};

struct GangSearchResult {
  GangSearchEnd end = GangSearchEnd::kUndecided;
  uint64_t steps = 0;  // Calls of NodesFor and Place.
  size_t room = 0;     // Members for which there are resources, at most.
};

// The members of a gang that is searched for. Each is a level of the recursion; larger gangs are
// undecided.
inline constexpr size_t kMaxSearchedMembers = 2048;

// Makes at most `budget` steps.
GangSearchResult SearchGang(const GangProblem& problem, GangBoard& board, uint64_t budget);

}  // namespace berth::scheduler::engine
