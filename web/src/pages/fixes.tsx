// The changes that would let a pod run, each of which can be tried: the server decides again with the change made.
import type { Fix, FixStep, PodExplanation, PodFixes } from "../api/types.ts";
import { asSentence, formatCount, plural } from "../format.ts";
import { setQuery, useGet, useRoute, useServices } from "../state/hooks.ts";
import { CopyButton, Empty, ErrorBox, Loading, NodeLink, Panel, PodLink, Show } from "../ui/controls.tsx";
import { Icon } from "../ui/icons.tsx";

export function Fixes({ namespace, name }: { namespace: string; name: string }) {
  const { cluster } = useServices();
  if (!cluster.features.whatIf) {
    return (
      <Panel title="What would let it run">
        <Empty title="Not available here">
          This server does not search for fixes. Run{" "}
          <code>
            kubectl berth why {name} -n {namespace}
          </code>{" "}
          instead.
        </Empty>
      </Panel>
    );
  }
  return <FixList namespace={namespace} name={name} />;
}

function FixList({ namespace, name }: { namespace: string; name: string }) {
  const { result, reload } = useGet<PodFixes>(["pods", namespace, name, "fixes"]);
  const { query } = useRoute();
  const tried = Number(query.fix ?? 0);
  return (
    <Panel
      title="What would let it run"
      note={result.data && result.data.fixes.list.length > 0 ? "each verified by deciding again" : undefined}
      tools={
        result.data && (
          <CopyButton
            label="JSON"
            title="Copy the fixes as JSON"
            text={() => JSON.stringify(result.data?.fixes, null, 2)}
          />
        )
      }
    >
      <Show result={result} what="fixes" retry={reload} rows={5}>
        {({ fixes, revision }) =>
          fixes.list.length === 0 ? (
            <Empty title={fixes.complete ? "There is no fix" : "No fix was found"}>
              {fixes.complete
                ? "No change of the kinds that Berth tries, alone or up to three together, lets this pod run."
                : `The search stopped after ${formatCount(fixes.decisions)} decisions.`}
            </Empty>
          ) : (
            <ol class="fixes">
              {fixes.list.map((fix, i) => (
                <FixItem
                  key={i}
                  namespace={namespace}
                  name={name}
                  fix={fix}
                  number={i + 1}
                  revision={revision}
                  open={tried === i + 1}
                />
              ))}
              {!fixes.complete && (
                <li class="dim rest">
                  The search stopped after {formatCount(fixes.decisions)} decisions; there may be more.
                </li>
              )}
            </ol>
          )
        }
      </Show>
    </Panel>
  );
}

/** Whether the fix's node is one that the fix adds. */
function isNew({ changes, node }: Fix): boolean {
  return changes.some(({ kind, object }) => kind === "AddNode" && object.name === node);
}

function FixItem(props: {
  namespace: string;
  name: string;
  fix: Fix;
  number: number;
  revision: string;
  open: boolean;
}) {
  const { fix, number, open } = props;
  return (
    <li class={open ? "open" : ""}>
      <div class="fix-line">
        <span class="fix-number" aria-hidden="true">
          {number}
        </span>
        <div class="fix-text">
          {fix.changes.map((change) => (
            <p key={change.text}>
              <b>{change.text}</b>
            </p>
          ))}
          <p class="dim">
            runs on {isNew(fix) ? fix.node : <NodeLink name={fix.node} />}
            {fix.similar > 0 && `; ${plural(fix.similar, "similar fix", "similar fixes")}`}
            {fix.victims && fix.victims.length > 0 && `; preempts ${plural(fix.victims.length, "pod")}`}
            {fix.moves && fix.moves.length > 0 && `; moves ${plural(fix.moves.length, "pod")}`}
          </p>
        </div>
        <button
          type="button"
          class="button"
          aria-expanded={open}
          onClick={() => setQuery({ fix: open ? "" : String(number) })}
          title={open ? "Close" : "Decide again with this change; nothing is written"}
        >
          {open ? "Close" : "Try"} {!open && <Icon name="flask" />}
        </button>
      </div>
      {open && <Tried {...props} />}
    </li>
  );
}

function Tried({
  namespace,
  name,
  fix,
  number,
  revision,
}: {
  namespace: string;
  name: string;
  fix: Fix;
  number: number;
  revision: string;
}) {
  const { result, reload } = useGet<PodExplanation>(
    ["pods", namespace, name, "fixes", String(number), "try"],
    { revision },
  );
  return (
    <div class="tried" role="status">
      {result.state === "loading" && !result.data && <Loading what="the decision" rows={2} />}
      {result.state === "error" && <ErrorBox error={result.error} retry={reload} />}
      {result.data && <Outcome explanation={result.data} fix={fix} />}
      <Steps steps={fix.steps} />
    </div>
  );
}

function Outcome({ explanation, fix }: { explanation: PodExplanation; fix: Fix }) {
  const decision = explanation.decision;
  const good = decision?.outcome === "Fits" || decision?.outcome === "Preempts";
  const node = decision?.bestNodes?.[0] ?? decision?.nominatedNode ?? fix.node;
  const best = decision?.explanation.scores.find((score) => score.chosen);
  return (
    <>
      <p class={`verdict ${good ? "good" : "bad"}`}>
        <Icon name={good ? "check" : "alert"} />
        <span>
          {good ? (
            <>
              With this change the pod{" "}
              {decision?.outcome === "Preempts" ? "preempts others and then runs" : "runs"} on <b>{node}</b>
              {best ? ` (score ${formatCount(best.total)})` : ""}.
            </>
          ) : (
            "With this change the pod still fits nowhere: the cluster has changed."
          )}
        </span>
      </p>
      {decision?.explanation.why && <p class="dim">{asSentence(decision.explanation.why)}</p>}
      {fix.moves?.map((move) => (
        <p key={move.pod.name}>
          <PodLink pod={move.pod} /> moves from {move.from} to {move.to}.
        </p>
      ))}
      {fix.victims?.map((pod) => (
        <p key={pod.name}>
          <PodLink pod={pod} /> is preempted.
        </p>
      ))}
    </>
  );
}

function Steps({ steps }: { steps: FixStep[] }) {
  return (
    <>
      {steps.map((step) => (
        <div key={step.text} class="fix-step">
          <p class="dim">
            {step.object.kind} {step.object.namespace ? `${step.object.namespace}/` : ""}
            {step.object.name}
            {step.remark ? `: ${step.remark}` : ""}
          </p>
          {step.command && (
            <div class="code">
              <code>{step.command}</code>
              <CopyButton label="Copy" title="Copy the command" text={() => step.command ?? ""} />
            </div>
          )}
          {(step.patch ?? step.create) !== undefined && (
            <div class="code">
              <pre>{JSON.stringify(step.patch ?? step.create, null, 2)}</pre>
              <CopyButton
                label="Copy"
                title="Copy for --patch-file or kubectl create"
                text={() => JSON.stringify(step.patch ?? step.create, null, 2)}
              />
            </div>
          )}
        </div>
      ))}
    </>
  );
}
