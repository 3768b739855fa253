import { EventEmitter } from 'node:events';
import type { Msg } from '@nats-io/transport-node';
import { LRUCache } from 'lru-cache';
import type { Fqcn } from '../domain/names.js';
import type { NatsEngine } from './nats-engine.js';
import { partsOfKey, type ChannelKey, type NatsNames } from './names.js';

interface Events {
  appended: [fqcn: Fqcn | undefined];
  dropped: [key: ChannelKey | undefined];
}

/**
 * With replicas, a server that ends between storing a message and telling of it leaves a message of which nobody is told: so everybody
 * looks at everything this often.
 */
export const LOOK_EVERY_MS = 30_000;

/** Channels whose newest number is remembered. */
const MAX_TAILS = 10_000;

/**
 * What JetStream and the other brokers tell while the connection stands: that a message was stored, that a channel was removed. After
 * each new connection everybody is told to look at everything (undefined), since what was told meanwhile is gone.
 */
export class WakeUps {
  private readonly events = new EventEmitter<Events>().setMaxListeners(0);
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
    const listen = (topic: string, heard: (fqcn: Fqcn, key: ChannelKey, message: Msg) => void): void => {
      const lead = topic.length - 1;
      connection.subscribe(topic, {
        callback: (error, message) => {
          const key = error ? '' : message.subject.slice(lead);
          const fqcn = partsOfKey(key)?.fqcn;
          if (fqcn !== undefined) heard(fqcn, key as ChannelKey, message);
        },
      });
    };
    listen(this.names.appended('>'), (fqcn, key, message) => {
      this.keepTail(key, Number(message.headers?.get('Nats-Sequence')));
      this.events.emit('appended', fqcn);
    });
    listen(this.names.dropped('>'), (_, key) => {
      this.tails.delete(key);
      this.events.emit('dropped', key);
    });
    this.engine.onBack(() => {
      this.tails.clear();
      this.events.emit('dropped', undefined);
      this.events.emit('appended', undefined);
    });
    if (this.lookEveryMs !== undefined) {
      this.look = setInterval(() => this.events.emit('appended', undefined), this.lookEveryMs).unref();
    }
    await connection.flush();
  }

  stop(): void {
    clearInterval(this.look);
    this.events.removeAllListeners();
  }

  onAppended(listener: (fqcn: Fqcn | undefined) => void): () => void {
    this.events.on('appended', listener);
    return () => this.events.off('appended', listener);
  }

  onDropped(listener: (key: ChannelKey | undefined) => void): void {
    this.events.on('dropped', listener);
  }

  /** Says to every broker that a channel has a message of which they may not have been told. */
  tellAppended(key: ChannelKey): void {
    this.engine.connection.publish(this.names.appended(key));
  }

  /** Says to every broker that a channel's streams are gone. */
  tellDropped(key: ChannelKey): void {
    this.engine.connection.publish(this.names.dropped(key));
  }

  /** The number of the newest message that was heard of; a hint, never the truth. */
  tail(key: ChannelKey): number | undefined {
    return this.tails.get(key);
  }

  private keepTail(key: ChannelKey, sequence: number): void {
    if (Number.isSafeInteger(sequence)) this.tails.set(key, sequence);
  }
}
