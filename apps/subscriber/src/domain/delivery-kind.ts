import type { Severity } from '@ssb/events';

/**
 * `alert`: its problem is open, with severity warning or critical. `resolved`: its event ends the problem. `notice`: any other event. `test`: a
 * person requested it. `reminder` and `escalation` follow an alert that nobody has handled.
 */
export const DELIVERY_KINDS = ['alert', 'reminder', 'escalation', 'resolved', 'notice', 'test'] as const;
export type DeliveryKind = (typeof DELIVERY_KINDS)[number];

export const PROBLEM_STATES = ['open', 'acknowledged', 'resolved', 'closed'] as const;
/** Of a problem that has not ended. */
export const LASTING_STATES = ['open', 'acknowledged'] as const satisfies readonly ProblemState[];
export type ProblemState = (typeof PROBLEM_STATES)[number];
export const hasEnded = (state: ProblemState | null | undefined): boolean =>
  state === 'resolved' || state === 'closed';

/** Why a rule or a silence withholds a delivery. `grouped`: its event is sent in a digest. */
export const WITHHELD_REASONS = ['muted', 'silenced', 'min-interval', 'grouped'] as const;
export type WithheldReason = (typeof WITHHELD_REASONS)[number];

/** What an event did to its problem, and the problem after it. */
export interface ProblemEffect {
  readonly problemId: string;
  readonly change: 'opened' | 'worsened' | 'lowered' | 'updated' | 'resolved';
  /** The event opened the problem, or raised its severity or level. */
  readonly isRaised: boolean;
  readonly state: ProblemState;
  readonly severity: Severity;
  /** The highest that the problem has had. */
  readonly worstSeverity: Severity;
}

/** A delivery of an event that is archived now. */
export interface PlannedDelivery {
  readonly sink: string;
  readonly kind: DeliveryKind;
  readonly severity: Severity;
  /** Of the problem that the event belongs to. */
  readonly problemId?: string;
  readonly problemState?: ProblemState;
  /** It is not sent. */
  readonly withheld?: WithheldReason;
}
