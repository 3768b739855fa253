import type { SqlSession } from '@ssb/postgres';

export const DELIVERY_STATES = ['pending', 'parked', 'delivered', 'replaced', 'skipped'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** Which deliveries a request is about. Those that match all given criteria; an omitted criterion matches all. */
export interface DeliverySelection {
  /** The sinks in use, or some of them. */
  readonly sinks: readonly string[];
  /** Ids that the sinks see. */
  readonly ids?: readonly string[] | undefined;
  readonly states?: readonly DeliveryState[] | undefined;
  readonly types?: readonly string[] | undefined;
  readonly participants?: readonly string[] | undefined;
  /** The event was archived at this time or later. */
  readonly since?: Date | undefined;
  /** The event was archived before this time. */
  readonly until?: Date | undefined;
}

/** What a request about many deliveries has done so far. */
export interface BatchProgress {
  readonly changed: number;
  /** How many there were when it began. */
  readonly total: number;
  /** Offset in the archive up to which they are done, and where the request ends. */
  readonly upTo: string;
  readonly end: string;
}

export interface BatchRun {
  /** Of an earlier run that did not end. */
  readonly progress: BatchProgress | undefined;
  /** Stores the progress in the transaction of the batch. */
  save(session: SqlSession, progress: BatchProgress): Promise<void>;
  /** Ends the run after the current batch: it throws the signal's reason. */
  readonly signal: AbortSignal;
}

export type BatchResult =
  | { readonly outcome: 'done'; readonly progress: BatchProgress }
  | { readonly outcome: 'refused'; readonly reason: string };
