import { messageOutcomes, receivedPublishSuccess, type BatchMessage, type MessageOutcome } from '@ssb/bus';
import { signMessage } from '@ssb/identity';
import type { BrokerClient } from '../broker/broker-client.js';
import { BrokerError, invalidBrokerResponse, requestNotSent } from '../broker/broker-error.js';
import type { SigningIdentity } from '../identity/identity.service.js';
import type { Settings } from '../settings.js';
import { BatchScheduler, type Batch } from './batch-scheduler.js';

/** A message that is signed when its batch is sent. Its `correlationId` is the client's `transactionId`. */
export type UnsignedMessage = Omit<BatchMessage, 'signature'>;

interface PendingMessage {
  readonly message: UnsignedMessage;
  /** Milliseconds of `performance.now()`. */
  readonly queuedAt: number;
  readonly resolve: (id: string) => void;
  readonly reject: (reason: unknown) => void;
}

interface SignedMessage extends PendingMessage {
  readonly request: BatchMessage;
}

/** The outcome of one message: its id on the bus, or the BrokerError that refused it. */
type PublishOutcome = PromiseSettledResult<string>;

interface BatchMetrics {
  readonly waiting: { inc(): void; dec(by: number): void };
  readonly postSeconds: { observe(seconds: number): void };
}

/** Above these limits a message is refused at once. */
const MAX_WAITING_MESSAGES = 10_000;
const MAX_WAITING_BYTES = 67_108_864;

/**
 * Signs the messages of one identity and posts them to the broker: at once while few requests are in flight, otherwise in batches.
 * Signing takes most of the time, so one turn of the event loop signs one batch.
 */
export class MessageBatcher {
  private readonly scheduler = new BatchScheduler<PendingMessage>();
  private isScheduled = false;

  constructor(
    private readonly broker: Pick<BrokerClient, 'call'>,
    private readonly identity: SigningIdentity,
    /** BROKER_TIMEOUT_MS is the maximum time from `send()` to the outcome. */
    private readonly settings: Pick<Settings, 'SIGNATURE_SCHEME' | 'BROKER_TIMEOUT_MS'>,
    private readonly metrics: BatchMetrics,
  ) {}

  /** @returns the message's id on the bus. @throws BrokerError, or the error of signing */
  send(message: UnsignedMessage): Promise<string> {
    if (this.scheduler.waiting >= MAX_WAITING_MESSAGES || this.scheduler.waitingBytes >= MAX_WAITING_BYTES) {
      return Promise.reject(requestNotSent('too many messages are waiting'));
    }
    return new Promise((resolve, reject) => {
      const pending = { message, queuedAt: performance.now(), resolve, reject };
      this.scheduler.add(message.fqcn, pending, countBytes(message));
      this.metrics.waiting.inc();
      this.scheduleBatch();
    });
  }

  /** Messages that arrive in the same turn of the event loop join the batch. */
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
    this.metrics.waiting.dec(batch.items.length);
    const now = performance.now();
    const signed = batch.items.flatMap((pending) => this.signUnlessLate(pending, now) ?? []);
    const oldest = Math.min(now, ...signed.map(({ queuedAt }) => queuedAt));
    const requests = signed.map(({ request }) => request);
    const postedAt = performance.now();
    const deadline = oldest + this.settings.BROKER_TIMEOUT_MS;
    const outcomes = await publishMessages(this.broker, this.identity, requests, deadline);
    this.metrics.postSeconds.observe((performance.now() - postedAt) / 1_000);
    for (const [index, message] of signed.entries()) finish(message, outcomes[index]);
    this.scheduler.complete(batch);
    this.scheduleBatch();
  }

  /** @returns undefined when the message was rejected */
  private signUnlessLate(pending: PendingMessage, now: number): SignedMessage | undefined {
    const { message, queuedAt, reject } = pending;
    // Its outcome would be late, and its deadline would shorten the timeout of the other messages in the batch.
    if (now - queuedAt > this.settings.BROKER_TIMEOUT_MS / 2) {
      reject(requestNotSent('it waited too long'));
      return undefined;
    }
    try {
      const signature = signMessage(message.payload, this.identity.key, this.settings.SIGNATURE_SCHEME);
      return { ...pending, request: { ...message, signature } };
    } catch (error) {
      reject(error);
      return undefined;
    }
  }
}

function finish({ resolve, reject }: SignedMessage, outcome: PublishOutcome | undefined): void {
  if (outcome === undefined) reject(invalidBrokerResponse('no outcome for a message'));
  else if (outcome.status === 'fulfilled') resolve(outcome.value);
  else reject(outcome.reason);
}

/** UTF-8 bytes of every field that may be long, so that a message cannot make the request of its batch too large. */
function countBytes({ fqcn, topic = '', payload, correlationId = '' }: UnsignedMessage): number {
  return [fqcn, topic, payload, correlationId].reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

/** Statuses that refuse the whole batch. The messages are then posted one by one. */
const BATCH_REFUSALS: ReadonlySet<number> = new Set([400, 404, 405, 409, 413, 422]);

/**
 * Publishes messages in one request, or one by one when the broker refuses the batch. Never rejects.
 * @param deadline when the last outcome must have arrived, in milliseconds of `performance.now()`
 * @returns an outcome for each message, in their order
 */
export async function publishMessages(
  broker: Pick<BrokerClient, 'call'>,
  identity: SigningIdentity,
  messages: readonly BatchMessage[],
  deadline: number,
): Promise<readonly PublishOutcome[]> {
  const publishOne = async ({ traceparent, ...body }: BatchMessage): Promise<string> => {
    const request = { method: 'POST', path: '/message', body, traceparent, deadline } as const;
    return (await broker.call(identity, request, receivedPublishSuccess)).id;
  };
  if (messages.length > 1) {
    try {
      const request = { method: 'POST', path: '/messages', body: messages, deadline } as const;
      const outcomes = await broker.call(identity, request, messageOutcomes);
      if (outcomes.length === messages.length) return outcomes.map(toPublishOutcome);
      throw invalidBrokerResponse(`${outcomes.length} outcomes for ${messages.length} messages`);
    } catch (error) {
      if (!isBatchRefused(error)) return messages.map(() => ({ status: 'rejected', reason: error }));
    }
  }
  return Promise.allSettled(messages.map(publishOne));
}

function toPublishOutcome(outcome: MessageOutcome): PublishOutcome {
  return 'id' in outcome
    ? { status: 'fulfilled', value: outcome.id }
    : { status: 'rejected', reason: new BrokerError({ kind: 'refused', ...outcome }) };
}

function isBatchRefused(error: unknown): boolean {
  if (!(error instanceof BrokerError) || error.problem.kind !== 'refused') return false;
  return BATCH_REFUSALS.has(error.problem.status);
}
