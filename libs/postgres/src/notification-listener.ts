import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import type { ConnectionEvent } from './connection.js';
import { endsSession, toDatabaseError } from './errors.js';

/** Receives the notifications of a channel. Its methods are called without waiting for them, and must not throw. */
export interface NotificationHandler {
  /** Called in the order of commits. */
  readonly received: (payload: string) => void;
  /** The connection is lost: notifications are missed from now on, and perhaps shortly before. */
  readonly lost: () => void;
  /** Listening again. Missed notifications do not arrive. */
  readonly regained: () => void;
}

/** Ends the listening. Harmless when repeated. */
export type StopListening = () => Promise<void>;

const MIN_PAUSE_MS = 100;
const MAX_PAUSE_MS = 5_000;
/** Interval of the probes of a silent connection. */
const HEARTBEAT_MS = 10_000;
const HEARTBEAT_TIMEOUT_MS = 5_000;

/**
 * Listens on its own connection, which it opens with the first handler. It reopens a broken connection with growing pauses, and reports
 * both to the handlers.
 */
export class NotificationListener {
  private readonly handlers = new Map<string, Set<NotificationHandler>>();
  private readonly closing = new AbortController();
  private client: pg.Client | undefined;
  private opening: Promise<void> | undefined;
  private heartbeat: NodeJS.Timeout | undefined;
  private reopening: Promise<void> | undefined;

  constructor(
    private readonly createClient: () => pg.Client,
    private readonly onConnectionEvent: (event: ConnectionEvent) => void,
  ) {}

  /** @throws DatabaseUnavailableError when the server is unavailable now */
  async listen(channel: string, handler: NotificationHandler): Promise<StopListening> {
    const handlers = this.handlers.get(channel) ?? new Set();
    this.handlers.set(channel, handlers.add(handler));
    try {
      if (this.client === undefined) await (this.opening ??= this.open());
      else await this.client.query(`LISTEN ${channel}`);
    } catch (error) {
      handlers.delete(handler);
      const thrown = toDatabaseError(error);
      if (this.client !== undefined && endsSession(thrown)) this.handleLoss(this.client, describe(thrown));
      throw thrown;
    }
    return async () => {
      if (!handlers.delete(handler) || handlers.size > 0) return;
      this.handlers.delete(channel);
      // Without a connection there is nothing to end: a new one listens to the remaining channels.
      const { client } = this;
      await client?.query(`UNLISTEN ${channel}`).catch((error) => this.handleLoss(client, describe(error)));
    };
  }

  async close(): Promise<void> {
    this.closing.abort();
    this.handlers.clear();
    await Promise.allSettled([this.opening, this.reopening]);
    await this.removeClient()?.end();
  }

  private async open(): Promise<void> {
    const client = this.createClient();
    client.on('error', (error) => this.handleLoss(client, error.message));
    client.on('end', () => this.handleLoss(client, 'the server closed the connection'));
    client.on('notification', ({ channel, payload = '' }) => {
      for (const { received } of this.handlers.get(channel) ?? []) received(payload);
    });
    try {
      await client.connect();
      for (const channel of this.handlers.keys()) await client.query(`LISTEN ${channel}`);
      this.client = client;
      this.startHeartbeat(client);
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    } finally {
      this.opening = undefined;
    }
  }

  /** When the host vanishes, the connection only stays silent. A probe without a response shows it, and so does one that fails. */
  private startHeartbeat(client: pg.Client): void {
    this.heartbeat = setInterval(() => {
      const timer = setTimeout(
        () => this.handleLoss(client, 'no response to a heartbeat'),
        HEARTBEAT_TIMEOUT_MS,
      );
      client
        .query('SELECT 1')
        .catch((error: unknown) => this.handleLoss(client, describe(error)))
        .finally(() => clearTimeout(timer));
    }, HEARTBEAT_MS);
    this.heartbeat.unref();
  }

  private handleLoss(client: pg.Client, reason: string): void {
    if (client !== this.client) return;
    this.removeClient();
    client.end().catch(() => undefined);
    this.onConnectionEvent({ what: 'listening-lost', reason });
    for (const { lost } of this.allHandlers()) lost();
    this.reopening ??= this.reopen().finally(() => (this.reopening = undefined));
  }

  private async reopen(): Promise<void> {
    for (let wait = MIN_PAUSE_MS; !this.closing.signal.aborted; wait = Math.min(2 * wait, MAX_PAUSE_MS)) {
      try {
        // A new handler may have opened the connection meanwhile.
        if (this.client === undefined) await (this.opening ??= this.open());
        this.onConnectionEvent({ what: 'listening-again' });
        for (const { regained } of this.allHandlers()) regained();
        return;
      } catch {
        // The loss is reported already.
        await pause(wait, undefined, { signal: this.closing.signal }).catch(() => undefined);
      }
    }
  }

  private allHandlers(): NotificationHandler[] {
    return [...this.handlers.values()].flatMap((handlers) => [...handlers]);
  }

  private removeClient(): pg.Client | undefined {
    clearInterval(this.heartbeat);
    const { client } = this;
    this.client = undefined;
    return client;
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
