import type { AlertTopic } from '@ssb/events';

/** Occurrences of one fault that were counted together. */
export interface Occurrences {
  readonly topic: AlertTopic;
  /** 0: the fault still lasts. It counts as one if no such fault is known. */
  readonly count: number;
  /** One sentence about the latest one, without payload and secrets. */
  readonly detail: string;
  /** The same when the call is repeated after a rejection. */
  readonly id?: string;
}

/** Faults that are kept for one app. Further ones of a reason are counted together. */
export const MAX_FAULTS = 1_000;

/**
 * Keeps the state of faults and sends the events about them. A rejection means that nothing was recorded for certain; repeating the call sends no
 * event twice, because its id is derived from the state.
 */
export interface FaultCarrier {
  /** Resolves when the occurrences are counted durably, and the event is stored if one is due. */
  raise(occurrences: Occurrences, now: Date): Promise<void>;
  /**
   * Ends a fault durably, and stores the event of its end if its beginning was reported. Harmless when there is no such fault. Has no effect
   * while another process confirms the fault.
   */
  clear(topic: AlertTopic, now: Date): Promise<void>;
  /** This process no longer confirms the fault. */
  withdraw(topic: AlertTopic, now: Date): Promise<void>;
  /** Stores the summaries that are due. */
  sendSummaries(now: Date): Promise<void>;
}
