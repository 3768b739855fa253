import { EventEmitter } from 'node:events';
import { withProbeTimeout, type Logger } from '@ssb/platform';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { isFqcn, type Fqcn } from '../../channels/names.js';
import type { AppendListener } from '../message-log.js';
import type { RedisKeys } from './redis-keys.js';

const change = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('channel'), fqcn: z.string() }),
  z.object({ kind: z.literal('role'), address: z.string() }),
  z.object({ kind: z.literal('session'), session: z.string() }),
]);

/** What changed at some broker. A notification says only what to read again. */
export type Change = z.infer<typeof change>;

/** Undefined: anything may have changed. */
export type ChangeListener = (change: Change | undefined) => void;

export function encodeChange(value: Change): string {
  return JSON.stringify(value);
}

function parseChange(text: string): Change | undefined {
  try {
    return change.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

interface Events {
  appended: [fqcn: Fqcn | undefined];
  changed: [change: Change | undefined];
}

/** A dead connection without an error would stop all pushes, so it is pinged this often. */
const PING_INTERVAL_MS = 5_000;

/**
 * Pub/sub between brokers, over a Redis connection of its own. After every (re)connection it subscribes again, and listeners get
 * `undefined` (check everything), as notifications sent meanwhile are lost.
 */
export class ChangeNotifications {
  private readonly events = new EventEmitter<Events>().setMaxListeners(0);
  private pingTimer: NodeJS.Timeout | undefined;
  private subscribed = false;

  constructor(
    private readonly redis: Redis,
    private readonly keys: RedisKeys,
    private readonly log: Logger,
  ) {}

  /** Resolves once subscribed. */
  async start(): Promise<void> {
    this.redis.on('message', (topic: string, text: string) => this.receive(topic, text));
    const firstSubscription = new Promise<void>((resolve) => {
      const subscribe = () => void this.subscribe().then(resolve, () => undefined);
      this.redis.on('ready', subscribe);
      if (this.redis.status === 'ready') subscribe();
    });
    this.redis.on('close', () => (this.subscribed = false));
    this.pingTimer = setInterval(() => void this.ping(), PING_INTERVAL_MS).unref();
    await firstSubscription;
  }

  /** Closes the connection too. */
  stop(): void {
    clearInterval(this.pingTimer);
    this.events.removeAllListeners();
    this.redis.disconnect();
  }

  get isSubscribed(): boolean {
    return this.subscribed;
  }

  /** @returns removes the listener */
  onAppended(listener: AppendListener): () => void {
    this.events.on('appended', listener);
    return () => this.events.off('appended', listener);
  }

  /** @returns removes the listener */
  onChanged(listener: ChangeListener): () => void {
    this.events.on('changed', listener);
    return () => this.events.off('changed', listener);
  }

  private async subscribe(): Promise<void> {
    try {
      await this.redis.subscribe(this.keys.appended, this.keys.changed);
    } catch (error) {
      // The connection broke again; its next `ready` subscribes again.
      this.log.warn({ err: error }, 'notification subscription failed');
      throw error;
    }
    this.subscribed = true;
    this.events.emit('changed', undefined);
    this.events.emit('appended', undefined);
  }

  private receive(topic: string, text: string): void {
    if (topic === this.keys.appended) {
      if (isFqcn(text)) this.events.emit('appended', text);
      return;
    }
    const parsed = parseChange(text);
    // A broker of another version may have sent it. Its text is not logged, as it can hold anything.
    if (!parsed) this.log.warn({ length: text.length }, 'unknown change notification');
    this.events.emit('changed', parsed);
  }

  private async ping(): Promise<void> {
    if (!this.subscribed) return;
    try {
      await withProbeTimeout(() => this.redis.ping());
    } catch (error) {
      // The connection closed meanwhile, and ioredis reconnects by itself.
      if (!this.subscribed) return;
      this.log.warn({ err: error }, 'notification connection timed out');
      this.redis.disconnect(true);
    }
  }
}
