import type { PublishRequest } from '@ssb/bus';
import type { BrokerClient, PublishOutcome } from '../broker/broker-client.js';
import { brokerUnreachable } from '../broker/broker-error.js';
import type { SigningIdentity } from '../identity/identity.service.js';
import { BatchScheduler, type Batch } from './batch-scheduler.js';

/** A message that is signed when its batch is sent. */
export type UnsignedMessage = Omit<PublishRequest, 'signature'>;

interface PendingMessage {
  readonly message: UnsignedMessage;
  /** Milliseconds of `performance.now()`. */
  readonly queuedAt: number;
  readonly resolve: (id: string) => void;
  readonly reject: (reason: unknown) => void;
}

interface SignedMessage extends PendingMessage {
  readonly request: PublishRequest;
}

interface Gauge {
  inc(): void;
  dec(by: number): void;
}

/** Beyond these bounds a message is refused at once. */
const MAX_WAITING = 10_000;
const MAX_WAITING_BYTES = 67_108_864;

/**
 * Sends the messages of one identity: at once while few requests are in flight, otherwise in batches. Signing takes most of the time, so
 * one turn of the event loop signs one batch.
 */
export class MessageBatcher {
  private readonly scheduler = new BatchScheduler<PendingMessage>();
  private isScheduled = false;

  constructor(
    private readonly broker: Pick<BrokerClient, 'publish'>,
    private readonly identity: SigningIdentity,
    private readonly sign: (payload: string) => string,
    /** Longest wait of a message for its outcome, milliseconds. */
    private readonly timeoutMs: number,
    private readonly waiting: Gauge,
  ) {}

  /** @returns the message's id on the bus. @throws BrokerError, or the error of signing */
  send(message: UnsignedMessage): Promise<string> {
    if (this.scheduler.waiting >= MAX_WAITING || this.scheduler.waitingBytes >= MAX_WAITING_BYTES) {
      return Promise.reject(brokerUnreachable('too many messages wait for it'));
    }
    return new Promise((resolve, reject) => {
      const pending = { message, queuedAt: performance.now(), resolve, reject };
      this.scheduler.add(message.fqcn, pending, countBytes(message));
      this.waiting.inc();
      this.scheduleBatch();
    });
  }

  /** What else arrives in this turn of the event loop joins the batch. */
  private scheduleBatch(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      const batch = this.scheduler.next();
      if (batch === undefined) return;
      this.scheduleBatch();
      void this.sendBatch(batch);
    });
  }

  private async sendBatch(batch: Batch<PendingMessage>): Promise<void> {
    this.waiting.dec(batch.items.length);
    const now = performance.now();
    const signed = batch.items.flatMap((pending) => this.signInTime(pending, now) ?? []);
    const oldest = Math.min(now, ...signed.map(({ queuedAt }) => queuedAt));
    const requests = signed.map(({ request }) => request);
    const outcomes = await this.broker.publish(this.identity, requests, oldest + this.timeoutMs);
    for (const [index, message] of signed.entries()) complete(message, outcomes[index]);
    this.scheduler.complete(batch);
    this.scheduleBatch();
  }

  /** Signs a message; undefined for one that is rejected. */
  private signInTime(pending: PendingMessage, now: number): SignedMessage | undefined {
    const { message, queuedAt, reject } = pending;
    // Too late for an outcome in time; sending it would also shorten the timeout of the others in the batch.
    if (now - queuedAt > this.timeoutMs / 2) {
      reject(brokerUnreachable('it waited too long to be sent'));
      return undefined;
    }
    try {
      return { ...pending, request: { ...message, signature: this.sign(message.payload) } };
    } catch (error) {
      reject(error);
      return undefined;
    }
  }
}

function complete({ resolve, reject }: SignedMessage, outcome: PublishOutcome | undefined): void {
  if (outcome === undefined) reject(brokerUnreachable('it returned no outcome'));
  else if (outcome.status === 'fulfilled') resolve(outcome.value);
  else reject(outcome.reason);
}

/** UTF-8 bytes of every field that may be long, so that one message cannot make the request of a batch too large. */
function countBytes({ fqcn, topic = '', payload, correlationId = '' }: UnsignedMessage): number {
  return [fqcn, topic, payload, correlationId].reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}
