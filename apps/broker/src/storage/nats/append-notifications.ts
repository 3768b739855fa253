import { LRUCache } from 'lru-cache';
import type { Fqcn } from '../../channels/names.js';
import type { NatsEngine } from './nats-engine.js';
import { partsOfKey, type ChannelKey, type NatsNames } from './nats-names.js';

type Wake = (fqcn: Fqcn | undefined) => void;

/**
 * With replicas, a server that ends between storing a message and telling of it leaves a message of which nobody is told: so everybody
 * looks at everything this often.
 */
export const LOOK_EVERY_MS = 30_000;

/** Channels whose newest number is remembered. */
const MAX_TAILS = 10_000;

/**
 * Notifies of each message that JetStream has stored. After each new connection every listener is told to look at everything
 * (undefined), since notifications sent meanwhile are lost.
 */
export class WakeUps {
  private readonly listeners = new Set<Wake>();
  private look: NodeJS.Timeout | undefined;
  private readonly tails = new LRUCache<ChannelKey, number>({ max: MAX_TAILS });

  constructor(
    private readonly engine: NatsEngine,
    private readonly names: NatsNames,
    /** How often everybody looks at everything without being told to; undefined: never. */
    private readonly lookEveryMs: number | undefined,
  ) {}

  /** Resolves when wake-ups flow. */
  async start(): Promise<void> {
    const { connection } = this.engine;
    const topic = this.names.appended('>');
    connection.subscribe(topic, {
      callback: (error, message) => {
        const key = error ? '' : message.subject.slice(topic.length - 1);
        const fqcn = partsOfKey(key)?.fqcn;
        if (fqcn === undefined) return;
        const sequence = Number(message.headers?.get('Nats-Sequence'));
        if (Number.isSafeInteger(sequence)) this.tails.set(key as ChannelKey, sequence);
        this.wake(fqcn);
      },
    });
    this.engine.onBack(() => {
      this.tails.clear();
      this.wake(undefined);
    });
    if (this.lookEveryMs !== undefined) {
      this.look = setInterval(() => this.wake(undefined), this.lookEveryMs).unref();
    }
    await connection.flush();
  }

  stop(): void {
    clearInterval(this.look);
    this.listeners.clear();
  }

  onAppended(listener: Wake): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Says to every broker that a channel has a message of which they may not have been told. */
  tellAppended(key: ChannelKey): void {
    this.engine.connection.publish(this.names.appended(key));
  }

  /** The number of the newest message that was heard of; a hint, never the truth. */
  tail(key: ChannelKey): number | undefined {
    return this.tails.get(key);
  }

  private wake(fqcn: Fqcn | undefined): void {
    for (const listener of this.listeners) listener(fqcn);
  }
}
