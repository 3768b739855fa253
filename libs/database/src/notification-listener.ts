import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { failure } from './connection.js';
import type { DatabaseNotice } from './database.js';

/** Receives notifications. All three are called without waiting for them; none may throw. */
export interface Listener {
  /** In the order of commits. */
  readonly received: (payload: string) => void;
  /** The connection is gone: what is notified from now on, and perhaps shortly before, is missed. */
  readonly lost: () => void;
  /** Listening again; what was missed meanwhile does not come. */
  readonly regained: () => void;
}

/** Ends the listening. Harmless when repeated. */
export type StopListening = () => Promise<void>;

const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 5_000;
/** How often a silent connection is probed, and how long its answer may take. */
const HEARTBEAT_MS = 10_000;
const HEARTBEAT_TIMEOUT_MS = 5_000;

/**
 * Listens on a connection of its own, opened with the first listener. A broken one is opened again until that succeeds, with growing pauses;
 * listeners are notified of both.
 */
export class NotificationListener {
  private readonly listeners = new Map<string, Set<Listener>>();
  private readonly ending = new AbortController();
  private client: pg.Client | undefined;
  private opening: Promise<void> | undefined;
  private heartbeat: NodeJS.Timeout | undefined;
  private reopening: Promise<void> | undefined;

  constructor(
    private readonly newClient: () => pg.Client,
    private readonly onNotice: (notice: DatabaseNotice) => void,
  ) {}

  /** @throws DatabaseUnavailableError when the server cannot be reached now */
  async listen(channel: string, listener: Listener): Promise<StopListening> {
    const listeners = this.listeners.get(channel) ?? new Set();
    this.listeners.set(channel, listeners.add(listener));
    try {
      if (this.client === undefined) await (this.opening ??= this.open());
      else await this.client.query(`LISTEN ${channel}`);
    } catch (error) {
      listeners.delete(listener);
      throw failure(error);
    }
    return async () => {
      if (!listeners.delete(listener) || listeners.size > 0) return;
      this.listeners.delete(channel);
      // Without a connection there is nothing to end; a new one listens to the channels that are left.
      await this.client?.query(`UNLISTEN ${channel}`).catch(() => undefined);
    };
  }

  async close(): Promise<void> {
    this.ending.abort();
    this.listeners.clear();
    await Promise.allSettled([this.opening, this.reopening]);
    await this.drop()?.end();
  }

  private async open(): Promise<void> {
    const client = this.newClient();
    client.on('error', (error) => this.lose(client, error.message));
    client.on('end', () => this.lose(client, 'the server closed the connection'));
    client.on('notification', ({ channel, payload = '' }) => {
      for (const { received } of this.listeners.get(channel) ?? []) received(payload);
    });
    try {
      await client.connect();
      for (const channel of this.listeners.keys()) await client.query(`LISTEN ${channel}`);
      this.client = client;
      this.beat(client);
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    } finally {
      this.opening = undefined;
    }
  }

  /** A connection whose other end vanished stays silent: only a statement without an answer shows it. */
  private beat(client: pg.Client): void {
    this.heartbeat = setInterval(() => {
      const late = setTimeout(() => this.lose(client, 'no answer to a heartbeat'), HEARTBEAT_TIMEOUT_MS);
      client
        .query('SELECT 1')
        .catch(() => undefined)
        .finally(() => clearTimeout(late));
    }, HEARTBEAT_MS);
    this.heartbeat.unref();
  }

  private lose(client: pg.Client, reason: string): void {
    if (client !== this.client) return;
    this.drop();
    client.end().catch(() => undefined);
    this.onNotice({ what: 'listening-lost', reason });
    for (const { lost } of this.all()) lost();
    this.reopening ??= this.reopen().finally(() => (this.reopening = undefined));
  }

  private async reopen(): Promise<void> {
    for (let wait = FIRST_PAUSE_MS; !this.ending.signal.aborted; wait = Math.min(2 * wait, MAX_PAUSE_MS)) {
      try {
        // A new listener may have opened the connection meanwhile.
        if (this.client === undefined) await (this.opening ??= this.open());
        this.onNotice({ what: 'listening-again' });
        for (const { regained } of this.all()) regained();
        return;
      } catch {
        // Already reported as lost.
        await pause(wait, undefined, { signal: this.ending.signal }).catch(() => undefined);
      }
    }
  }

  private all(): Listener[] {
    return [...this.listeners.values()].flatMap((listeners) => [...listeners]);
  }

  private drop(): pg.Client | undefined {
    clearInterval(this.heartbeat);
    const { client } = this;
    this.client = undefined;
    return client;
  }
}
