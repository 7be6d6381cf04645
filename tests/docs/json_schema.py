"""Validates documents by the JSON Schemas of docs/schema, which use a few keywords only.

The schemas are read more strictly than scripts should read them: a field that they do not have is
an error.
"""
import json
import pathlib

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "docs/schema"
TYPES = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "integer": int,
    "number": (int, float),
    "null": type(None),
}


class Schema:
    """A file of docs/schema."""

    def __init__(self, name):
        self.name = name
        self.whole = json.loads((FOLDER / name).read_text())
        self.kinds = [ref["$ref"].rsplit("/", 1)[1] for ref in self.whole["oneOf"]]

    def check(self, document, problems):
        """Appends what is wrong with the document, of the kind that it says, to `problems`."""
        if document.get("kind") not in self.kinds:
            problems.append(f"unknown kind {document.get('kind')}")
            return
        self.check_as(document["kind"], document, problems)

    def check_as(self, definition, value, problems):
        """The same for a value that should be as a definition of the schema says."""
        self._validate(value, self.whole["$defs"][definition], definition, problems)

    def _resolve(self, ref, where):
        file, _, path = ref.partition("#/")
        schema = self if not file else Schema(file)
        part = schema.whole
        for name in path.split("/"):
            part = part[name]
        return schema, part

    def _validate(self, value, schema, where, problems):
        if "$ref" in schema:
            other, part = self._resolve(schema["$ref"], where)
            other._validate(value, part, where, problems)
            return
        if "const" in schema and value != schema["const"]:
            problems.append(f"{where}: {value!r} is not {schema['const']!r}")
        if "enum" in schema and value not in schema["enum"]:
            problems.append(f"{where}: {value!r} is not one of {schema['enum']}")
        kinds = schema.get("type")
        kinds = [kinds] if isinstance(kinds, str) else kinds
        if kinds and not any(is_of_type(value, kind) for kind in kinds):
            problems.append(f"{where}: {value!r} is not of type {' or '.join(kinds)}")
            return
        if "minimum" in schema and value < schema["minimum"]:
            problems.append(f"{where}: {value} is less than {schema['minimum']}")
        if "maximum" in schema and value > schema["maximum"]:
            problems.append(f"{where}: {value} is more than {schema['maximum']}")
        if "minLength" in schema and len(value) < schema["minLength"]:
            problems.append(f"{where}: is too short")
        if isinstance(value, list):
            self._validate_items(value, schema, where, problems)
        if isinstance(value, dict):
            self._validate_members(value, schema, where, problems)

    def _validate_items(self, value, schema, where, problems):
        if len(value) < schema.get("minItems", 0) or len(value) > schema.get("maxItems", 1 << 30):
            problems.append(f"{where}: has {len(value)} items")
        for number, item in enumerate(value):
            self._validate(item, schema.get("items", {}), f"{where}[{number}]", problems)

    def _validate_members(self, value, schema, where, problems):
        for name in schema.get("required", []):
            if name not in value:
                problems.append(f"{where}: lacks {name}")
        known = schema.get("properties", {})
        for name, member in value.items():
            if name in known:
                self._validate(member, known[name], f"{where}.{name}", problems)
            elif "additionalProperties" in schema:
                self._validate(member, schema["additionalProperties"], f"{where}.{name}", problems)
            elif known and "create" not in where:
                problems.append(f"{where}: the schema does not have {name}")


def is_of_type(value, kind):
    if isinstance(value, bool):
        return kind == "boolean"
    return isinstance(value, TYPES[kind])
