import { FairQueue, type BatchLimit } from './fair-queue.js';

/** The items of one request to the broker. */
export interface Batch<T> {
  readonly items: readonly T[];
  readonly channels: ReadonlySet<string>;
}

/** Maximum number of requests in flight with messages of one channel: one being sent, one at the broker, one whose response arrives. */
export const MAX_IN_FLIGHT_PER_CHANNEL = 3;

/** Maximum number of requests in flight. */
const MAX_IN_FLIGHT = 8;

/** Small, so that gateway and broker work concurrently. With 64 messages the throughput is a third lower. */
const BATCH_LIMIT: BatchLimit = { messages: 16, bytes: 262_144 };

/**
 * Decides which waiting messages form the next batch, and when.
 * Channels with fewer requests in flight come first, so that a quiet channel does not wait for a busy one.
 */
export class BatchScheduler<T> {
  private readonly queue = new FairQueue<{ readonly item: T; readonly channel: string }>();
  /** Number of requests in flight by channel. */
  private readonly inFlightByChannel = new Map<string, number>();
  private inFlight = 0;

  /** Number of waiting messages. */
  get waiting(): number {
    return this.queue.length;
  }

  get waitingBytes(): number {
    return this.queue.bytes;
  }

  add(channel: string, item: T, bytes: number): void {
    this.queue.add(channel, { item, channel }, bytes);
  }

  /** @returns the next batch, which is in flight until `complete`; undefined when none may be sent now */
  next(): Batch<T> | undefined {
    if (this.queue.length === 0 || this.inFlight >= MAX_IN_FLIGHT) return undefined;
    for (let count = 0; count < MAX_IN_FLIGHT_PER_CHANNEL; count += 1) {
      const taken = this.queue.take(BATCH_LIMIT, (channel) => this.countInFlight(channel) === count);
      if (taken.length === 0) continue;
      const channels = new Set(taken.map(({ channel }) => channel));
      for (const channel of channels) this.inFlightByChannel.set(channel, this.countInFlight(channel) + 1);
      this.inFlight += 1;
      return { items: taken.map(({ item }) => item), channels };
    }
    return undefined;
  }

  complete({ channels }: Batch<T>): void {
    this.inFlight -= 1;
    for (const channel of channels) {
      const left = this.countInFlight(channel) - 1;
      if (left > 0) this.inFlightByChannel.set(channel, left);
      else this.inFlightByChannel.delete(channel);
    }
  }

  private countInFlight(channel: string): number {
    return this.inFlightByChannel.get(channel) ?? 0;
  }
}
