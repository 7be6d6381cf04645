// Suggestion finds the word that a user may have meant: "did you mean --first?".
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace berth {

// Returns the number of characters to insert, delete or replace. O(a * b).
size_t EditDistance(std::string_view a, std::string_view b);

// Of the candidates it is given, Suggestion chooses the most similar one, or one that begins with
// the given word; of equals the first. Words too different from all have none.
class Suggestion {
 public:
  // `word` must outlive the Suggestion.
  explicit Suggestion(std::string_view word) : word_(word) {}

  void Consider(std::string_view candidate);

  // Returns the chosen candidate; empty if there is none.
  const std::string& best() const { return best_; }
  // Returns "; did you mean --first?", or nothing.
  std::string Text(std::string_view prefix = "") const;

 private:
  std::string_view word_;
  std::string best_;
  size_t distance_ = std::string::npos;
};

}  // namespace berth
