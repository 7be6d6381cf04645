// Scrape parses metrics in the text format, for tests.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace berth::observability {

struct ScrapedFamily {
  std::string type;
  std::string help;
  std::map<std::string, double> samples;  // By "name{labels}", as written.
};

// Returns the families by name. Fails the test on a malformed line, and on samples that do not
// follow the HELP and TYPE lines of their family.
inline std::map<std::string, ScrapedFamily> Scrape(const std::string& text) {
  std::map<std::string, ScrapedFamily> families;
  std::string current;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = text.find('\n', begin);
    EXPECT_NE(end, std::string::npos) << "the last line has no line feed";
    const std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    if (line.starts_with("# HELP ")) {
      const size_t blank = line.find(' ', 7);
      current = line.substr(7, blank - 7);
      EXPECT_FALSE(families.contains(current)) << current << " is duplicated";
      families[current].help = line.substr(blank + 1);
    } else if (line.starts_with("# TYPE ")) {
      const size_t blank = line.find(' ', 7);
      EXPECT_EQ(line.substr(7, blank - 7), current);
      families[current].type = line.substr(blank + 1);
    } else {
      const size_t blank = line.rfind(' ');
      EXPECT_TRUE(line.starts_with(current)) << line;
      EXPECT_TRUE(
          families[current].samples.emplace(line.substr(0, blank), std::atof(&line[blank])).second)
          << line << " is duplicated";
    }
  }
  return families;
}

}  // namespace berth::observability
