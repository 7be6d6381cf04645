#include "flags/man_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flags/flag_group.h"

namespace berth::flags {
namespace BERTH_TEST_FILE {

TEST(ManPage, HasAllThatTheTableSays) {
  Command root("port", "Port is a small program");
  Command& load = root.Add("load", "Load ships");
  load.details = "Reads \\files\\ in\norder.\n\n  as-is .here\n.not a request\n";
  load.exit_codes = "0 done, 1 not";
  load.examples = "  port load -q 3 'a'\n";
  load.environment = {{"QUAY", "Number of the quay"}};
  load.files = {{"~/.port", "Where ships are"}};
  std::vector<std::string> files;
  load.Takes("FILE", files, "Files to load");
  int quay = 7;
  bool quick = false;
  FlagGroup group(load.flags, "loading");
  group.Uint("quay", quay, "Number of the quay").Short('q');
  group.Switch("quick", quick, "Do not check.");
  EXPECT_EQ(ManPage(load, {.section = 1,
                           .date = "2026-01-31",
                           .source = "Port \"1\"",
                           .manual = "Manual",
                           .see_also = {"ship(8)"}}),
            R"(.TH "PORT\-LOAD" 1 "2026-01-31" "Port \(dq1\(dq" "Manual"
.SH "NAME"
port\-load \- Load ships
.SH "SYNOPSIS"
\fBport load\fR FILE... [flags]
.SH "DESCRIPTION"
Load ships.
.PP
Reads \efiles\e in
order.
.PP
.PP
.nf
  as\-is .here
.fi
.PP
\&.not a request
.SH "ARGUMENTS"
.TP
\fBFILE\fR
Files to load.
.SH "OPTIONS"
.TP
\fB\-h\fR, \fB\-\-help\fR
Print this help and exit.
.SS "loading flags"
.TP
\fB\-q\fR, \fB\-\-quay\fR \fIN\fR
Number of the quay (default 7).
.TP
\fB\-\-quick\fR
Do not check.
.SH "EXIT STATUS"
0 done, 1 not.
.SH "ENVIRONMENT"
.TP
\fBQUAY\fR
Number of the quay.
.SH "FILES"
.TP
\fB\(ti/.port\fR
Where ships are.
.SH "EXAMPLES"
.nf
  port load \-q 3 \(aqa\(aq
.fi
.SH "SEE ALSO"
.BR port (1) ,
.BR ship (8)
)");
}

TEST(ManPage, OfAProgramNamesItsCommands) {
  Command root("port", "Port is a small program");
  root.Add("load", "Load ships").Add("all", "All of them");
  root.Add("secret", "Hidden").hidden = true;
  const std::string page = ManPage(root, {});
  EXPECT_THAT(page, testing::HasSubstr(".SH \"COMMANDS\"\n.TP\n\\fBload\\fR\nLoad ships.\n.SH"));
  EXPECT_THAT(page, testing::EndsWith(".SH \"SEE ALSO\"\n.BR port\\-load (1)\n"));
  EXPECT_EQ(ManPageName(root.commands.front().commands.front()), "port-load-all");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::flags
