// Addresses within the dashboard: #/PAGE/SEGMENT...?NAME=VALUE. The whole state of a page is in its address, so a link
// shows the receiver what the sender sees.

export interface Route {
  page: string;
  segments: string[];
  query: Record<string, string>;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function parseRoute(hash: string): Route {
  const text = hash.replace(/^#?\/?/, "");
  const mark = text.indexOf("?");
  const path = mark < 0 ? text : text.slice(0, mark);
  const [page = "", ...segments] = path.split("/").map(decode);
  const query: Record<string, string> = Object.create(null) as Record<string, string>;
  if (mark >= 0) for (const [name, value] of new URLSearchParams(text.slice(mark + 1))) query[name] = value;
  return { page, segments: segments.filter((segment) => segment !== ""), query };
}

/** The inverse of parseRoute. Names are sorted and empty values left out, so that equal states have equal addresses. */
export function formatRoute(route: {
  page: string;
  segments?: string[];
  query?: Record<string, string | undefined>;
}): string {
  const path = [route.page, ...(route.segments ?? [])].map(encodeURIComponent).join("/");
  const parameters = new URLSearchParams();
  const query = route.query ?? {};
  for (const name of Object.keys(query).sort()) {
    const value = query[name];
    if (value !== undefined && value !== "") parameters.set(name, value);
  }
  // Slashes, colons and commas are allowed in a fragment, and addresses are read by people.
  const text = parameters.toString().replaceAll("%2F", "/").replaceAll("%3A", ":").replaceAll("%2C", ",");
  return `#/${path}${text ? `?${text}` : ""}`;
}

export function podLink(pod: { namespace: string; name: string }): string {
  return formatRoute({ page: "pod", segments: [pod.namespace, pod.name] });
}

export function nodeLink(name: string): string {
  return formatRoute({ page: "node", segments: [name] });
}
