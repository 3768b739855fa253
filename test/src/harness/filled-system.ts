import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DetectedEvent, TOPIC_BY_EVENT_TYPE } from '@ssb/events';
import { type AccessToken, createAccessToken } from '@ssb/keys';
import { openEventQueue } from '@ssb/redis-queue';
import { waitFor } from '@ssb/testing';
import { CHANNEL, signedEvent } from '@ssb/testing/signed-messages';
import { Redis } from 'ioredis';
import { stringify } from 'yaml';
import { archiveEveryType, startSystem } from '../examples/every-type.js';
import { PARTICIPANT, type RunningSystem } from './running-system.js';

const DAY_MS = 86_400_000;
/** Its tests need the processor more than news of the market. */
const POLL_INTERVAL_MS = 2_000;
const DEAD_LETTERS = 60;
const FORGED_MESSAGES = 3;
const SILENCES = 3;

/** A running system whose archive API has something in each listing. */
export class FilledSystem {
  private constructor(
    readonly running: RunningSystem,
    /** API_ACCESS_FILE. */
    readonly accessFile: string,
    readonly tokens: { readonly operator: string; readonly viewer: string; readonly limited: string },
  ) {}

  /** @param folder for API_ACCESS_FILE */
  static async start(folder: string): Promise<FilledSystem> {
    const accessFile = join(folder, 'access.yaml');
    const entries: AccessToken[] = [];
    const create = (name: string, role: AccessToken['role'], participants: 'all' | string[]): string => {
      const now = new Date();
      const expiresAt = new Date(now.getTime() + DAY_MS);
      const { text, entry } = createAccessToken({ name, role, participants, expiresAt }, now);
      entries.push(entry);
      return text;
    };
    const tokens = {
      operator: create('olivia', 'operator', 'all'),
      viewer: create('victor', 'viewer', 'all'),
      limited: create('wendy', 'operator', [PARTICIPANT]),
    };
    writeFileSync(accessFile, stringify({ tokens: entries }), { mode: 0o600 });
    const api = {
      API_ACCESS_FILE: accessFile,
      CALLER_REQUESTS_PER_SECOND: '10000',
      CALLER_CONCURRENT_REQUESTS: '1000',
    };
    const running = await startSystem({ api }, { pollIntervalMs: POLL_INTERVAL_MS });
    const system = new FilledSystem(running, accessFile, tokens);
    try {
      await system.fill();
      return system;
    } catch (error) {
      await running.stop();
      throw error;
    }
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${this.running.system.plan.ports.api}`;
  }

  stop(): Promise<void> {
    return this.running.stop();
  }

  private async fill(): Promise<void> {
    const archived = new Set<string>();
    for await (const { type } of archiveEveryType(this.running)) {
      archived.add(type);
      // The third part takes longer, and adds no other kind of row.
      if (type === 'settlementbus.timeline.changed.v1') break;
    }
    await Promise.all([this.addDeadLetters(), this.addQuarantinedMessages(), this.addRequests()]);
    for (const path of LISTINGS)
      await waitFor(
        `the rows of ${path}`,
        async () => (await this.get(`/v1/${path}`)).items.length >= (ROWS[path] ?? 1),
      );
  }

  private async addDeadLetters(): Promise<void> {
    const redis = new Redis(this.running.redis.url, { maxRetriesPerRequest: null });
    const queue = openEventQueue({ redis, keys: this.running.integrityKeys() });
    const type = 'settlementbus.statement.published.v1';
    const events = Array.from({ length: DEAD_LETTERS }, (_, number) => {
      const id = `0b5e3a0e-5f6c-4d7e-8a9b-${String(number).padStart(12, '0')}`;
      return { specversion: '1.0', id, type, participant: PARTICIPANT } as DetectedEvent;
    });
    try {
      await queue.enqueue(events);
    } finally {
      await queue.close();
      redis.disconnect();
    }
  }

  /** Their bridge is not trusted. */
  private async addQuarantinedMessages(): Promise<void> {
    const gateway = this.running.system.gatewayClient('publisher');
    try {
      for (let number = 0; number < FORGED_MESSAGES; number += 1)
        await gateway.sendMessage({
          fqcn: CHANNEL,
          topic: TOPIC_BY_EVENT_TYPE['settlementbus.margin.breached.v1'],
          payload: JSON.stringify(signedEvent({ fact: { calculatedAt: `2026-03-02T00:00:0${number}` } })),
        });
    } finally {
      await gateway.close();
    }
  }

  private async addRequests(): Promise<void> {
    const silence = { comment: 'maintenance', matchers: { types: ['position.*'] }, for: '1h' };
    for (let number = 0; number < SILENCES; number += 1) await this.post('/v1/silences?wait=30', silence);
    const from = new Date(Date.now() - 3 * DAY_MS).toISOString().slice(0, 10);
    await this.post('/v1/backfills', { participant: PARTICIPANT, from });
  }

  /** As the operator. */
  get<T = Listing>(path: string): Promise<T> {
    return this.send(path);
  }

  /** As the operator. */
  async post(path: string, body: object): Promise<void> {
    await this.send(path, { method: 'POST', body: JSON.stringify(body) });
  }

  private async send<T>(path: string, init: RequestInit = {}): Promise<T> {
    const headers = { authorization: `Bearer ${this.tokens.operator}`, 'content-type': 'application/json' };
    const response = await fetch(this.baseUrl + path, { ...init, headers });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }
}

export interface Listing {
  readonly items: readonly { readonly id: string }[];
  readonly next?: string;
}

/** Listings of the API below /v1. */
export const LISTINGS = [
  ...[
    'audit',
    'backfills',
    'dead-letters',
    'deliveries',
    'events',
    'invoices',
    'payments',
    'positions',
    'problems',
  ],
  ...['quarantine', 'requests', 'settlement-calendar', 'silences', 'sinks', 'trusted-keys'],
];

/** Rows of the listings whose rows are added by other processes, one after the other. */
const ROWS: Readonly<Record<string, number>> = {
  'dead-letters': DEAD_LETTERS,
  quarantine: FORGED_MESSAGES,
  silences: SILENCES,
};
