/** When catch-ups may run. */
export interface SchedulePolicy {
  /** Between the beginnings of two runs. */
  readonly intervalMs: number;
  /** The same for runs that are requested. */
  readonly minIntervalMs: number;
  /** As far as `minIntervalMs` is doubled with each requested run that follows another one. */
  readonly maxMinIntervalMs: number;
  /** Minimum delay after a failed run. */
  readonly minRetryMs: number;
}

export interface ScheduleConditions {
  readonly clientIdDeclared: boolean;
  /** False while catch-ups bring all messages, because the gateway has no stream or does not accept a connection. */
  readonly hasEvents: boolean;
  /** GATEWAY_CATCH_UP_INTERVAL_MS. */
  readonly catchUpIntervalMs: number;
  /** GATEWAY_READ_INTERVAL_MS. */
  readonly readIntervalMs: number;
}

/** A gateway with client ids may keep state for each of them, and each catch-up has another one. */
const MIN_INTERVAL_WITH_CLIENT_IDS_MS = 15 * 60_000;
const MIN_REQUESTED_INTERVAL_WITH_CLIENT_IDS_MS = 60_000;
const MIN_REQUESTED_INTERVAL_MS = 1_000;

export function choosePolicy(conditions: ScheduleConditions): SchedulePolicy {
  const { clientIdDeclared, hasEvents, catchUpIntervalMs, readIntervalMs } = conditions;
  const minRetryMs = clientIdDeclared ? MIN_REQUESTED_INTERVAL_WITH_CLIENT_IDS_MS : 0;
  if (!hasEvents) return { ...requestsEvery(readIntervalMs), intervalMs: readIntervalMs, minRetryMs };
  if (!clientIdDeclared)
    return { ...requestsEvery(MIN_REQUESTED_INTERVAL_MS), intervalMs: catchUpIntervalMs, minRetryMs };
  return {
    intervalMs: Math.max(catchUpIntervalMs, MIN_INTERVAL_WITH_CLIENT_IDS_MS),
    minIntervalMs: MIN_REQUESTED_INTERVAL_WITH_CLIENT_IDS_MS,
    maxMinIntervalMs: MIN_INTERVAL_WITH_CLIENT_IDS_MS,
    minRetryMs,
  };
}

const requestsEvery = (ms: number): Pick<SchedulePolicy, 'minIntervalMs' | 'maxMinIntervalMs'> => ({
  minIntervalMs: ms,
  maxMinIntervalMs: ms,
});
