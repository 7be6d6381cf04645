// A pod: why it is where it is or has no node, what would change that, and what happened so far.
import { useMemo, useState } from "preact/hooks";
import type { Attempt, AttemptList, Decision, Explanation, PodExplanation, PodList } from "../api/types.ts";
import { Timeline } from "../charts/timeline.tsx";
import { Waterfall } from "../charts/waterfall.tsx";
import {
  age,
  asSentence,
  formatClock,
  formatCount,
  formatDuration,
  formatPercent,
  plural,
} from "../format.ts";
import { setQuery, useGet, useLive, useNow, useRoute, useServices, useThrottled } from "../state/hooks.ts";
import { type Column, Table } from "../table/table.tsx";
import {
  BarLegend,
  CopyButton,
  Empty,
  NodeLink,
  OutcomeBadge,
  Panel,
  Plugins,
  QueueBadge,
  queueLabels,
  Select,
  Show,
} from "../ui/controls.tsx";
import { Fixes } from "./fixes.tsx";
import { Matrix } from "./matrix.tsx";

export function PodPage({ namespace, name }: { namespace: string; name: string }) {
  const { cluster } = useServices();
  const { result, reload } = useGet<PodExplanation>(["pods", namespace, name]);
  const row = useGet<PodList>(["pods"], { namespace, name, limit: 1 });
  const refresh = useThrottled(() => {
    reload();
    row.reload();
  }, 1000);
  useLive("attempt", ({ items }) => {
    if (items.some((attempt) => attempt.name === name && attempt.namespace === namespace)) refresh();
  });
  const now = useNow();
  const queued = row.result.data?.items.find((entry) => entry.name === name && entry.namespace === namespace);
  return (
    <div class="pad stack">
      {!result.data && (
        <h1 class="offscreen">
          Pod {namespace}/{name}
        </h1>
      )}
      <Show result={result} what={`pod ${namespace}/${name}`} retry={reload} rows={12}>
        {(explanation) => (
          <>
            <header class="title">
              <div>
                <p class="kind">Pod</p>
                <h1>
                  <span class="dim">{namespace}/</span>
                  {name}
                </h1>
                <p class="facts-line">
                  <span class={`badge p-${explanation.state}`}>{explanation.state}</span>
                  {queued?.queue && queueLabels[queued.queue] !== explanation.state && (
                    <QueueBadge queue={queued.queue} />
                  )}
                  {explanation.terminating && <span class="badge warn">Terminating</span>}
                  <span>priority {formatCount(explanation.priority)}</span>
                  {explanation.workload && (
                    <span>
                      {explanation.workload.kind} {explanation.workload.name}
                    </span>
                  )}
                  {queued?.queue && <span>waiting for {formatDuration(age(queued.since, now))}</span>}
                  {queued?.queue && <span>{plural(queued.attempts, "attempt")}</span>}
                  {queued?.nextAttempt && Date.parse(queued.nextAttempt) > now && (
                    <span>
                      next in {formatDuration(Math.ceil((Date.parse(queued.nextAttempt) - now) / 1000))}
                    </span>
                  )}
                  {explanation.node && (
                    <span>
                      on{" "}
                      {explanation.placement?.nodeExists === false ? (
                        `${explanation.node} (deleted)`
                      ) : (
                        <NodeLink name={explanation.node} />
                      )}
                    </span>
                  )}
                  {explanation.nominatedNode && (
                    <span>
                      nominated to <NodeLink name={explanation.nominatedNode} />
                    </span>
                  )}
                  <span class="dim">{explanation.schedulerName}</span>
                </p>
              </div>
              <CopyButton
                label="JSON"
                title="Copy the explanation as JSON, as berth why -o json prints it"
                text={() => JSON.stringify(explanation, null, 2)}
              />
            </header>
            <Answer explanation={explanation} />
            <div class="columns two-one">
              {explanation.decision ? (
                <Funnel explanation={explanation.decision.explanation} />
              ) : (
                <NoDecision explanation={explanation} />
              )}
              {explanation.state !== "Running" && explanation.decision && needsFix(explanation.decision) ? (
                <Fixes namespace={namespace} name={name} />
              ) : (
                <Placement explanation={explanation} />
              )}
            </div>
            {explanation.decision && <Scores decision={explanation.decision} node={explanation.node} />}
            {explanation.decision?.explanation.preemption && (
              <Preemption explanation={explanation.decision.explanation} />
            )}
            {cluster.features.ledger && <Attempts namespace={namespace} name={name} since={queued?.since} />}
            <Matrix namespace={namespace} name={name} />
          </>
        )}
      </Show>
    </div>
  );
}

