#include "flags/man_page.h"

#include <fmt/format.h>

#include <algorithm>

namespace berth::flags {
namespace {

// Escapes text for roff: a hyphen that is typed is no hyphen between words, and a line that begins
// with a point or a quote is no request.
std::string Escape(std::string_view text) {
  std::string out;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) out += "\\&";
    line_begins = c == '\n';
    switch (c) {
      case '\\':
        out += "\\e";
        break;
      case '-':
        out += "\\-";
        break;
      case '\'':
        out += "\\(aq";
        break;
      case '`':
        out += "\\(ga";
        break;
      case '^':
        out += "\\(ha";
        break;
      case '~':
        out += "\\(ti";
        break;
      default:
        out += c;
    }
  }
  return out;
}

// In the argument of a request, quotes are doubled.
std::string Quoted(std::string_view text) {
  std::string out;
  for (const char c : Escape(text)) out += c == '"' ? "\\(dq" : std::string(1, c);
  return '"' + out + '"';
}

std::string Upper(std::string_view text) {
  std::string upper(text);
  std::ranges::transform(upper, upper.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return upper;
}

void Section(std::string& out, std::string_view title) {
  out += fmt::format(".SH {}\n", Quoted(title));
}

// Text whose lines are broken for a terminal: filled again, apart from indented lines.
void Paragraphs(std::string& out, std::string_view text) {
  bool indented = false;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.starts_with(' ') != indented) {
      indented = !indented;
      out += indented ? ".PP\n.nf\n" : ".fi\n.PP\n";
    }
    out += line.empty() ? ".PP\n" : Escape(line) + "\n";
  }
  if (indented) out += ".fi\n";
}

// A tagged paragraph: what, in bold, and what it is.
void Tagged(std::string& out, std::string_view tag, std::string_view text) {
  out += fmt::format(".TP\n{}\n{}\n", tag, Escape(text));
}

std::string Bold(std::string_view text) { return fmt::format("\\fB{}\\fR", Escape(text)); }

// Returns bold names and the kind of value: -o, --output FORMAT.
std::string FlagTag(const Flag& flag) {
  std::string tag = flag.shorthand != 0 ? Bold(fmt::format("-{}", flag.shorthand)) + ", " : "";
  tag += Bold("--" + flag.name);
  if (flag.type.empty()) return tag;
  const std::string value = fmt::format("\\fI{}\\fR", Escape(flag.type));
  return tag + (flag.implied.empty() ? " " + value : fmt::format("[={}]", value));
}

void Options(std::string& out, const FlagSet& flags) {
  Section(out, "OPTIONS");
  for (const std::string& group : flags.groups()) {
    if (!group.empty()) out += fmt::format(".SS {}\n", Quoted(group + " flags"));
    for (const auto& [name, flag] : flags.flags()) {
      if (flag.group != group) continue;
      std::string text = flag.HelpText();
      if (!text.ends_with('.')) text += '.';
      Tagged(out, FlagTag(flag), text);
    }
  }
}

void Rows(std::string& out, std::string_view title, const std::vector<HelpRow>& rows) {
  if (rows.empty()) return;
  Section(out, title);
  for (const auto& [name, text] : rows) Tagged(out, Bold(name), text + ".");
}

void Header(std::string& out, std::string_view name, std::string_view summary,
            const ManPageSource& source) {
  out += fmt::format(".TH {} {} {} {} {}\n", Quoted(Upper(name)), source.section,
                     '"' + source.date + '"', Quoted(source.source), Quoted(source.manual));
  Section(out, "NAME");
  out += fmt::format("{} \\- {}\n", Escape(name), Escape(summary));
}

void SeeAlso(std::string& out, const std::vector<std::string>& pages) {
  if (pages.empty()) return;
  Section(out, "SEE ALSO");
  for (const std::string& page : pages) {
    const size_t paren = page.find('(');
    out += fmt::format(".BR {} {}{}\n", Escape(page.substr(0, paren)), page.substr(paren),
                       &page == &pages.back() ? "" : " ,");
  }
}

}  // namespace

std::string ManPageName(const Command& command) {
  std::string name = command.path;
  std::ranges::replace(name, ' ', '-');
  return name;
}

std::string ManPage(const Command& command, const ManPageSource& source) {
  const std::string name = ManPageName(command);
  std::string out;
  Header(out, name, command.summary, source);
  Section(out, "SYNOPSIS");
  out += fmt::format("\\fB{}\\fR{}\n", Escape(command.path),
                     Escape(command.UsageLine().substr(command.path.size())));
  Section(out, "DESCRIPTION");
  out += Escape(command.summary) + ".\n";
  if (!command.details.empty()) out += ".PP\n";
  Paragraphs(out, command.details);
  std::vector<HelpRow> arguments;
  for (const Argument& argument : command.arguments) {
    arguments.emplace_back(argument.name, argument.help);
  }
  Rows(out, "ARGUMENTS", arguments);
  std::vector<HelpRow> commands;
  std::vector<std::string> see_also;
  if (const size_t parent = name.rfind('-'); command.path.contains(' ')) {
    see_also.push_back(fmt::format("{}({})", name.substr(0, parent), source.section));
  }
  for (const Command& subcommand : command.commands) {
    if (subcommand.hidden) continue;
    commands.emplace_back(subcommand.name, subcommand.summary);
    see_also.push_back(fmt::format("{}(1)", ManPageName(subcommand)));
  }
  Rows(out, "COMMANDS", commands);
  Options(out, command.flags);
  if (!command.exit_codes.empty()) {
    Section(out, "EXIT STATUS");
    out += fmt::format("{}.\n", Escape(command.exit_codes));
  }
  Rows(out, "ENVIRONMENT", command.environment);
  Rows(out, "FILES", command.files);
  if (!command.examples.empty()) {
    Section(out, "EXAMPLES");
    out += fmt::format(".nf\n{}.fi\n", Escape(command.examples));
  }
  see_also.insert(see_also.end(), source.see_also.begin(), source.see_also.end());
  SeeAlso(out, see_also);
  return out;
}

std::string ManPageAlias(std::string_view name, std::string_view summary, std::string_view text,
                         const ManPageSource& source) {
  std::string out;
  Header(out, name, summary, source);
  Section(out, "DESCRIPTION");
  Paragraphs(out, text);
  SeeAlso(out, source.see_also);
  return out;
}

}  // namespace berth::flags
