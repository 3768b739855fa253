import type { ProblemDelivery } from '../../../api/operations.js';

/** Who knows of a problem, by what the sinks accepted. */
export interface Told {
  /** Each sink once, with the last acceptance. */
  readonly told: readonly { readonly sink: string; readonly at: string }[];
  /** Sinks that have accepted nothing newer. */
  readonly waiting: readonly {
    readonly sink: string;
    readonly why: string;
    readonly nextAttemptAt?: string;
  }[];
}

const REASONS: Readonly<Record<string, string>> = {
  muted: 'muted by a rule',
  silenced: 'silenced',
  'min-interval': 'held back, another alert was sent shortly before',
  pending: 'not accepted yet',
  parked: 'refused',
  skipped: 'skipped by a person',
  replaced: 'replaced by a newer message',
};

/** Notices say that a person acknowledged the problem, or that it became better: they tell nobody of it. */
const ALERTS: ReadonlySet<string> = new Set(['alert', 'reminder', 'escalation']);

/** @param deliveries the newest first */
export function whoWasTold(deliveries: readonly ProblemDelivery[]): Told {
  const told = new Map<string, string>();
  const waiting = new Map<string, Told['waiting'][number]>();
  for (const { kind, sink, acceptedAt, withheld, state, nextAttemptAt } of deliveries) {
    if (!ALERTS.has(kind) || told.has(sink)) continue;
    if (acceptedAt !== undefined) told.set(sink, acceptedAt);
    else if (!waiting.has(sink))
      waiting.set(sink, {
        sink,
        why: REASONS[withheld ?? state] ?? withheld ?? state,
        ...(nextAttemptAt !== undefined && { nextAttemptAt }),
      });
  }
  return { told: [...told].map(([sink, at]) => ({ sink, at })), waiting: [...waiting.values()] };
}
