import type { Message } from '@ssb/bus';
import { LeaseLostError } from '../replica/reader-lease.js';
import { StoppedBeforeStoredError } from '../storage/retry-until-stored.js';
import { BatchProcessor } from './batch-processor.js';

export type Acknowledge = (ids: string[]) => void;

/** Stores a group of messages; they may be acknowledged when it resolves. */
export type StoreGroup = (messages: Message[]) => Promise<void>;

interface BufferedMessage {
  readonly message: Message;
  /** Acknowledges on the connection that delivered the message last; others ignore it. */
  acknowledge: Acknowledge;
}

/**
 * Holds messages between the gateway's stream and the database, and acknowledges them after they are stored. The gateway sends at most its
 * window ahead, so the buffer stays bounded while the database is unavailable.
 */
export class MessageBuffer {
  private readonly buffered = new Map<string, BufferedMessage>();
  private readonly batches: BatchProcessor<BufferedMessage>;

  constructor(store: StoreGroup, limit: number) {
    this.batches = new BatchProcessor(async (group) => {
      if (await tryStore(store, group)) this.acknowledge(group);
    }, limit);
  }

  /** Number of messages that are waiting or being stored. */
  get size(): number {
    return this.buffered.size;
  }

  /** Adds messages. One that is already buffered, because a new connection delivers it again, is not added twice. */
  add(messages: readonly Message[], acknowledge: Acknowledge): void {
    const added: BufferedMessage[] = [];
    for (const message of messages) {
      const existing = this.buffered.get(keyOf(message));
      if (existing !== undefined) {
        existing.acknowledge = acknowledge;
        continue;
      }
      const entry: BufferedMessage = { message, acknowledge };
      this.buffered.set(keyOf(message), entry);
      added.push(entry);
    }
    this.batches.add(added);
  }

  /** Stores and acknowledges the current group, and drops the others. */
  stop(): Promise<void> {
    return this.batches.stop();
  }

  idle(): Promise<void> {
    return this.batches.idle();
  }

  private acknowledge(group: readonly BufferedMessage[]): void {
    const idsByConnection = new Map<Acknowledge, string[]>();
    for (const { message, acknowledge } of group) {
      this.buffered.delete(keyOf(message));
      const ids = idsByConnection.get(acknowledge);
      if (ids === undefined) idsByConnection.set(acknowledge, [message.id]);
      else ids.push(message.id);
    }
    for (const [acknowledge, ids] of idsByConnection) acknowledge(ids);
  }
}

/** False when the reader stopped or lost its lease before the write; the gateway then delivers the group again. */
async function tryStore(store: StoreGroup, group: readonly BufferedMessage[]): Promise<boolean> {
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
