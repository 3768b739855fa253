import type { Message } from '@ssb/bus';
import { EVENT_TYPES, PRECEDENCES, precedenceOf, TOPIC_BY_EVENT_TYPE } from '@ssb/events';
import { LeaseLostError } from '../replica/reader-lease.js';
import { OperationStoppedError } from '../database/retry-database.js';
import { BatchProcessor } from './batch-processor.js';

const LAST = PRECEDENCES.length;
const PRECEDENCE_BY_TOPIC: ReadonlyMap<string, number> = new Map(
  EVENT_TYPES.map((type) => [TOPIC_BY_EVENT_TYPE[type], precedenceOf({ type })]),
);
/** Maximum size of a batch. A message of the first precedence waits for one such batch at most. */
const MAX_BATCH_CHARACTERS = 1024 * 1024;

export type Acknowledge = (ids: string[]) => void;

/** Stores a batch, as `MessageReceiver` does. */
interface BatchReceiver {
  receive(messages: readonly Message[], stopping: AbortSignal): Promise<unknown>;
}

interface BufferedMessage {
  readonly message: Message;
  /** Acknowledges on the connection that delivered the message last; others ignore it. */
  acknowledge: Acknowledge;
}

/**
 * Holds messages between the gateway's stream and the receiver, and acknowledges them after they are stored. With acknowledged delivery the
 * gateway sends at most one window of unacknowledged messages, which bounds the buffer.
 */
export class MessageBuffer {
  private readonly buffered = new Map<string, BufferedMessage>();
  private readonly batches: BatchProcessor<BufferedMessage>;
  private readonly stopping = new AbortController();
  private payloads = 0;

  /**
   * @param onLeaseLost called when the database refuses a batch because another replica reads the channels
   * @param maxBatch maximum number of messages that are stored together
   */
  constructor(
    private readonly receiver: BatchReceiver,
    private readonly onLeaseLost: () => void,
    maxBatch: number,
  ) {
    this.batches = new BatchProcessor((batch) => this.storeAndAcknowledge(batch), maxBatch, {
      precedence: ({ message }) => readPrecedence(message),
      size: ({ message }) => message.payload.length,
      maxSize: MAX_BATCH_CHARACTERS,
    });
  }

  /** Number of messages that are waiting or being stored. */
  get size(): number {
    return this.buffered.size;
  }

  /** Characters of the payloads of these messages. */
  get payloadSize(): number {
    return this.payloads;
  }

  /** Adds messages. A buffered message that a new connection delivers again is not added twice. */
  add(messages: readonly Message[], acknowledge: Acknowledge): void {
    const added: BufferedMessage[] = [];
    for (const message of messages) {
      const existing = this.buffered.get(messageKey(message));
      if (existing !== undefined) {
        existing.acknowledge = acknowledge;
        continue;
      }
      const entry: BufferedMessage = { message, acknowledge };
      this.buffered.set(messageKey(message), entry);
      this.payloads += message.payload.length;
      added.push(entry);
    }
    this.batches.add(added);
  }

  /** Keeps messages waiting until `release`. */
  hold(): void {
    this.batches.hold();
  }

  release(): void {
    this.batches.release();
  }

  /** Stores and acknowledges the current batch without further retries, and drops the other messages. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.batches.stop();
  }

  private async storeAndAcknowledge(batch: readonly BufferedMessage[]): Promise<void> {
    try {
      await this.receiver.receive(
        batch.map(({ message }) => message),
        this.stopping.signal,
      );
    } catch (error) {
      // The batch arrives again, because it is not acknowledged, or with the next catch-up.
      if (error instanceof OperationStoppedError) return;
      if (error instanceof LeaseLostError) return this.onLeaseLost();
      throw error;
    }
    this.acknowledge(batch);
  }

  private acknowledge(batch: readonly BufferedMessage[]): void {
    // Each frame of the gateway has its own function.
    const idsByFrame = new Map<Acknowledge, string[]>();
    for (const { message, acknowledge } of batch) {
      this.buffered.delete(messageKey(message));
      this.payloads -= message.payload.length;
      const ids = idsByFrame.get(acknowledge);
      if (ids === undefined) idsByFrame.set(acknowledge, [message.id]);
      else ids.push(message.id);
    }
    for (const [acknowledge, ids] of idsByFrame) acknowledge(ids);
  }
}

/** The topic is not verified yet, so it decides only the order. */
function readPrecedence({ topic }: Message): number {
  return topic === undefined ? LAST : (PRECEDENCE_BY_TOPIC.get(topic) ?? LAST);
}

function messageKey({ fqcn, id }: Message): string {
  return `${fqcn}\n${id}`;
}
