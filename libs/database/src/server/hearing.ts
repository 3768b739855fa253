import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import type { Listener, StopListening } from '../database.js';
import { failure } from './connection.js';
import type { DatabaseNotice } from '../open-database.js';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
/** How often a silent connection is asked whether it still is one, and how long its answer may take. */
const HEARTBEAT_MS = 10_000;
const HEARTBEAT_ANSWER_MS = 5_000;

/**
 * Hears notifications on a connection of its own, opened with the first listener. When it breaks, every listener is told at once,
 * it is opened again for as long as it takes, with growing pauses, and every listener is told that it hears again.
 */
export class Hearing {
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
      // Without a connection there is nothing to end, and a new one asks for what is wanted then.
      await this.client?.query(`UNLISTEN ${channel}`).catch(() => undefined);
    };
  }

  async close(): Promise<void> {
    this.ending.abort();
    this.listeners.clear();
    await this.reopening;
    await this.drop()?.end();
  }

  private async open(): Promise<void> {
    const client = this.newClient();
    client.on('error', (error) => this.lose(client, error.message));
    client.on('end', () => this.lose(client, 'the server closed the connection'));
    client.on('notification', ({ channel, payload = '' }) => {
      for (const { heard } of this.listeners.get(channel) ?? []) heard(payload);
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

  /** A connection whose other end vanished without a word stays silent for ever: so it is asked. */
  private beat(client: pg.Client): void {
    this.heartbeat = setInterval(() => {
      const late = setTimeout(() => this.lose(client, 'no answer to a heartbeat'), HEARTBEAT_ANSWER_MS);
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
    for (const { lost } of this.everyone()) lost();
    this.reopening = this.reopen().finally(() => (this.reopening = undefined));
  }

  private async reopen(): Promise<void> {
    for (
      let wait = FIRST_PAUSE_MS;
      !this.ending.signal.aborted;
      wait = Math.min(2 * wait, LONGEST_PAUSE_MS)
    ) {
      try {
        await this.open();
        this.onNotice({ what: 'listening-again' });
        for (const { regained } of this.everyone()) regained();
        return;
      } catch {
        // Told already, and told again when it is over.
        await pause(wait, undefined, { signal: this.ending.signal }).catch(() => undefined);
      }
    }
  }

  private everyone(): Listener[] {
    return [...this.listeners.values()].flatMap((listeners) => [...listeners]);
  }

  private drop(): pg.Client | undefined {
    clearInterval(this.heartbeat);
    const { client } = this;
    this.client = undefined;
    return client;
  }
}
