import type { Database, StopListening } from '@ssb/postgres';
import type { Logger } from '@ssb/platform';
import { DELIVERIES_CHANNEL } from '../deliveries/outbox/insert-deliveries.js';
import { RECHECK_CHANNEL } from '../quarantine/recheck-store.js';
import { REPLICAS_CHANNEL } from './reader-lease.js';

export interface ReplicaNotificationHandlers {
  /** Deliveries were committed. */
  readonly onDeliveries: () => void;
  readonly onRecheckRequest: () => void;
  /** A replica acquired or released a lease, or notifications may have been missed. */
  readonly onReplicaChange: () => void;
}

/**
 * Listens for commits, requests and shutdowns of other replicas. A lost notification delays work by at most one renewal interval.
 * @returns undefined when the database is unavailable
 */
export async function listenToReplicas(
  database: Database,
  log: Logger,
  { onDeliveries, onRecheckRequest, onReplicaChange }: ReplicaNotificationHandlers,
): Promise<StopListening[] | undefined> {
  const lost = (): void => undefined;
  const stops: StopListening[] = [];
  const listen = async (channel: string, received: () => void): Promise<void> => {
    stops.push(await database.listen(channel, { received, lost, regained: onReplicaChange }));
  };
  try {
    await listen(DELIVERIES_CHANNEL, onDeliveries);
    await listen(RECHECK_CHANNEL, onRecheckRequest);
    await listen(REPLICAS_CHANNEL, onReplicaChange);
    return stops;
  } catch (err) {
    log.error({ err }, 'replica notifications failed');
    for (const stop of stops) await stop();
    return undefined;
  }
}
