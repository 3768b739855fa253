import type { Decimal } from '@ssb/market/decimal';
import type { AlertReason, EventType, ProblemKind, Severity } from '@ssb/events';
import type { DeliveryKind, ProblemState, WithheldReason } from '../../domain/delivery-kind.js';

/** What the decision reads of a problem that is open or acknowledged. */
export interface RemindedProblem {
  readonly problemId: string;
  readonly kind: ProblemKind;
  readonly participant: string;
  readonly state: ProblemState;
  readonly severity: Severity;
  /** Of the newest event that changed it. */
  readonly type: EventType;
  /** Of a fault of the bridge. */
  readonly reason?: AlertReason | undefined;
}

/** A message about a problem that a sink was sent last. */
export interface LastMessage {
  readonly kind: DeliveryKind;
  /** When it was added, or accepted if that was later. */
  readonly at: Date;
  /** Neither accepted nor ended otherwise. */
  readonly isPending: boolean;
  readonly withheld: WithheldReason | undefined;
}

/** What a sink was sent about a problem. All times are those of the database. */
export interface SinkHistory {
  readonly sink: string;
  /** The newest event of which it got an alert; undefined for a sink that only got escalations. */
  readonly alert: { readonly type: EventType; readonly amount: Decimal | undefined } | undefined;
  /** The newest alert, reminder or escalation. */
  readonly last: LastMessage;
  readonly firstAlertAt: Date | undefined;
  /** Of the first alert since the problem was opened, or opened again. */
  readonly openSince: Date | undefined;
  readonly acknowledgedAt: Date | undefined;
  /** It accepted an alert, a reminder or an escalation. */
  readonly hasAccepted: boolean;
  readonly lastEscalation: Pick<LastMessage, 'at' | 'withheld'> | undefined;
}
