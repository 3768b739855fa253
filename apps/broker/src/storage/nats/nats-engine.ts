import { errors, type NatsConnection } from '@nats-io/transport-node';
import type { Logger } from '@ssb/platform';
import { EngineUnavailableError } from '../message-log.js';

/** How often a waiting call checks the connection. */
const CHECK_INTERVAL_MS = 10;

/** Included in EngineUnavailableError. */
type ConnectionState = 'connected' | 'reconnecting' | 'closed';

/**
 * The connection to NATS. While it is disconnected, a call waits for at most `timeoutMs`, then fails.
 * The client library reconnects indefinitely.
 */
export class NatsEngine {
  private state: ConnectionState = 'connected';
  private waitingForConnection: Promise<void> | undefined;
  private readonly reconnectListeners: (() => void)[] = [];

  constructor(
    readonly connection: NatsConnection,
    readonly timeoutMs: number,
    private readonly log: Logger,
  ) {
    void this.followStatus();
  }

  /** Runs after each reconnection, once the server has the subscriptions again. Messages sent during the disconnection are lost. */
  onReconnected(listener: () => void): void {
    this.reconnectListeners.push(listener);
  }

  /**
   * Runs work whose requests each end within `timeoutMs`.
   * @throws EngineUnavailableError when NATS is unreachable, returns an error, or does not respond in time
   */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (!this.isConnected) await (this.waitingForConnection ??= this.waitUntilConnected());
    try {
      return await work();
    } catch (error) {
      throw this.toUnavailable(error);
    }
  }

  /** Converts a failure of the connection or of the server to the error for the caller. */
  toUnavailable(error: unknown): EngineUnavailableError {
    if (error instanceof EngineUnavailableError) return error;
    const text = error instanceof Error ? error.message : String(error);
    const message =
      error instanceof errors.TimeoutError ? `NATS did not respond within ${this.timeoutMs} ms` : text;
    return new EngineUnavailableError(this.state, message, { cause: error });
  }

  async close(): Promise<void> {
    this.reconnectListeners.length = 0;
    await this.connection.close();
  }

  private get isConnected(): boolean {
    return this.state === 'connected';
  }

  private async followStatus(): Promise<void> {
    for await (const status of this.connection.status()) {
      if (status.type === 'disconnect' && !this.connection.isClosed()) {
        this.state = 'reconnecting';
        this.log.warn('NATS disconnected');
      } else if (status.type === 'reconnect') {
        this.state = 'connected';
        void this.notifyReconnected();
      } else if (status.type === 'error') {
        // The server reports a missing permission only here; the refused request times out.
        this.log.warn({ err: status.error }, 'NATS error');
      }
    }
    this.state = 'closed';
  }

  private async notifyReconnected(): Promise<void> {
    try {
      await this.connection.flush();
    } catch (error) {
      // The connection was lost again. The next reconnection notifies the listeners.
      this.log.debug({ err: error }, 'NATS flush failed');
      return;
    }
    for (const listener of this.reconnectListeners) listener();
  }

  private waitUntilConnected(): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const startedAt = Date.now();
      const timer = setInterval(() => {
        const hasTimedOut = Date.now() - startedAt >= this.timeoutMs;
        if (!this.isConnected && !hasTimedOut) return;
        clearInterval(timer);
        this.waitingForConnection = undefined;
        if (this.isConnected) return resolve();
        const message = `NATS has been unreachable for ${this.timeoutMs} ms or more`;
        reject(new EngineUnavailableError(this.state, message));
      }, CHECK_INTERVAL_MS);
    });
  }
}

/** Whether the request had no responders: the stream does not exist, or the server has no JetStream. */
export function hasNoResponders(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return [error, cause].some((each) => each instanceof errors.RequestError && each.isNoResponders());
}
