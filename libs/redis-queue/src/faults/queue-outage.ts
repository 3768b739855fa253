import type { ClientConnection } from '@ssb/net';
import { ALL_PARTICIPANTS, type BridgeApp } from '@ssb/events';
import type { Logger } from '@ssb/platform';
import { RedisUnavailableError } from '../redis/connection-errors.js';
import {
  createFaultEvent,
  SUMMARY_INTERVAL_MS,
  openOperationsWebhook,
  type OperationsWebhook,
} from '@ssb/faults';

export const QUEUE_UNAVAILABLE = { reason: 'queue-unavailable', participant: ALL_PARTICIPANTS } as const;

/**
 * Connects to Redis at the start of an app. When Redis is unavailable, posts that within two seconds and rejects with the error of
 * `connect`. Starts within five minutes post the same id.
 */
export async function reportUnavailableQueue<T>(
  app: BridgeApp,
  settings: Parameters<typeof openOperationsWebhook>[0],
  log: Logger,
  connect: () => Promise<T>,
  webhookConnection?: ClientConnection,
): Promise<T> {
  try {
    return await connect();
  } catch (error) {
    if (error instanceof RedisUnavailableError) {
      const webhook = openOperationsWebhook(settings, log, webhookConnection);
      const sequence = Math.floor(Date.now() / SUMMARY_INTERVAL_MS) * SUMMARY_INTERVAL_MS;
      const detail = 'The app did not start, because Redis is unavailable.';
      const report = { app, ...QUEUE_UNAVAILABLE, since: new Date(sequence), count: 1, detail, sequence };
      webhook.post(createFaultEvent({ kind: 'raised', report }, new Date()));
      await webhook.stop();
    }
    throw error;
  }
}

/** Posts the end of an outage whose beginning an earlier run may have posted. @param since the last write before the outage */
export function postEarlierOutageEnd(app: BridgeApp, webhook: OperationsWebhook, since: Date): void {
  const now = new Date();
  const report = { app, ...QUEUE_UNAVAILABLE, since, count: 1, sequence: now.getTime() };
  webhook.post(createFaultEvent({ kind: 'cleared', report }, now));
}
