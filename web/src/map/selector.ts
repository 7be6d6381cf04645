// Label selectors in the syntax of kubectl: a=b, a!=b, a in (b,c), a notin (b,c), a, !a, joined by commas.

export type Requirement =
  | { operator: "in" | "notin"; key: string; values: string[] }
  | { operator: "exists" | "absent"; key: string };

export type Parsed = { ok: true; requirements: Requirement[] } | { ok: false; error: string };

function splitTopLevel(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === "(") depth++;
    else if (text[i] === ")") depth--;
    else if (text[i] === "," && depth === 0) {
      parts.push(text.slice(start, i));
      start = i + 1;
    }
  }
  parts.push(text.slice(start));
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}

const key = `[A-Za-z0-9](?:[-A-Za-z0-9_./]*[A-Za-z0-9])?`;
const setPattern = new RegExp(String.raw`^(${key})\s+(in|notin)\s*\(([^()]*)\)$`);
const equalPattern = new RegExp(String.raw`^(${key})\s*(==|=|!=)\s*([-A-Za-z0-9_.]*)$`);
const existsPattern = new RegExp(String.raw`^(!?)\s*(${key})$`);

export function parseSelector(text: string): Parsed {
  const requirements: Requirement[] = [];
  for (const part of splitTopLevel(text)) {
    const set = setPattern.exec(part);
    const equal = equalPattern.exec(part);
    const exists = existsPattern.exec(part);
    if (set) {
      const values = set[3]!.split(",").map((value) => value.trim());
      requirements.push({ operator: set[2] as "in" | "notin", key: set[1]!, values });
    } else if (equal) {
      requirements.push({
        operator: equal[2] === "!=" ? "notin" : "in",
        key: equal[1]!,
        values: [equal[3]!],
      });
    } else if (exists) {
      requirements.push({ operator: exists[1] ? "absent" : "exists", key: exists[2]! });
    } else {
      return {
        ok: false,
        error: `"${part}" is not a label selector. Try key=value, key in (a,b), key or !key.`,
      };
    }
  }
  return { ok: true, requirements };
}

export function matches(
  requirements: readonly Requirement[],
  labels: Readonly<Record<string, string>>,
): boolean {
  for (const requirement of requirements) {
    const value = Object.hasOwn(labels, requirement.key) ? labels[requirement.key] : undefined;
    switch (requirement.operator) {
      case "exists":
        if (value === undefined) return false;
        break;
      case "absent":
        if (value !== undefined) return false;
        break;
      case "in":
        if (value === undefined || !requirement.values.includes(value)) return false;
        break;
      case "notin":
        if (value !== undefined && requirement.values.includes(value)) return false;
        break;
    }
  }
  return true;
}
