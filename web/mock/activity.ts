// The history of the mock: an hour of steps of five seconds, and new ones as time passes.
import type { Activity, ActivityStep, QueueCounts } from "../src/api/types.ts";
import { Random } from "./random.ts";

export const step = 5;
export const bounds = [
  50e-6, 100e-6, 250e-6, 500e-6, 1e-3, 2.5e-3, 5e-3, 10e-3, 25e-3, 50e-3, 100e-3, 500e-3,
];

export class History {
  readonly steps: ActivityStep[] = [];
  private readonly random: Random;
  private level = 1;
  private burst = 0;

  constructor(seed: number, now: number, queues: QueueCounts) {
    this.random = new Random(seed ^ 0x51ed);
    const count = 720;
    for (let i = 0; i < count; i++) this.add(now - (count - i) * step * 1000, queues);
  }

  add(time: number, queues: QueueCounts): ActivityStep {
    const { random } = this;
    this.level = Math.min(2.2, Math.max(0.2, this.level + random.bell() * 0.12));
    if (random.next() < 0.01) this.burst = 1;
    this.burst *= 0.86;
    const rate = 160 * this.level + 1400 * this.burst;
    const count = (perSecond: number) =>
      Math.max(0, Math.round(perSecond * step * (0.9 + 0.2 * random.next())));
    const bound = count(rate);
    const unschedulable = count(rate * 0.12 + 6);
    const slow = 3.4 + this.burst * 3 + random.bell() * 0.4;
    const latency = Array.from({ length: bounds.length + 1 }, (_, i) => {
      const distance = (i - slow) / (i > slow ? 2.1 : 1.2);
      return Math.round(
        (bound + unschedulable) * 0.25 * Math.exp(-distance * distance) +
          (i > 8 && random.next() < 0.1 ? 1 : 0),
      );
    });
    const vary = (value: number) =>
      Math.max(0, Math.round(value * (0.9 + 0.2 * random.next()) + random.bell() * 2));
    const entry: ActivityStep = {
      time: new Date(time).toISOString(),
      decisions: {
        bound,
        unschedulable,
        nominated: random.next() < 0.3 ? count(0.4) : 0,
        error: random.next() < 0.05 ? 1 : 0,
      },
      binds: Math.max(0, bound - random.below(4)),
      bindFailures: random.next() < 0.08 ? 1 + random.below(5) : 0,
      preemptions: random.next() < 0.25 ? count(0.5) : 0,
      latency,
      reasons: {
        "NodeResourcesFit: Insufficient cpu": Math.round(unschedulable * 0.45),
        "TaintToleration: untolerated taint(s)": Math.round(unschedulable * 0.22),
        "NodeResourcesFit: Insufficient nvidia.com/gpu": Math.round(unschedulable * 0.14),
        "InterPodAffinity: pod anti-affinity rules": Math.round(unschedulable * 0.09),
        "PodTopologySpread: spread constraints": Math.round(unschedulable * 0.06),
        "VolumeBinding: PersistentVolume's node affinity": Math.round(unschedulable * 0.04),
      },
      apiCalls: {
        bind: bound,
        status: Math.round(unschedulable * 0.6),
        event: Math.round((bound + unschedulable) * 0.8),
        delete: random.next() < 0.25 ? count(0.5) : 0,
      },
      queues: {
        active: vary(queues.active),
        backoff: vary(queues.backoff),
        unschedulable: vary(queues.unschedulable),
        gated: queues.gated,
        inFlight: vary(queues.inFlight),
        waiting: vary(queues.waiting),
      },
    };
    this.steps.push(entry);
    if (this.steps.length > 720) this.steps.shift();
    return entry;
  }

  activity(window: number): Activity {
    const steps = this.steps.slice(-Math.max(1, Math.min(720, Math.round(window / step))));
    const columns = <T extends object>(pick: (entry: ActivityStep) => T) => {
      const names = [...new Set(steps.flatMap((entry) => Object.keys(pick(entry))))];
      return Object.fromEntries(
        names.map((name) => [name, steps.map((entry) => (pick(entry) as Record<string, number>)[name] ?? 0)]),
      );
    };
    return {
      apiVersion: "berth.dev/v1",
      kind: "Activity",
      start: steps[0]!.time,
      step,
      decisions: columns((entry) => entry.decisions),
      binds: steps.map((entry) => entry.binds),
      bindFailures: steps.map((entry) => entry.bindFailures),
      preemptions: steps.map((entry) => entry.preemptions),
      latency: { bounds, counts: steps.map((entry) => entry.latency) },
      reasons: columns((entry) => entry.reasons),
      apiCalls: columns((entry) => entry.apiCalls),
      queues: columns((entry) => entry.queues) as Activity["queues"],
    };
  }
}
