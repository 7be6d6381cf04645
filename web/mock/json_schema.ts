// Checks a value against the part of JSON Schema that docs/schema uses.

type Schema = Record<string, unknown>;

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value;
}

/** Returns what is wrong, with the place of each problem. */
export function validate(root: Schema, value: unknown): string[] {
  return check(root, root, value, "$");
}

function check(root: Schema, schema: Schema, value: unknown, at: string): string[] {
  if (typeof schema.$ref === "string") {
    let target: unknown = root;
    for (const part of schema.$ref.replace(/^#\//, "").split("/")) target = (target as Schema)[part];
    return check(root, target as Schema, value, at);
  }
  if (Array.isArray(schema.oneOf)) {
    const results = (schema.oneOf as Schema[]).map((option) => check(root, option, value, at));
    const fitting = results.filter((problems) => problems.length === 0);
    if (fitting.length === 1) return [];
    if (fitting.length > 1) return [`${at}: fits several forms`];
    return results.reduce((a, b) => (b.length < a.length ? b : a));
  }
  const problems: string[] = [];
  if ("const" in schema && schema.const !== value)
    problems.push(`${at}: is not ${JSON.stringify(schema.const)}`);
  if (Array.isArray(schema.enum) && !schema.enum.includes(value))
    problems.push(`${at}: ${JSON.stringify(value)} is not allowed`);
  const type = typeOf(value);
  if (
    schema.type === "integer" ? !Number.isInteger(value) : schema.type !== undefined && schema.type !== type
  ) {
    return [...problems, `${at}: is ${type}, not ${String(schema.type)}`];
  }
  if (typeof schema.minimum === "number" && Number(value) < schema.minimum)
    problems.push(`${at}: is less than ${schema.minimum}`);
  if (typeof schema.minLength === "number" && String(value).length < schema.minLength)
    problems.push(`${at}: is too short`);
  if (Array.isArray(value)) {
    if (typeof schema.maxItems === "number" && value.length > schema.maxItems)
      problems.push(`${at}: has too many items`);
    if (typeof schema.minItems === "number" && value.length < schema.minItems)
      problems.push(`${at}: has too few items`);
    if (schema.items)
      for (const [i, item] of value.entries())
        problems.push(...check(root, schema.items as Schema, item, `${at}[${i}]`));
  } else if (type === "object") {
    const object = value as Record<string, unknown>;
    for (const name of (schema.required as string[] | undefined) ?? [])
      if (!(name in object)) problems.push(`${at}.${name}: is missing`);
    const properties = (schema.properties as Record<string, Schema> | undefined) ?? {};
    for (const [name, item] of Object.entries(object)) {
      const part = properties[name] ?? (schema.additionalProperties as Schema | undefined);
      if (part) problems.push(...check(root, part, item, `${at}.${name}`));
    }
  }
  return problems;
}
