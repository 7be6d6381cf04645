// The frame around pages: navigation, search, live state and theme.
import type { ComponentChildren } from "preact";
import { useEffect, useErrorBoundary, useMemo, useRef, useState } from "preact/hooks";
import { apiBase, type Client, createClient } from "./api/client.ts";
import { Live, type LiveState } from "./api/live.ts";
import type { Cluster } from "./api/types.ts";
import { formatCount, formatDuration } from "./format.ts";
import { ActivityPage } from "./pages/activity.tsx";
import { BenchmarkPage } from "./pages/benchmark.tsx";
import { ClusterPage } from "./pages/cluster.tsx";
import { NodePage } from "./pages/node.tsx";
import { PodPage } from "./pages/pod.tsx";
import { QueuePage } from "./pages/queue.tsx";
import { asApiError, type Services, ServicesContext, useLoad, useRoute } from "./state/hooks.ts";
import { formatRoute, type Route } from "./state/route.ts";
import { useTheme } from "./state/theme.ts";
import { CopyButton, Empty, ErrorBox, Loading, Segmented } from "./ui/controls.tsx";
import { Icon } from "./ui/icons.tsx";
import { Jump } from "./ui/jump.tsx";

const pages = [
  { page: "cluster", label: "Cluster" },
  { page: "queue", label: "Queue" },
  { page: "activity", label: "Activity" },
];

export function App() {
  const { client, live } = useMemo(() => {
    const base = apiBase(location.href);
    return { client: createClient(base), live: new Live(base) };
  }, []);
  const { choice, theme, choose } = useTheme();
  const route = useRoute();
  const cluster = useLoad<Cluster>("cluster", (signal) => client.get<Cluster>(["cluster"], {}, signal));
  const data = cluster.result.data;
  const services = useMemo<Services | undefined>(
    () => data && { client, live, theme, cluster: data, clockOffset: Date.parse(data.time) - Date.now() },
    [client, live, theme, data],
  );
  useEffect(() => {
    if (data?.features.live) live.start();
    return () => live.stop();
  }, [live, data]);
  // Browsers have six connections to a server without HTTP/2, for all tabs. A hidden page needs no events and gives its
  // connection back; so does one that is kept for the back button.
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const leave = () => live.stop();
    const change = () => {
      clearTimeout(timer);
      if (document.hidden) timer = setTimeout(leave, 15_000);
      else if (live.state.kind === "off" && data?.features.live) live.start();
    };
    document.addEventListener("visibilitychange", change);
    addEventListener("pagehide", leave);
    addEventListener("pageshow", change);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", change);
      removeEventListener("pagehide", leave);
      removeEventListener("pageshow", change);
    };
  }, [live, data]);
  const page = route.page || "cluster";
  const place = route.segments.join("/");
  const shown = useRef<string | undefined>(undefined);
  useEffect(() => {
    const label = pages.find((entry) => entry.page === page)?.label ?? page;
    document.title = place ? `${place} · Berth` : `${label.charAt(0).toUpperCase()}${label.slice(1)} · Berth`;
    scrollTo(0, 0);
    // Screen readers and the Tab key continue at the content of the new page.
    if (shown.current !== undefined && shown.current !== `${page}/${place}`)
      document.getElementById("main")?.focus();
    shown.current = `${page}/${place}`;
  }, [page, place]);

  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById("main")?.focus()}>
        Skip to content
      </button>
      <header class="bar-top">
        <a class="brand" href={formatRoute({ page: "cluster" })} aria-label="Berth, cluster page">
          <img src="icon.svg" alt="" width="20" height="20" />
          <span>Berth</span>
        </a>
        <nav aria-label="Pages">
          {pages.map((entry) => (
            <a
              key={entry.page}
              href={formatRoute({ page: entry.page })}
              aria-current={entry.page === page ? "page" : undefined}
            >
              {entry.label}
            </a>
          ))}
        </nav>
        <Jump client={client} />
        <span class="spring" />
        {data && <Counts client={client} first={data} />}
        {data?.features.live && <LiveIndicator live={live} />}
        <CopyButton label="Link" title="Copy a link to what you see" text={() => location.href} icon="link" />
        <Segmented
          label="Theme"
          iconsOnly
          value={choice}
          options={[
            { value: "auto", label: "Theme of the system", icon: "auto" },
            { value: "light", label: "Light theme", icon: "sun" },
            { value: "dark", label: "Dark theme", icon: "moon" },
          ]}
          onChange={choose}
        />
      </header>
      <main id="main" tabIndex={-1} class={`page-${page}`}>
        {cluster.result.state === "error" && (
          <div class="pad">
            <ErrorBox error={cluster.result.error} retry={cluster.reload} />
          </div>
        )}
        {services ? (
          <ServicesContext.Provider value={services}>
            <Guard key={`${page}/${place}`}>
              <Page route={route} page={page} />
            </Guard>
          </ServicesContext.Provider>
        ) : (
          cluster.result.state === "loading" && (
            <div class="pad">
              <Loading what="the cluster" rows={6} />
            </div>
          )
        )}
      </main>
    </>
  );
}

