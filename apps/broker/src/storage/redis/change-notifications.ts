import { EventEmitter } from 'node:events';
import type { Redis } from 'ioredis';
import { answerInTime, type Logger } from '@ssb/platform';
import { z } from 'zod';
import { isFqcn, type Fqcn } from '../../channels/names.js';
import type { Keys } from './redis-keys.js';

const change = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('channel'), fqcn: z.string() }),
  z.object({ kind: z.literal('role'), address: z.string() }),
  z.object({ kind: z.literal('session'), session: z.string() }),
]);

/** What changed at some broker. A notice only says where to look: the truth is what is stored. */
export type Change = z.infer<typeof change>;

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

/** A dead connection that never says so would silence the pushes; this is how often it is asked for a sign of life. */
const PROBE_EVERY_MS = 5_000;

/**
 * Wake-ups between brokers, over a Redis connection of its own. After every (re)connection the subscription is made anew and then everybody
 * is told to look at everything (`undefined`), since notices sent meanwhile are gone.
 */
export class Notices {
  private readonly events = new EventEmitter<Events>().setMaxListeners(0);
  private probe: NodeJS.Timeout | undefined;
  private listening = false;

  constructor(
    private readonly redis: Redis,
    private readonly keys: Keys,
    private readonly log: Logger,
  ) {}

  /** Subscribes; resolves when notices flow. */
  async start(): Promise<void> {
    this.redis.on('message', (topic: string, text: string) => this.receive(topic, text));
    const subscribed = new Promise<void>((resolve) => {
      const subscribe = () => void this.subscribe().then(resolve, () => undefined);
      this.redis.on('ready', subscribe);
      if (this.redis.status === 'ready') subscribe();
    });
    this.redis.on('close', () => (this.listening = false));
    this.probe = setInterval(() => void this.prove(), PROBE_EVERY_MS).unref();
    await subscribed;
  }

  /** Ends the connection too. */
  stop(): void {
    clearInterval(this.probe);
    this.events.removeAllListeners();
    this.redis.disconnect();
  }

  /** Notices are flowing. */
  get alive(): boolean {
    return this.listening;
  }

  onAppended(listener: (fqcn: Fqcn | undefined) => void): () => void {
    this.events.on('appended', listener);
    return () => this.events.off('appended', listener);
  }

  onChanged(listener: (change: Change | undefined) => void): () => void {
    this.events.on('changed', listener);
    return () => this.events.off('changed', listener);
  }

  private async subscribe(): Promise<void> {
    try {
      await this.redis.subscribe(this.keys.appended, this.keys.changed);
    } catch (error) {
      // The connection broke again; its next `ready` comes back here.
      this.log.warn({ err: error }, 'subscribing to wake-ups failed; trying again when Redis is back');
      throw error;
    }
    this.listening = true;
    this.events.emit('changed', undefined);
    this.events.emit('appended', undefined);
  }

  private receive(topic: string, text: string): void {
    if (topic === this.keys.appended) {
      if (isFqcn(text)) this.events.emit('appended', text);
      return;
    }
    const change = parseChange(text);
    // Of another version's broker, or of somebody else on this Redis. It may stand for any change, and its text is nobody's to log.
    if (!change)
      this.log.warn(
        { length: text.length },
        'a notice is none that this broker knows: looking at everything',
      );
    this.events.emit('changed', change);
  }

  private async prove(): Promise<void> {
    if (!this.listening) return;
    try {
      await answerInTime(() => this.redis.ping());
    } catch (error) {
      // It broke, and opens again by itself.
      if (!this.listening) return;
      this.log.warn({ err: error }, 'the wake-up connection does not answer; opening it again');
      this.redis.disconnect(true);
    }
  }
}
