import type { Severity } from '@ssb/events';
import type { DeliveryOutcome } from '@ssb/net';
import type { DeliveryKind, ProblemState } from '../../domain/delivery-kind.js';
import type { ProblemPart } from '../content/message-body.js';
import type { Mark } from '../../domain/marks.js';

/** What a sink receives of a delivery. `PendingDelivery` has these fields too. */
export interface SinkMessage {
  /** The id that the receiver sees: the same for every attempt and every resend, so that it can drop repeats. */
  readonly eventId: string;
  readonly kind: DeliveryKind;
  readonly severity: Severity;
  /** Of the problem that the event belongs to; null without one. */
  readonly problemId: string | null;
  /** Of that problem, once the event was applied. */
  readonly problemState: ProblemState | null;
  /** That problem as it is when the delivery is claimed. */
  readonly problem?: ProblemPart | null;
  readonly marks: readonly Mark[];
  /** Added by a replay from the archive. */
  readonly replayed: boolean;
  readonly type: string;
  readonly subject: string;
  readonly participant: string;
  /** The body, byte for byte: the archived event, or a document of the delivery's kind with that event inside. */
  readonly text: string;
}

export type TraceHeaders = Readonly<Record<string, string>>;

/**
 * A receiver of deliveries. Each has its own worker, so a sink that hangs delays no other.
 * It keeps no queue: what it does not accept stays in the database and is attempted again.
 */
export interface AlertSink {
  readonly name: string;
  /**
   * Makes one attempt and waits for its end, at most for the timeout of the sink. Calls run concurrently, each for another subject.
   * A repeat must be harmless: a message comes again, with the same id, after a crash or a lost response.
   * Never rejects because of the receiver, its files or the network: these failures are outcomes, without secrets and addresses.
   * @param signal aborts the attempt; the call then ends at once
   * @param trace request headers with the trace context; none without tracing
   * @returns `delivered` once the receiver has accepted the message durably, as far as its protocol can say; any other outcome
   *   leads to another attempt or, for a refusal, parks the delivery
   */
  deliver(message: SinkMessage, signal: AbortSignal, trace?: TraceHeaders): Promise<DeliveryOutcome>;
  /**
   * Only for a receiver that forgets a problem unless it is sent again. Sends open problems, each as its newest event, under the same rules as
   * `deliver`.
   */
  repeat?(open: readonly SinkMessage[], signal: AbortSignal): Promise<DeliveryOutcome>;
  /** Closes connections and ends the readings of files. Attempts in progress are aborted. A repeat is harmless. */
  close(): Promise<void>;
}
