/** When catch-ups may run. */
export interface SchedulePolicy {
  /** Between the beginnings of two runs. */
  readonly intervalMs: number;
  /** The same for runs that are requested. */
  readonly minIntervalMs: number;
}

export interface ScheduleConditions {
  /** False while catch-ups bring all messages, because the gateway has no stream or does not accept a connection. */
  readonly hasEvents: boolean;
  /** GATEWAY_CATCH_UP_INTERVAL_MS. */
  readonly catchUpIntervalMs: number;
  /** GATEWAY_READ_INTERVAL_MS. */
  readonly readIntervalMs: number;
}

const MIN_REQUESTED_INTERVAL_MS = 1_000;

export function choosePolicy({
  hasEvents,
  catchUpIntervalMs,
  readIntervalMs,
}: ScheduleConditions): SchedulePolicy {
  return hasEvents
    ? { intervalMs: catchUpIntervalMs, minIntervalMs: MIN_REQUESTED_INTERVAL_MS }
    : { intervalMs: readIntervalMs, minIntervalMs: readIntervalMs };
}
