// Small parts of which pages are made.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { ApiError } from "../api/client.ts";
import type { Outcome, QueueName } from "../api/types.ts";
import { age, formatClock, formatDuration } from "../format.ts";
import { type Loaded, useNow } from "../state/hooks.ts";
import { nodeLink, podLink } from "../state/route.ts";
import { Icon, type IconName } from "./icons.tsx";

async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Pages served over HTTP from another machine have no clipboard API.
    const area = document.createElement("textarea");
    area.value = text;
    area.className = "offscreen";
    document.body.append(area);
    area.select();
    const copied = document.execCommand("copy");
    area.remove();
    if (!copied) throw new Error("The browser does not allow copying.");
  }
}

export function CopyButton({
  label,
  title,
  text,
  icon = "copy",
}: {
  label: string;
  title: string;
  text: () => string;
  icon?: IconName;
}) {
  const [state, setState] = useState<"" | "copied" | "failed">("");
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = () => {
    copyText(text()).then(
      () => setState("copied"),
      () => setState("failed"),
    );
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setState(""), 1600);
  };
  return (
    <button type="button" class="button quiet" title={title} aria-label={title} onClick={copy}>
      <Icon name={state === "copied" ? "check" : icon} />
      <span aria-live="polite">
        {state === "copied" ? "Copied" : state === "failed" ? "Not allowed" : label}
      </span>
    </button>
  );
}

export function ErrorBox({ error, retry }: { error: ApiError; retry?: (() => void) | undefined }) {
  return (
    <div class="notice error" role="alert">
      <Icon name="alert" />
      <div>
        <strong>{error.message}</strong>
        {error.advice && <p>{error.advice}</p>}
        <p class="dim">
          {error.reason || "Error"}
          {error.code ? ` · HTTP ${error.code}` : ""}
        </p>
      </div>
      {retry && (
        <button type="button" class="button" onClick={retry}>
          <Icon name="reload" /> Try again
        </button>
      )}
    </div>
  );
}

export function Loading({ what, rows = 4 }: { what: string; rows?: number }) {
  return (
    <div class="loading" role="status">
      <span class="offscreen">Loading {what}</span>
      {Array.from({ length: rows }, (_, i) => (
        <div key={i} class="skeleton" style={{ width: `${92 - ((i * 37) % 45)}%` }} />
      ))}
    </div>
  );
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <strong>{title}</strong>
      {children && <p>{children}</p>}
    </div>
  );
}

/** Draws `children` with the data; while it loads or after an error, says so. Stale data stays with the error above it. */
export function Show<T>(props: {
  result: Loaded<T>;
  what: string;
  retry?: () => void;
  rows?: number;
  children: (data: T) => ComponentChildren;
}) {
  const { result } = props;
  return (
    <>
      {result.state === "error" && <ErrorBox error={result.error} retry={props.retry} />}
      {result.data !== undefined
        ? props.children(result.data)
        : result.state === "loading" && <Loading what={props.what} rows={props.rows ?? 4} />}
    </>
  );
}

export const queueLabels: Record<QueueName, string> = {
  active: "Active",
  backoff: "Backoff",
  unschedulable: "Unschedulable",
  gated: "Gated",
  inFlight: "In flight",
  waiting: "Waiting",
};

export function QueueBadge({ queue }: { queue: QueueName | undefined }) {
  return queue ? (
    <span class={`badge q-${queue}`}>{queueLabels[queue]}</span>
  ) : (
    <span class="badge">none</span>
  );
}

export const outcomeLabels: Record<Outcome, string> = {
  bound: "Bound",
  assumed: "Assumed",
  unschedulable: "Unschedulable",
  nominated: "Nominated",
  error: "Error",
  waiting: "Waiting",
};

export function OutcomeBadge({ outcome }: { outcome: Outcome }) {
  return <span class={`badge o-${outcome}`}>{outcomeLabels[outcome] ?? outcome}</span>;
}

