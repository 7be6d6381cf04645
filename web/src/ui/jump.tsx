// The search box: finds pods and nodes by a part of their names.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Client } from "../api/client.ts";
import { ApiError } from "../api/client.ts";
import type { SearchResult } from "../api/types.ts";
import { nodeLink, podLink } from "../state/route.ts";
import { Icon } from "./icons.tsx";

interface Item {
  link: string;
  kind: string;
  text: string;
}

function itemsOf(result: SearchResult): Item[] {
  return [
    ...result.pods.map((pod) => ({ link: podLink(pod), kind: "Pod", text: `${pod.namespace}/${pod.name}` })),
    ...result.nodes.map((name) => ({ link: nodeLink(name), kind: "Node", text: name })),
  ];
}

/** Without search on the server, what was typed is taken as a name. */
function literal(text: string): Item[] {
  const [namespace, name, ...rest] = text.split("/");
  if (namespace && name && rest.length === 0)
    return [{ link: podLink({ namespace, name }), kind: "Pod", text }];
  return text.includes("/") ? [] : [{ link: nodeLink(text), kind: "Node", text }];
}

export function Jump({ client }: { client: Client }) {
  const [text, setText] = useState("");
  const [items, setItems] = useState<Item[]>([]);
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(0);
  const input = useRef<HTMLInputElement>(null);

  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      const typing = target.closest("input, textarea, select") !== null;
      if ((event.key === "/" && !typing) || (event.key === "k" && (event.metaKey || event.ctrlKey))) {
        event.preventDefault();
        input.current?.focus();
        input.current?.select();
      }
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);

  useEffect(() => {
    const query = text.trim();
    if (query === "") {
      setItems([]);
      return;
    }
    const controller = new AbortController();
    const timer = setTimeout(() => {
      client.get<SearchResult>(["search"], { q: query, limit: 20 }, controller.signal).then(
        (result) => {
          setItems(itemsOf(result));
          setActive(0);
        },
        (error: unknown) => {
          if (error instanceof ApiError && !controller.signal.aborted) setItems(literal(query));
        },
      );
    }, 120);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [text, client]);

  const go = (item: Item | undefined) => {
    if (!item) return;
    location.hash = item.link;
    setOpen(false);
    setText("");
    input.current?.blur();
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown") setActive((value) => Math.min(items.length - 1, value + 1));
    else if (event.key === "ArrowUp") setActive((value) => Math.max(0, value - 1));
    else if (event.key === "Enter") go(items[active]);
    else if (event.key === "Escape") {
      setOpen(false);
      input.current?.blur();
      return;
    } else return;
    event.preventDefault();
  };
  const visible = open && text.trim() !== "";
  return (
    <search class="jump">
      <label class="search">
        <Icon name="search" />
        <input
          ref={input}
          type="text"
          placeholder="Find a pod or node"
          aria-label="Find a pod or node"
          role="combobox"
          aria-expanded={visible}
          aria-controls="jump-list"
          aria-autocomplete="list"
          aria-activedescendant={visible && items[active] ? `jump-${active}` : undefined}
          value={text}
          onInput={(event) => {
            setText(event.currentTarget.value);
            setOpen(true);
          }}
          onFocus={() => setOpen(true)}
          onBlur={() => setTimeout(() => setOpen(false), 150)}
          onKeyDown={press}
        />
        <kbd>/</kbd>
      </label>
      {visible && (
        <div class="jump-list" id="jump-list" role="listbox" aria-label="Pods and nodes">
          {items.length === 0 && <div class="dim none">Nothing has “{text.trim()}” in its name.</div>}
          {items.map((item, i) => (
            <a
              key={item.link}
              id={`jump-${i}`}
              role="option"
              aria-selected={i === active}
              tabIndex={-1}
              href={item.link}
              onClick={() => go(item)}
            >
              <span class="tag">{item.kind}</span> {item.text}
            </a>
          ))}
        </div>
      )}
    </search>
  );
}