function needsFix(decision: Decision): boolean {
  return decision.outcome === "Unschedulable" || decision.outcome === "Error";
}

/** One sentence that answers the question, and the scheduler's own words below it. */
function Answer({ explanation }: { explanation: PodExplanation }) {
  const { decision, condition } = explanation;
  const different = condition?.message && decision?.message && condition.message !== decision.message;
  return (
    <section class={`answer ${decision?.outcome ?? explanation.state}`} aria-label="Answer">
      <p class="sentence">{asSentence(explanation.sentence)}</p>
      {decision?.message && <p class="message">{decision.message}</p>}
      {!decision?.message && condition?.message && <p class="message">{condition.message}</p>}
      {different && (
        <p class="message">
          <b>The pod's condition says:</b> {condition.message}
        </p>
      )}
      {explanation.notes.map((note) => (
        <p key={note} class="dim">
          {note}
        </p>
      ))}
      {explanation.leftOut?.map(({ resource, reason }) => (
        <p key={resource} class="dim">
          Left out: {resource}: {reason}
        </p>
      ))}
    </section>
  );
}

/** How many nodes each plugin left. */
function Funnel({ explanation }: { explanation: Explanation }) {
  const total = Math.max(1, explanation.nodes);
  let left = explanation.nodes;
  const rows = explanation.rejected.map((group) => {
    const before = left;
    left -= group.nodes;
    return { group, before, after: left };
  });
  return (
    <Panel
      title="Rejected nodes"
      note={`${formatCount(explanation.feasibleNodes)} of ${formatCount(explanation.nodes)} nodes fit`}
      tools={
        <CopyButton
          label="JSON"
          title="Copy the rejected nodes as JSON"
          text={() => JSON.stringify(explanation.rejected, null, 2)}
        />
      }
    >
      {explanation.preFilter && (
        <p>
          <span class="tag">{explanation.preFilter.plugin}</span> {explanation.preFilter.message}
        </p>
      )}
      {rows.length === 0 && !explanation.preFilter && <Empty title="No plugin rejects a node" />}
      {rows.length > 0 && (
        <BarLegend colours={{ "rejected by this plugin": "c1", "left for the next": "kept" }} />
      )}
      <ul class="funnel">
        {rows.map(({ group, before, after }) => (
          <li key={`${group.plugin} ${group.reasons.join()}`}>
            <div class="funnel-line">
              <span class="tag">{group.plugin}</span>
              <span class="reason">{group.reasons.join(", ")}</span>
              <span class="spring" />
              {group.code === "Unschedulable" && (
                <span class="dim small" title="Preemption can help">
                  preemption can help
                </span>
              )}
              <b class="tabular">{formatCount(group.nodes)}</b>
            </div>
            <div class="funnel-bar" role="img" aria-label={`${formatPercent(group.nodes / total)} of nodes`}>
              <span class="kept" style={{ width: `${(after / total) * 100}%` }} />
              <span
                class="cut"
                style={{ left: `${(after / total) * 100}%`, width: `${((before - after) / total) * 100}%` }}
              />
            </div>
            {group.details.length > 0 && (
              <ul class="details">
                {group.details.map((detail) => (
                  <li key={detail.text}>
                    <span>{detail.text}</span>
                    <span class="dim">
                      {plural(detail.nodes, "node")}
                      {detail.examples[0] ? ", such as " : ""}
                      {detail.examples[0] && <NodeLink name={detail.examples[0]} />}
                    </span>
                  </li>
                ))}
              </ul>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function NoDecision({ explanation }: { explanation: PodExplanation }) {
  const waits = explanation.state === "Waiting";
  return (
    <Panel title={waits ? "Waits at Permit" : "No decision"}>
      {waits ? (
        <ul class="plain">
          {(explanation.permit ?? []).map((plugin) => (
            <li key={plugin}>
              <span class="tag">{plugin}</span> has not allowed the pod yet. It is counted on its node as
              assumed.
            </li>
          ))}
        </ul>
      ) : (
        <Empty title="There is nothing to decide">The pod has finished.</Empty>
      )}
    </Panel>
  );
}

function Placement({ explanation }: { explanation: PodExplanation }) {
  const { placement, decision } = explanation;
  const best = decision?.bestNodes ?? [];
  return (
    <Panel title={placement ? "Why this node" : "Where it would run"}>
      {placement && (
        <dl class="facts-list">
          <div>
            <dt>Node</dt>
            <dd>
              {placement.nodeExists ? <NodeLink name={placement.node} /> : `${placement.node} (deleted)`}
            </dd>
          </div>
          <div>
            <dt>Fits today</dt>
            <dd>{placement.fits ? "yes" : "no"}</dd>
          </div>
          <div>
            <dt>Chosen today</dt>
            <dd>{placement.chosen ? "yes" : "no"}</dd>
          </div>
          {placement.whyNot && (
            <div>
              <dt>Why not</dt>
              <dd>{placement.whyNot}</dd>
            </div>
          )}
        </dl>
      )}
      {!placement && best.length > 0 && (
        <p>
          Best of {plural(decision?.explanation.feasibleNodes ?? 0, "feasible node")}:{" "}
          {best.map((node) => (
            <span key={node}>
              <NodeLink name={node} />{" "}
            </span>
          ))}
        </p>
      )}
      {!placement && decision?.nominatedNode && (
        <p>
          <NodeLink name={decision.nominatedNode} /> is reserved for it. It is tried again when its victims
          are gone.
        </p>
      )}
      {!placement && explanation.state === "Waiting" && explanation.node && (
        <p>
          <NodeLink name={explanation.node} /> was chosen. The pod is bound when Permit ends.
        </p>
      )}
      {!placement && !explanation.node && best.length === 0 && !decision?.nominatedNode && (
        <Empty title="Not decided yet" />
      )}
      {decision?.explanation.why && <p class="dim">{asSentence(decision.explanation.why)}</p>}
    </Panel>
  );
}

function Scores({ decision, node }: { decision: Decision; node: string | undefined }) {
  const { query } = useRoute();
  const scores = useMemo(
    () => [...decision.explanation.scores].sort((a, b) => b.total - a.total),
    [decision],
  );
  if (scores.length === 0) return null;
  const initial =
    scores.find((score) => score.node === node) ?? scores.find((score) => score.chosen) ?? scores[0]!;
  const shown = scores.find((score) => score.node === query.score) ?? initial;
  const other =
    scores.find((score) => score.node === query.compare && score !== shown) ??
    scores.find((score) => score !== shown);
  const highest = scores[0]!.total;
  const options = scores.map((score) => ({
    value: score.node,
    label: `${score.node} · ${formatCount(score.total)}${score.total === highest ? " · best" : ""}`,
  }));
  return (
    <Panel
      title="Scores"
      note="weighted, as the scheduler adds them"
      tools={
        <>
          <Select
            label="Node"
            value={shown.node}
            options={options}
            onChange={(score) => setQuery({ score })}
          />
          {other && (
            <Select
              label="Compare with"
              value={other.node}
              options={options.filter(({ value }) => value !== shown.node)}
              onChange={(compare) => setQuery({ compare })}
            />
          )}
          <CopyButton
            label="JSON"
            title="Copy the scores as JSON"
            text={() => JSON.stringify(scores, null, 2)}
          />
        </>
      }
    >
      <Waterfall score={shown} other={other} />
    </Panel>
  );
}

function Preemption({ explanation }: { explanation: Explanation }) {
  const preemption = explanation.preemption;
  const candidates = useMemo(() => preemption?.candidates ?? [], [preemption]);
  type Candidate = (typeof candidates)[number];
  const columns = useMemo(
    (): Column<Candidate>[] => [
      {
        key: "node",
        label: "Node",
        narrow: "main",
        value: (row) => row.node,
        render: (row) => <NodeLink name={row.node} />,
      },
      { key: "chosen", label: "Chosen", value: (row) => (row.chosen ? "yes" : "no") },
      {
        key: "victims",
        label: "Victims",
        wide: true,
        narrow: true,
        value: (row) => row.victims.join(", "),
        json: (row) => row.victimDetails,
        render: (row) =>
          row.victimDetails
            .map(
              (victim) =>
                `${victim.pod} (priority ${victim.priority}${victim.breaksBudget ? ", breaks a budget" : ""})`,
            )
            .join(", "),
      },
      { key: "budgets", label: "Budget violations", numeric: true, value: (row) => row.budgetViolations },
      { key: "whyNot", label: "Why not", wide: true, value: (row) => row.whyNot },
    ],
    [],
  );
  if (!preemption || candidates.length === 0) return null;
  return (
    <Table
      id="preemption"
      label="Preemption candidates"
      columns={columns}
      rows={candidates}
      rowKey={(row) => row.node}
      tools={
        <span class="dim">
          {plural(preemption.candidateNodes, "node")} would fit after preemption with priority{" "}
          {formatCount(preemption.priority)}
        </span>
      }
    />
  );
}

function Attempts({
  namespace,
  name,
  since,
}: {
  namespace: string;
  name: string;
  since: string | undefined;
}) {
  const now = useNow(5000);
  const { query } = useRoute();
  const { result, reload } = useGet<AttemptList>(["attempts"], { pod: `${namespace}/${name}`, limit: 500 });
  const [extra, setExtra] = useState<Attempt[]>([]);
  useLive("attempt", ({ items }) => {
    const own = items.filter((attempt) => attempt.name === name && attempt.namespace === namespace);
    if (own.length > 0) setExtra((old) => [...own.reverse(), ...old]);
  });
  const rows = useMemo(() => [...extra, ...(result.data?.items ?? [])], [extra, result.data]);
  const selected = Number(query.attempt ?? 0);
  const attempt = rows.find((row) => row.sequence === selected) ?? rows[0];
  const columns = useMemo(
    (): Column<Attempt>[] => [
      {
        key: "time",
        label: "Time",
        narrow: true,
        value: (row) => Date.parse(row.time),
        json: (row) => row.time,
        render: (row) => (
          <button type="button" class="as-link" onClick={() => setQuery({ attempt: String(row.sequence) })}>
            {formatClock(row.time, true)}
          </button>
        ),
      },
      {
        key: "outcome",
        label: "Outcome",
        narrow: true,
        value: (row) => row.outcome,
        render: (row) => <OutcomeBadge outcome={row.outcome} />,
      },
      {
        key: "waited",
        label: "Waited",
        numeric: true,
        narrow: true,
        value: (row) => row.waitedFor,
        render: (row) => formatDuration(row.waitedFor),
      },
      {
        key: "wokenBy",
        label: "Woken by",
        value: (row) => (row.wokenBy ? `${row.wokenBy.event} ${row.wokenBy.object ?? ""}` : ""),
        json: (row) => row.wokenBy,
      },
      {
        key: "plugins",
        label: "Rejected by",
        value: (row) => row.plugins.join(" "),
        json: (row) => row.plugins,
        render: (row) => <Plugins names={row.plugins} />,
      },
      {
        key: "feasible",
        label: "Feasible",
        numeric: true,
        value: (row) => row.feasible,
        render: (row) =>
          row.evaluated === undefined
            ? "–"
            : `${formatCount(row.feasible ?? 0)} of ${formatCount(row.evaluated)}`,
      },
      {
        key: "duration",
        label: "Duration",
        numeric: true,
        value: (row) => total(row.phases),
        render: (row) => (total(row.phases) === 0 ? "–" : formatDuration(total(row.phases))),
      },
      {
        key: "node",
        label: "Node",
        value: (row) => row.node,
        render: (row) => (row.node ? <NodeLink name={row.node} /> : <span class="dim">–</span>),
      },
      { key: "message", label: "Message", wide: true, value: (row) => row.message },
    ],
    [],
  );
  return (
    <Panel title="Timeline" note={rows.length > 0 ? plural(rows.length, "attempt") : undefined}>
      <Show result={result} what="attempts" retry={reload}>
        {(list) =>
          rows.length === 0 ? (
            <Empty title="No attempt yet">
              The ledger has no attempt of this pod{list.complete ? "" : "; older ones were dropped"}.
            </Empty>
          ) : (
            <>
              <Timeline
                attempts={rows}
                since={since ? Date.parse(since) : undefined}
                now={now}
                selected={attempt?.sequence ?? 0}
                onSelect={(sequence) => setQuery({ attempt: String(sequence) })}
              />
              {attempt && <Phases attempt={attempt} />}
              <Table
                nested
                id="attempts"
                label="Attempts"
                columns={columns}
                rows={rows}
                rowKey={(row) => String(row.sequence)}
                selected={String(attempt?.sequence)}
                maxRows={8}
              />
            </>
          )
        }
      </Show>
    </Panel>
  );
}

function total(phases: Record<string, number>): number {
  return Object.values(phases).reduce((a, b) => a + b, 0);
}

const phaseOrder = ["preFilter", "filter", "postFilter", "score", "reserve", "permit", "preBind", "bind"];

function Phases({ attempt }: { attempt: Attempt }) {
  const names = [
    ...phaseOrder.filter((name) => attempt.phases[name] !== undefined),
    ...Object.keys(attempt.phases).filter((name) => !phaseOrder.includes(name)),
  ];
  const sum = total(attempt.phases) || 1;
  return (
    <div class="phases">
      {names.length > 0 && (
        <div
          class="phase-bar"
          role="img"
          aria-label={names.map((name) => `${name} ${formatDuration(attempt.phases[name]!)}`).join(", ")}
        >
          {names.map((name, i) => (
            <span
              key={name}
              class={`c${i % 8}`}
              style={{ width: `${(attempt.phases[name]! / sum) * 100}%` }}
              title={`${name} ${formatDuration(attempt.phases[name]!)}`}
            />
          ))}
        </div>
      )}
      <ul class="legend">
        <li class="dim">
          Attempt at {formatClock(attempt.time, true)}:
          {names.length === 0 && attempt.outcome === "unschedulable"
            ? " no search, because an equal pod had just failed"
            : ""}
        </li>
        {names.map((name, i) => (
          <li key={name}>
            <span class={`swatch c${i % 8}`} aria-hidden="true" /> {name}{" "}
            <b class="tabular">{formatDuration(attempt.phases[name]!)}</b>
          </li>
        ))}
        {attempt.victims.length > 0 && (
          <li>victims: {attempt.victims.map((pod) => `${pod.namespace}/${pod.name}`).join(", ")}</li>
        )}
      </ul>
    </div>
  );
}
