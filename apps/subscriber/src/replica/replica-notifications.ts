import type { Database, StopListening } from '@ssb/postgres';
import type { Logger } from '@ssb/platform';
import { DELIVERIES_CHANNEL } from '../deliveries/outbox/pending-delivery.js';
import { REQUESTS_CHANNEL } from '../requests/request.js';
import { SILENCES_CHANNEL } from '../silences/open-silences.js';
import { REPLICAS_CHANNEL } from './reader-lease.js';

export interface ReplicaNotificationHandlers {
  /** Deliveries were committed. */
  readonly onDeliveries: () => void;
  /** A person requests something. */
  readonly onRequest: () => void;
  /** A silence was added or ended, or hides a critical problem. */
  readonly onSilences: () => void;
  /** A replica acquired or released a lease, or notifications may have been missed. */
  readonly onReplicaChange: () => void;
}

/** Listens for commits, requests and shutdowns of other replicas. A lost notification delays work by at most one renewal interval. */
export class ReplicaNotifications {
  private listening: Promise<StopListening[] | undefined> | undefined;

  constructor(
    private readonly database: Database,
    private readonly log: Logger,
    private readonly handlers: ReplicaNotificationHandlers,
  ) {}

  /** Does nothing while it listens. Called at each renewal, because the database may have been unavailable. */
  start(): void {
    this.listening ??= this.listen();
  }

  async stop(): Promise<void> {
    for (const stop of (await this.listening) ?? []) await stop();
  }

  private async listen(): Promise<StopListening[] | undefined> {
    const { onDeliveries, onRequest, onSilences, onReplicaChange } = this.handlers;
    const lost = (): void => undefined;
    const stops: StopListening[] = [];
    const listen = async (channel: string, received: () => void): Promise<void> => {
      stops.push(await this.database.listen(channel, { received, lost, regained: onReplicaChange }));
    };
    try {
      await listen(DELIVERIES_CHANNEL, onDeliveries);
      await listen(REQUESTS_CHANNEL, onRequest);
      await listen(SILENCES_CHANNEL, onSilences);
      await listen(REPLICAS_CHANNEL, onReplicaChange);
      return stops;
    } catch (err) {
      this.log.error({ err }, 'replica notifications failed');
      for (const stop of stops) await stop();
      this.listening = undefined;
      return undefined;
    }
  }
}
