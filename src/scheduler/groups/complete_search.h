// SearchCompletely finds nodes for a group wherever there are some. Greedy placement, one member
// after the other, may fail although a placement exists.
//
// It knows members and nodes by numbers alone. What fits where is asked of a SearchBoard; sums of
// resources, members that may stand for one another and nodes that are equal only save questions.
// Its work is counted and bounded, so that the same question has the same result on any machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "scheduler/groups/group_problem.h"
#include "scheduler/model/ids.h"

namespace berth::scheduler::groups {

// SearchBoard is the state of a search: members on nodes.
class SearchBoard {
 public:
  virtual ~SearchBoard() = default;

  // Returns the nodes on which `member` fits now; nothing if that is unknown.
  virtual std::optional<model::NodeMask> NodesFor(size_t member) = 0;

  // Places `member` on a node on which it fits. Enough: the group is complete. No: it cannot be
  // placed there after all, and nothing has changed.
  enum class Placed : uint8_t { kNo, kYes, kEnough };
  virtual Placed Place(size_t member, size_t node) = 0;
  // Reverts the last Place that was not reverted.
  virtual void Undo() = 0;
};

enum class SearchEnd : uint8_t {
  kFound,      // The members are on the board.
  kNone,       // There is no placement. The board is as before.
  kUndecided,  // The budget ended, or the board could not tell something. It is as before.
};

struct CompleteSearchResult {
  SearchEnd end = SearchEnd::kUndecided;
  uint64_t steps = 0;   // Calls of NodesFor and Place.
  size_t capacity = 0;  // Members for which there are resources, at most.
};

// The members of a group that is searched for. Each is a level of the recursion; larger groups are
// undecided.
inline constexpr size_t kMaxSearchedMembers = 2048;

// Makes at most `budget` steps.
CompleteSearchResult SearchCompletely(const GroupProblem& problem, SearchBoard& board,
                                      uint64_t budget);

}  // namespace berth::scheduler::groups
