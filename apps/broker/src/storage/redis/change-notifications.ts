import { withProbeTimeout, type Logger } from '@ssb/platform';
import { z } from 'zod';
import { isFqcn } from '../../channels/names.js';
import type { AppendListener } from '../message-log.js';
import type { RedisKeys } from './redis-keys.js';
import type { RedisConnection } from '@ssb/redis-queue/redis';

const change = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('channel'), fqcn: z.string() }),
  z.object({ kind: z.literal('role'), address: z.string() }),
  z.object({ kind: z.literal('session'), session: z.string() }),
]);

/** Names what changed at a broker. Listeners read the new value from Redis. */
export type Change = z.infer<typeof change>;

/** Undefined: anything may have changed. */
export type ChangeListener = (change: Change | undefined) => void;

/** The data that a subscription depends on. */
export interface SubscriptionScope {
  /** Address of the identity, in lower case. */
  readonly address: string;
  readonly session: string;
  /** Undefined: every channel. */
  readonly channels: readonly string[] | undefined;
}

/** Whether a change can affect a subscription. Undefined: anything may have changed. */
export function isAffectedBy(change: Change | undefined, scope: SubscriptionScope): boolean {
  switch (change?.kind) {
    case undefined:
      return true;
    case 'role':
      return change.address === scope.address;
    case 'session':
      return change.session === scope.session;
    case 'channel':
      return scope.channels === undefined || scope.channels.includes(change.fqcn);
  }
}

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

/** The connection is pinged this often, because one that fails without an error would stop all notifications. */
const PING_INTERVAL_MS = 5_000;

/**
 * Pub/sub between brokers on a separate Redis connection.
 * After each (re)connection listeners get `undefined` (check everything), because notifications sent before are lost.
 */
export class ChangeNotifications {
  /** One for each subscription, so a Set: an EventEmitter takes longer to notify many listeners. */
  private readonly appendListeners = new Set<AppendListener>();
  private readonly changeListeners = new Set<ChangeListener>();
  private pingTimer: NodeJS.Timeout | undefined;
  private subscribed = false;

  constructor(
    private readonly redis: RedisConnection,
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

  /** Also closes the connection. */
  stop(): void {
    clearInterval(this.pingTimer);
    this.appendListeners.clear();
    this.changeListeners.clear();
    this.redis.disconnect();
  }

  get isSubscribed(): boolean {
    return this.subscribed;
  }

  /** @returns a function that removes the listener */
  onAppended(listener: AppendListener): () => void {
    this.appendListeners.add(listener);
    return () => this.appendListeners.delete(listener);
  }

  /** @returns a function that removes the listener */
  onChanged(listener: ChangeListener): () => void {
    this.changeListeners.add(listener);
    return () => this.changeListeners.delete(listener);
  }

  private async subscribe(): Promise<void> {
    try {
      await this.redis.subscribe(this.keys.appended, this.keys.changed);
    } catch (error) {
      // The connection was lost again. Its next `ready` event subscribes again.
      this.log.warn({ err: error }, 'notification subscription failed');
      throw error;
    }
    this.subscribed = true;
    for (const notify of this.changeListeners) notify(undefined);
    for (const notify of this.appendListeners) notify(undefined);
  }

  private receive(topic: string, text: string): void {
    if (topic === this.keys.appended) {
      if (!isFqcn(text)) return;
      for (const notify of this.appendListeners) notify(text);
      return;
    }
    const parsed = parseChange(text);
    // Another version may have sent it. The text is not logged, because it may contain anything.
    if (!parsed) this.log.warn({ length: text.length }, 'unknown change notification');
    for (const notify of this.changeListeners) notify(parsed);
  }

  private async ping(): Promise<void> {
    if (!this.subscribed) return;
    try {
      await withProbeTimeout(() => this.redis.ping());
    } catch (error) {
      // The connection closed in the meantime, and ioredis reconnects by itself.
      if (!this.subscribed) return;
      this.log.warn({ err: error }, 'notification connection timed out');
      this.redis.disconnect(true);
    }
  }
}
