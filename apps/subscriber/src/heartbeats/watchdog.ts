import {
  addressAuthorization,
  ServerConnections,
  type ClientConnection,
  describeRequestError,
  PeriodicTask,
} from '@ssb/net';
import type { Logger, WebhookTarget } from '@ssb/platform';

const INTERVAL_MS = 60_000;
const TIMEOUT_MS = 10_000;
const MAX_RESPONSE_BYTES = 65_536;

export interface WatchdogOptions {
  /** WATCHDOG_URL; nothing is requested without it. */
  readonly url: string | undefined;
  readonly connection: ClientConnection;
  /** Whether verified heartbeats arrive now. */
  readonly isAlive: () => boolean;
  readonly log: Logger;
  readonly intervalMs?: number;
}

/**
 * Requests the address of an external watchdog while heartbeats arrive. The watchdog raises an alarm when the requests stop, so the loss of
 * everything is noticed as well.
 */
export class Watchdog {
  private readonly connections: ServerConnections | undefined;
  private readonly task: PeriodicTask;

  constructor(private readonly options: WatchdogOptions) {
    const { url, connection, intervalMs = INTERVAL_MS, log } = options;
    if (url !== undefined)
      this.connections = new ServerConnections(new URL(url), connection, {
        connections: 1,
        timeoutMs: TIMEOUT_MS,
      });
    this.task = new PeriodicTask(
      () => this.request(),
      intervalMs,
      // The address contains a secret, so the error is described.
      (error) => log.warn({ reason: describeRequestError(error) }, 'watchdog request failed'),
    );
  }

  start(): void {
    if (this.connections !== undefined) this.task.start();
  }

  async stop(): Promise<void> {
    await this.connections?.destroy();
    await this.task.stop();
  }

  private async request(): Promise<void> {
    const { url, isAlive } = this.options;
    if (url === undefined || this.connections === undefined || !isAlive()) return;
    const address = new URL(url);
    const { statusCode, body } = await this.connections.request({
      method: 'GET',
      path: `${address.pathname}${address.search}`,
      headers: { ...addressAuthorization(address), 'user-agent': 'settlement-bus-bridge' },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await body.dump({ limit: MAX_RESPONSE_BYTES });
    if (statusCode >= 300) throw new Error(`status ${statusCode}`);
  }
}

/** WATCHDOG_URL as a target of `OutgoingConnections`; none when it is not set. */
export function watchdogTargets({
  WATCHDOG_URL: url,
}: {
  readonly WATCHDOG_URL?: string | undefined;
}): WebhookTarget[] {
  return url === undefined ? [] : [{ name: 'WATCHDOG_URL', url }];
}
