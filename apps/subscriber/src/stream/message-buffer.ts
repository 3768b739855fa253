import type { Message } from '@ssb/bus';
import { LeaseLostError } from '../replica/reader-lease.js';
import { StoppedBeforeStoredError } from '../storage/retry-until-stored.js';
import { BatchProcessor } from './batch-processor.js';

export type Acknowledge = (ids: string[]) => void;

/** Works on one group of messages; when it resolves, every one of them is stored and may be acknowledged. */
export type StoreGroup = (messages: Message[]) => Promise<void>;

interface Delivery {
  readonly message: Message;
  /** Of the connection that delivered the message last: an acknowledgement counts only there. */
  acknowledge: Acknowledge;
}

/**
 * Messages between the gateway's stream and the database. A message is acknowledged only after its group is stored, so the
 * gateway never has more than its window out: while the database is away the intake stands still by itself. What a new
 * connection delivers again while the first copy still waits is not taken twice, which keeps the intake within the window.
 */
export class Intake {
  private readonly held = new Map<string, Delivery>();
  private readonly batches: BatchProcessor<Delivery>;

  constructor(store: StoreGroup, limit: number) {
    this.batches = new BatchProcessor(async (group) => {
      if (await stored(store, group)) this.release(group);
    }, limit);
  }

  /** How many messages are held, waiting or being stored. */
  get size(): number {
    return this.held.size;
  }

  offer(messages: readonly Message[], acknowledge: Acknowledge): void {
    const news: Delivery[] = [];
    for (const message of messages) {
      const again = this.held.get(keyOf(message));
      if (again !== undefined) {
        again.acknowledge = acknowledge;
        continue;
      }
      const delivery: Delivery = { message, acknowledge };
      this.held.set(keyOf(message), delivery);
      news.push(delivery);
    }
    this.batches.add(news);
  }

  /** Lets the group in hand be stored and acknowledged, and takes nothing more. */
  stop(): Promise<void> {
    return this.batches.stop();
  }

  idle(): Promise<void> {
    return this.batches.idle();
  }

  private release(group: readonly Delivery[]): void {
    const idsOf = new Map<Acknowledge, string[]>();
    for (const { message, acknowledge } of group) {
      this.held.delete(keyOf(message));
      const ids = idsOf.get(acknowledge);
      if (ids === undefined) idsOf.set(acknowledge, [message.id]);
      else ids.push(message.id);
    }
    for (const [acknowledge, ids] of idsOf) acknowledge(ids);
  }
}

/** False when the reader stopped, or lost its lease, before it could write: the group stays unacknowledged and is delivered again. */
async function stored(store: StoreGroup, group: readonly Delivery[]): Promise<boolean> {
  try {
    await store(group.map(({ message }) => message));
    return true;
  } catch (error) {
    if (error instanceof StoppedBeforeStoredError || error instanceof LeaseLostError) return false;
    throw error;
  }
}

function keyOf({ fqcn, id }: Message): string {
  return `${fqcn}\n${id}`;
}
