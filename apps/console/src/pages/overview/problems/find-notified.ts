import type { ProblemDelivery } from '../../../api/operations.js';

/** Which sinks have accepted a message about a problem, and which have not. */
export interface Notified {
  /** Each sink once, with the last acceptance. */
  readonly notified: readonly { readonly sink: string; readonly at: string }[];
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

/** Notices say that a person acknowledged the problem, or that it became better. */
const ALERTS: ReadonlySet<string> = new Set(['alert', 'reminder', 'escalation']);

/** @param deliveries the newest first */
export function findNotified(deliveries: readonly ProblemDelivery[]): Notified {
  const notified = new Map<string, string>();
  const waiting = new Map<string, Notified['waiting'][number]>();
  for (const { kind, sink, acceptedAt, withheld, state, nextAttemptAt } of deliveries) {
    if (!ALERTS.has(kind) || notified.has(sink)) continue;
    if (acceptedAt !== undefined) notified.set(sink, acceptedAt);
    else if (!waiting.has(sink))
      waiting.set(sink, {
        sink,
        why: REASONS[withheld ?? state] ?? withheld ?? state,
        ...(nextAttemptAt !== undefined && { nextAttemptAt }),
      });
  }
  return { notified: [...notified].map(([sink, at]) => ({ sink, at })), waiting: [...waiting.values()] };
}
