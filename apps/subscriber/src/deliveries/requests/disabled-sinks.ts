import type { SqlSession } from '@ssb/postgres';

/** Who disabled a sink, and why. */
export interface Disabling {
  readonly by: string;
  readonly reason: string | undefined;
}

/**
 * Disables a sink, or enables it and wakes the replicas. A disabled sink keeps its deliveries, and none is attempted.
 * @param disabling undefined: the sink is enabled
 * @returns whether that changed anything
 */
export function setSinkDisabled(
  session: SqlSession,
  sink: string,
  disabling: Disabling | undefined,
): Promise<boolean> {
  void [session, sink, disabling];
  return Promise.reject(new Error('not implemented'));
}
