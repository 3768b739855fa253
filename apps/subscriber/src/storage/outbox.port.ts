/** An archived event on its way to one sink. */
export interface PendingAlert {
  readonly eventId: string;
  readonly sink: string;
  /** True: stands out as an alert; false: a notice. */
  readonly alert: boolean;
  readonly type: string;
  readonly subject: string;
  /** Order within the subject; sorts as text. */
  readonly sequence: string;
  readonly channel: string;
  readonly messageId: string;
  readonly signer: string;
  /** RFC 3339: when the operator published the fact, when the poller held it. */
  readonly publishedAt: string;
  readonly detectedAt: string;
  readonly archivedAt: Date;
  /** Attempts that have failed so far. */
  readonly attempts: number;
  /** The CloudEvent as it was archived, to the byte. */
  readonly text: string;
}

/** What became of an attempt; either it is delivered, or it is tried again at a time. */
export interface Settlement {
  readonly eventId: string;
  readonly sink: string;
  readonly attempts: number;
  /** The outcome in a few words. */
  readonly outcome: string;
  readonly at: Date;
  /** Undefined: delivered. */
  readonly nextAttemptAt: Date | undefined;
}

export interface DueQuery {
  readonly sink: string;
  readonly now: Date;
  /** Subjects that are being worked on and are not wanted. */
  readonly exceptSubjects: readonly string[];
  /** At most so many subjects, those that wait longest first. */
  readonly subjects: number;
  /** At most so many alerts of each. */
  readonly perSubject: number;
}

/**
 * Alerts that were committed together with their event and are not delivered yet. Written by `Archive.record`.
 *
 * - `due` gives, for each subject whose first pending alert may be tried now, its pending alerts in order (sequence, then
 *   arrival); of a subject whose first one has to wait it gives none, so that a later event never overtakes it. It claims
 *   nothing: one process reads an outbox.
 * - `settle` is durable when it resolves; a repeat is harmless; an alert once delivered stays so.
 * - `nextAttemptAt` is the next moment after `now` at which a waiting alert comes due; undefined when none waits.
 * - `depth` counts what is pending, by sink, also for sinks that the configuration no longer names.
 */
export interface AlertOutbox {
  due(query: DueQuery): Promise<PendingAlert[]>;
  settle(settlements: readonly Settlement[]): Promise<void>;
  nextAttemptAt(sink: string, now: Date): Promise<Date | undefined>;
  depth(): Promise<ReadonlyMap<string, number>>;
}