/** Shows an error of the page in its place, so that the rest goes on. */
function Guard({ children }: { children: ComponentChildren }) {
  const [error, reset] = useErrorBoundary();
  if (error === undefined) return <>{children}</>;
  return (
    <div class="pad">
      <ErrorBox error={asApiError(error)} retry={reset} />
    </div>
  );
}

function Page({ route, page }: { route: Route; page: string }) {
  const [first, second] = route.segments;
  switch (page) {
    case "cluster":
      return <ClusterPage />;
    case "queue":
      return <QueuePage />;
    case "activity":
      return <ActivityPage />;
    case "benchmark":
      return <BenchmarkPage />;
    case "pod":
      if (first && second) return <PodPage key={`${first}/${second}`} namespace={first} name={second} />;
      break;
    case "node":
      if (first) return <NodePage key={first} name={first} />;
      break;
  }
  return (
    <div class="pad">
      <h1 class="offscreen">No such page</h1>
      <Empty title="There is no such page">
        Go to the <a href={formatRoute({ page: "cluster" })}>cluster</a>, or search for a pod or node above.
      </Empty>
    </div>
  );
}

const countsPeriod = 5000;

/** How much there is in the cluster, and how many pods have no node. */
function Counts({ client, first }: { client: Client; first: Cluster }) {
  const [{ counts }, setCluster] = useState(first);
  useEffect(() => {
    const controller = new AbortController();
    const update = () => {
      if (document.hidden) return;
      // What fails is said by the live state; the last counts stay.
      client.get<Cluster>(["cluster"], {}, controller.signal).then(setCluster, () => undefined);
    };
    const timer = setInterval(update, countsPeriod);
    return () => {
      clearInterval(timer);
      controller.abort();
    };
  }, [client]);
  return (
    <span class="facts" title={`Schedulers: ${first.schedulers.join(", ")}`}>
      <span class="totals">
        <b>{formatCount(counts.nodes)}</b> nodes <b>{formatCount(counts.pods)}</b> pods
      </span>{" "}
      <a class={counts.pending > 0 ? "pending" : "pending none"} href={formatRoute({ page: "queue" })}>
        <b>{formatCount(counts.pending)}</b> pending
      </a>{" "}
      <span class="dim version">{first.version}</span>
    </span>
  );
}

function describe(state: LiveState, now: number): { label: string; title: string } {
  switch (state.kind) {
    case "live":
      return { label: "Live", title: "Changes arrive as they happen. Press to pause." };
    case "paused":
      return { label: "Paused", title: "The page does not change. Press to continue." };
    case "connecting":
      return { label: "Connecting", title: "Connecting to the server." };
    case "waiting": {
      const seconds = Math.max(0, Math.ceil((state.until - now) / 1000));
      return {
        label: `Offline, retry in ${formatDuration(seconds)}`,
        title: `${state.error} Press to try now.`,
      };
    }
    case "failed":
      return { label: "Not live", title: `${state.error} ${state.advice} Press to try again.` };
    case "off":
      return { label: "Static", title: "This page has no live data." };
  }
}

function LiveIndicator({ live }: { live: Live }) {
  const [state, setState] = useState<LiveState>(live.state);
  const [now, setNow] = useState(Date.now());
  useEffect(() => live.watch(setState), [live]);
  useEffect(() => {
    if (state.kind !== "waiting") return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, [state]);
  const { label, title } = describe(state, now);
  const press = () => {
    if (state.kind === "live" || state.kind === "connecting") live.pause();
    else if (state.kind === "paused") live.resume();
    else live.retry();
  };
  const icon = state.kind === "paused" ? "play" : state.kind === "live" ? "pause" : "reload";
  return (
    <button
      type="button"
      class={`button quiet live ${state.kind === "live" ? "is-live" : state.kind}`}
      title={title}
      onClick={press}
    >
      <span class="dot" aria-hidden="true" />
      <span role="status">{label}</span>
      <Icon name={icon} />
    </button>
  );
}