export function PodLink({
  pod,
  short = false,
}: {
  pod: { namespace: string; name: string };
  short?: boolean;
}) {
  return (
    <a class="name" href={podLink(pod)} title={`${pod.namespace}/${pod.name}`}>
      {!short && <span class="dim">{pod.namespace}/</span>}
      {pod.name}
    </a>
  );
}

export function NodeLink({ name }: { name: string }) {
  return (
    <a class="name" href={nodeLink(name)}>
      {name}
    </a>
  );
}

/** Names of plugins; more than two are counted, and named in the title, unless `all` are wanted. */
export function Plugins({ names, all = false }: { names: readonly string[]; all?: boolean }) {
  if (names.length === 0) return <span class="dim">–</span>;
  const most = all ? names.length : 2;
  return (
    <span class="plugins" title={names.join(", ")}>
      {names.slice(0, most).map((name) => (
        <span key={name} class="tag">
          {name}
        </span>
      ))}
      {names.length > most && <span class="dim">+{names.length - most}</span>}
    </span>
  );
}

export function Age({ time }: { time: string }) {
  const now = useNow();
  return (
    <time dateTime={time} title={`${new Date(time).toLocaleString()} (${formatClock(time, true)})`}>
      {formatDuration(Math.round(age(time, now) * 10) / 10)}
    </time>
  );
}

/** How long until a time. */
export function Until({ time }: { time: string }) {
  const left = (Date.parse(time) - useNow()) / 1000;
  return <time dateTime={time}>{left > 0 ? `in ${formatDuration(Math.ceil(left))}` : "now"}</time>;
}

export function Segmented<T extends string>(props: {
  label: string;
  value: T;
  options: { value: T; label: string; icon?: IconName }[];
  onChange(value: T): void;
  iconsOnly?: boolean;
}) {
  return (
    <fieldset class="segmented">
      <legend class="offscreen">{props.label}</legend>
      {props.options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === props.value}
          title={props.iconsOnly ? option.label : undefined}
          aria-label={props.iconsOnly ? option.label : undefined}
          onClick={() => props.onChange(option.value)}
        >
          {option.icon && <Icon name={option.icon} />}
          {!props.iconsOnly && option.label}
        </button>
      ))}
    </fieldset>
  );
}

export function Select(props: {
  label: string;
  value: string;
  options: { value: string; label: string }[];
  onChange(value: string): void;
}) {
  return (
    <label class="select">
      <span>{props.label}</span>
      <select value={props.value} onChange={(event) => props.onChange(event.currentTarget.value)}>
        {props.options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </label>
  );
}

export function Panel(props: {
  title: string;
  note?: ComponentChildren;
  tools?: ComponentChildren;
  class?: string;
  children: ComponentChildren;
}) {
  return (
    <section class={`panel ${props.class ?? ""}`} aria-label={props.title}>
      <header>
        <h2>{props.title}</h2>
        {props.note && <span class="dim">{props.note}</span>}
        <span class="spring" />
        {props.tools}
      </header>
      {props.children}
    </section>
  );
}

/** What the colours of bars mean. */
export function BarLegend({ colours }: { colours: Record<string, string> }) {
  return (
    <ul class="bar-legend" aria-label="Colours of the bars">
      {Object.entries(colours).map(([label, colour]) => (
        <li key={label}>
          <span class={`swatch ${colour}`} aria-hidden="true" />
          {label}
        </li>
      ))}
    </ul>
  );
}

export const useColours = { requested: "c0", "95% and more": "c1", "more than there is": "c3" };

export function Bar({ ratio, label }: { ratio: number; label: string }) {
  const shown = Math.min(1, Math.max(0, Number.isFinite(ratio) ? ratio : 0));
  return (
    <span class="bar" role="img" aria-label={label} title={label}>
      <span class={ratio > 1 ? "over" : ratio >= 0.95 ? "high" : ""} style={{ width: `${shown * 100}%` }} />
    </span>
  );
}
