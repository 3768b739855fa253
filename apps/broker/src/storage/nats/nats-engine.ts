import { errors, type NatsConnection } from '@nats-io/transport-node';
import type { Logger } from '@ssb/platform';
import { EngineUnavailableError } from '../message-log.js';

/** How often a waiting call looks whether the connection is back. */
const LOOK_EVERY_MS = 10;

/** The connection's own word for its state, as a refused caller is told it. */
type ConnectionState = 'connected' | 'reconnecting' | 'closed';

/**
 * The connection to NATS with bounded patience: a call waits through a short restart of the server, and is refused when it takes longer.
 * The client library connects again by itself, for ever; nothing is sent while it has no connection.
 */
export class NatsEngine {
  private state: ConnectionState = 'connected';
  private waiting: Promise<void> | undefined;
  private readonly backListeners: (() => void)[] = [];

  constructor(
    readonly connection: NatsConnection,
    readonly patienceMs: number,
    private readonly log: Logger,
  ) {
    void this.follow();
  }

  /** Told after each new connection, once the server has taken its subscriptions again: what was told meanwhile was missed. */
  onBack(listener: () => void): void {
    this.backListeners.push(listener);
  }

  get connected(): boolean {
    return this.state === 'connected';
  }

  /**
   * Runs work whose every request ends within `patienceMs` by itself.
   * @throws EngineUnavailableError when NATS is away, answers with an error, or does not answer in time
   */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (!this.connected) await (this.waiting ??= this.ready());
    try {
      return await work();
    } catch (error) {
      if (error instanceof EngineUnavailableError) throw error;
      throw this.unavailable(error);
    }
  }

  async close(): Promise<void> {
    this.backListeners.length = 0;
    await this.connection.close();
  }

  private async follow(): Promise<void> {
    for await (const status of this.connection.status()) {
      if (status.type === 'disconnect' && !this.connection.isClosed()) {
        this.state = 'reconnecting';
        this.log.warn('NATS is away; connecting again');
      } else if (status.type === 'reconnect') {
        this.state = 'connected';
        void this.announce();
      } else if (status.type === 'error') {
        // The server reports a missing permission only here; the refused request times out.
        this.log.warn({ err: status.error }, 'NATS reported an error');
      }
    }
    this.state = 'closed';
  }

  private async announce(): Promise<void> {
    try {
      await this.connection.flush();
    } catch (error) {
      // The connection broke again; the next one comes back here.
      this.log.debug({ err: error }, 'NATS went away again');
      return;
    }
    for (const listener of this.backListeners) listener();
  }

  private ready(): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const started = Date.now();
      const timer = setInterval(() => {
        const late = Date.now() - started >= this.patienceMs;
        if (!this.connected && !late) return;
        clearInterval(timer);
        this.waiting = undefined;
        if (this.connected) resolve();
        else
          reject(
            new EngineUnavailableError(this.state, `NATS has been away for ${this.patienceMs} ms or more`),
          );
      }, LOOK_EVERY_MS);
    });
  }

  /** A failure of the connection or the server, in the words that a refused caller is told. */
  unavailable(error: unknown): EngineUnavailableError {
    const message = error instanceof Error ? error.message : String(error);
    const shown =
      error instanceof errors.TimeoutError ? `NATS did not answer within ${this.patienceMs} ms` : message;
    return new EngineUnavailableError(this.state, shown, { cause: error });
  }
}

/** Nobody listens where this request was sent: a stream that is not there, or a server without JetStream. */
export function foundNobody(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return [error, cause].some((each) => each instanceof errors.RequestError && each.isNoResponders());
}
