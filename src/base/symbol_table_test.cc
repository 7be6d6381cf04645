#include "base/symbol_table.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace berth {
namespace BERTH_TEST_FILE {

TEST(SymbolTable, NumbersStringsInOrderOfFirstUse) {
  SymbolTable table;
  EXPECT_EQ(table.Intern("zone").value, 0u);
  EXPECT_EQ(table.Intern("app").value, 1u);
  EXPECT_EQ(table.Intern("zone").value, 0u);
  EXPECT_EQ(table.Intern("").value, 2u);
  EXPECT_EQ(table.size(), 3u);
}

TEST(SymbolTable, GivesTheTextBack) {
  SymbolTable table;
  const std::string with_zero("a\0b", 3);
  EXPECT_EQ(table.Text(table.Intern("app")), "app");
  EXPECT_EQ(table.Text(table.Intern("")), "");
  EXPECT_EQ(table.Text(table.Intern(with_zero)), with_zero);
}

TEST(SymbolTable, FindDoesNotIntern) {
  SymbolTable table;
  EXPECT_FALSE(table.Find("app").valid());
  EXPECT_EQ(table.size(), 0u);
  const Symbol app = table.Intern("app");
  EXPECT_EQ(table.Find("app"), app);
  EXPECT_FALSE(table.Find("ap").valid());
}

TEST(SymbolTable, KeepsItsOwnCopyOfTheText) {
  SymbolTable table;
  std::string text = "short";
  const Symbol symbol = table.Intern(text);
  text = "other";
  EXPECT_EQ(table.Text(symbol), "short");
  EXPECT_EQ(table.Find("short"), symbol);
}

TEST(SymbolTable, TextsStayInPlaceWhileTheTableGrows) {
  SymbolTable table;
  const std::string& first = table.Text(table.Intern("first"));
  for (int i = 0; i < 10'000; ++i) table.Intern(std::to_string(i));
  EXPECT_EQ(first, "first");
  EXPECT_EQ(table.Find("first").value, 0u);
  EXPECT_EQ(table.Find("9999").value, 10'000u);
}

RC_GTEST_PROP(SymbolTableProperty, SymbolsAreEqualExactlyWhenTextsAre,
              (const std::vector<std::string>& texts)) {
  SymbolTable table;
  std::vector<Symbol> symbols;
  for (const std::string& text : texts) symbols.push_back(table.Intern(text));
  for (size_t i = 0; i < texts.size(); ++i) {
    RC_ASSERT(table.Text(symbols[i]) == texts[i]);
    for (size_t j = 0; j < i; ++j) {
      RC_ASSERT((symbols[i] == symbols[j]) == (texts[i] == texts[j]));
    }
  }
  RC_ASSERT(table.size() == std::set(texts.begin(), texts.end()).size());
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth
