"""Validates documents by the JSON Schemas of docs/schema, with the package jsonschema.

The schemas are read more strictly than scripts should read them: a field that they do not have is
an error.
"""
import json
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import debian_packages  # noqa: E402

jsonschema = debian_packages.load("jsonschema")
FOLDER = pathlib.Path(__file__).resolve().parents[2] / "docs/schema"


def forbid_unknown_fields(schema):
    """Closes every object of the schema that names its fields."""
    if isinstance(schema, list):
        for part in schema:
            forbid_unknown_fields(part)
    if isinstance(schema, dict):
        for part in schema.values():
            forbid_unknown_fields(part)
        if schema.get("type") == "object" and "properties" in schema:
            schema.setdefault("additionalProperties", False)


def load():
    """Returns the schemas by their addresses, by which they refer to each other."""
    schemas = {}
    for file in FOLDER.glob("*.schema.json"):
        schema = json.loads(file.read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        forbid_unknown_fields(schema)
        schemas[schema["$id"]] = schema
    return schemas


class Schema:
    """A file of docs/schema."""

    files = load()

    def __init__(self, name):
        [address] = [one for one in self.files if one.endswith(f"/{name}")]
        self.whole = self.files[address]
        self.resolver = jsonschema.RefResolver(address, self.whole, store=self.files)
        self.kinds = [ref["$ref"].rsplit("/", 1)[1] for ref in self.whole["oneOf"]]

    def check(self, document, problems):
        """Appends what is wrong with the document, of the kind that it says, to `problems`."""
        if document.get("kind") not in self.kinds:
            problems.append(f"unknown kind {document.get('kind')}")
            return
        self.check_as(document["kind"], document, problems)

    def check_as(self, definition, value, problems):
        """The same for a value that should be as a definition of the schema says."""
        part = {"$ref": f"#/$defs/{definition}"}
        for error in jsonschema.Draft202012Validator(part, self.resolver).iter_errors(value):
            problems.append(f"{definition}{error.json_path[1:]}: {error.message[:400]}")
