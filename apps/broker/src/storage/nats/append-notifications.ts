import { LRUCache } from 'lru-cache';
import type { Fqcn } from '../../channels/names.js';
import type { AppendListener } from '../message-log.js';
import type { NatsEngine } from './nats-engine.js';
import { parseChannelKey, type ChannelKey, type NatsNames } from './nats-names.js';

/** A server of a cluster can crash after it stores a message but before it notifies, so all channels are checked this often. */
export const FULL_CHECK_INTERVAL_MS = 30_000;

const MAX_CHANNELS = 10_000;

/**
 * Notifies listeners of each message that JetStream has stored.
 * After a reconnection listeners get undefined (check every channel), because notifications were lost.
 */
export class AppendNotifications {
  private readonly listeners = new Set<AppendListener>();
  private fullCheckTimer: NodeJS.Timeout | undefined;
  private readonly newestSequences = new LRUCache<ChannelKey, number>({ max: MAX_CHANNELS });

  constructor(
    private readonly engine: NatsEngine,
    private readonly names: NatsNames,
    /** How often listeners are notified to check every channel; never when undefined. */
    private readonly fullCheckIntervalMs: number | undefined,
  ) {}

  /** Resolves once subscribed. */
  async start(): Promise<void> {
    const { connection } = this.engine;
    const subject = this.names.appendedSubject('>');
    connection.subscribe(subject, {
      callback: (error, message) => {
        const key = error ? '' : message.subject.slice(subject.length - 1);
        const fqcn = parseChannelKey(key)?.fqcn;
        if (fqcn === undefined) return;
        const sequence = Number(message.headers?.get('Nats-Sequence'));
        if (Number.isSafeInteger(sequence)) this.newestSequences.set(key as ChannelKey, sequence);
        this.notify(fqcn);
      },
    });
    this.engine.onReconnected(() => {
      this.newestSequences.clear();
      this.notify(undefined);
    });
    if (this.fullCheckIntervalMs !== undefined) {
      this.fullCheckTimer = setInterval(() => this.notify(undefined), this.fullCheckIntervalMs).unref();
    }
    await connection.flush();
  }

  stop(): void {
    clearInterval(this.fullCheckTimer);
    this.listeners.clear();
  }

  /** @returns a function that removes the listener */
  onAppended(listener: AppendListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Repeats the notification of a message to every broker, because the first one may be lost. */
  publishAppended(key: ChannelKey): void {
    this.engine.connection.publish(this.names.appendedSubject(key));
  }

  /** The newest sequence number that a notification reported. The stream may already have a newer one. */
  getNewestSequence(key: ChannelKey): number | undefined {
    return this.newestSequences.get(key);
  }

  private notify(fqcn: Fqcn | undefined): void {
    for (const listener of this.listeners) listener(fqcn);
  }
}
