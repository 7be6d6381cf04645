#include "apiserver/selectors.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "api/json_text.h"

namespace berth::apiserver {
namespace {

// Splits at commas that no backslash escapes; the escapes stay.
std::vector<std::string_view> SplitTerms(std::string_view text) {
  std::vector<std::string_view> terms;
  size_t begin = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == ',') {
      terms.push_back(text.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  terms.push_back(text.substr(begin));
  return terms;
}

// Nothing if an escape is malformed or a special character lacks its backslash.
std::optional<std::string> Unescape(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
      if (i == text.size() || std::string_view("\\,=").find(text[i]) == std::string_view::npos) {
        return std::nullopt;
      }
    } else if (text[i] == ',' || text[i] == '=') {
      return std::nullopt;
    }
    out += text[i];
  }
  return out;
}

Result<FieldTerm> ParseTerm(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
      continue;
    }
    for (const std::string_view op : {"!=", "==", "="}) {
      if (!text.substr(i).starts_with(op)) continue;
      auto value = Unescape(text.substr(i + op.size()));
      if (!value) {
        return Fail(
            fmt::format("invalid field selector value in '{}': '\\', ',' and '=' need a "
                        "backslash",
                        api::Shorten(text)));
      }
      return FieldTerm{std::string(text.substr(0, i)), op != "!=", *std::move(value)};
    }
  }
  return Fail(fmt::format("invalid selector: '{}'; can't understand it", api::Shorten(text)));
}

}  // namespace

Result<std::vector<FieldTerm>> ParseFieldSelector(std::string_view text) {
  std::vector<FieldTerm> terms;
  for (const std::string_view part : SplitTerms(text)) {
    if (part.empty()) continue;
    auto term = ParseTerm(part);
    if (!term) return std::unexpected(term.error());
    terms.push_back(*std::move(term));
  }
  return terms;
}

ApiResult<ObjectSelector> ObjectSelector::Make(const Kind& kind, std::string_view labels,
                                               std::string_view fields) {
  const auto refuse = [&](std::string_view why) {
    return std::unexpected(BadRequest(fmt::format(
        "Unable to find \"{}/{}, Resource={}\" that match label selector \"{}\", field selector "
        "\"{}\": {}",
        kind.group, kind.version, kind.resource, api::Shorten(labels, 200),
        api::Shorten(fields, 200), why)));
  };
  ObjectSelector selector;
  auto requirements = ParseLabelSelector(labels);
  if (!requirements) return std::unexpected(BadRequest(requirements.error().message));
  selector.labels_ = *std::move(requirements);
  auto terms = ParseFieldSelector(fields);
  if (!terms) return std::unexpected(BadRequest(terms.error().message));
  for (FieldTerm& term : *terms) {
    Field field{.equal = term.equal, .value = std::move(term.value)};
    if (term.field == "metadata.name") {
      if (field.equal) selector.name_ = field.value;
    } else if (term.field == "metadata.namespace" && kind.namespaced) {
      field.place = Field::Place::kNamespace;
    } else {
      const auto at = std::ranges::find(kind.selectable, term.field);
      if (at == kind.selectable.end()) {
        return refuse(fmt::format("field label not supported: {}", api::Shorten(term.field)));
      }
      field.place = Field::Place::kStored;
      field.index = static_cast<size_t>(at - kind.selectable.begin());
    }
    selector.fields_.push_back(std::move(field));
  }
  return selector;
}

const std::string& ObjectSelector::ValueOf(const Field& field, const store::Object& object) const {
  static const std::string kMissing;
  switch (field.place) {
    case Field::Place::kName:
      return object.key.name;
    case Field::Place::kNamespace:
      return object.key.namespace_;
    case Field::Place::kStored:
      break;
  }
  return field.index < object.fields.size() ? object.fields[field.index] : kMissing;
}

bool ObjectSelector::Matches(const store::Object& object) const {
  for (const Field& field : fields_) {
    if ((ValueOf(field, object) == field.value) != field.equal) return false;
  }
  for (const api::Requirement& requirement : labels_) {
    const auto at = std::ranges::lower_bound(object.labels, requirement.key, {},
                                             &std::pair<std::string, std::string>::first);
    const bool present = at != object.labels.end() && at->first == requirement.key;
    if (!requirement.Matches(present ? &at->second : nullptr)) return false;
  }
  return true;
}

}  // namespace berth::apiserver
