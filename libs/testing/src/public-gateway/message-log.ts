/** Signs messages: an ethers wallet. */
export interface MessageSigner {
  readonly address: string;
  signMessageSync(message: string): string;
}

export interface ChannelTopic {
  readonly namespace: string;
  /** An object here, although document 002 has a text. */
  readonly schema: object;
}

export interface PublicChannel {
  readonly fqcn: string;
  readonly topics: readonly ChannelTopic[];
  /** DIDs; none permits every holder of the user role. */
  readonly publishers: readonly string[];
  readonly subscribers: readonly string[];
}

export interface LoggedMessage {
  /** The id of its delivery. Each channel counts from 1. */
  readonly id: string;
  readonly fqcn: string;
  readonly topic: string;
  readonly payload: string;
  readonly signature: string;
  readonly sender: string;
  readonly timestampNanos: bigint;
  readonly transactionId?: string;
}

export type NewMessage = Pick<LoggedMessage, 'payload' | 'transactionId'> & { readonly topic?: string };

/** What identifies a durable consumer, beside the identity of the gateway. */
export interface ConsumerKey {
  readonly fqcn: string;
  readonly clientId: string;
  /** The text of the query; empty without one. */
  readonly from: string;
}

interface Consumer extends ConsumerKey {
  /** Messages before the next one. */
  index: number;
}

/** How NATS refuses a consumer beyond the limit of its stream. */
export class ConsumerLimitReachedError extends Error {
  override readonly name = 'ConsumerLimitReachedError';
}

export const DEFAULT_TOPIC = 'default';
export const DEFAULT_CLIENT = 'default';
/** The client with which the gateway reads what it pushes. */
export const PUSH_CLIENT = 'wsconsumer';

/** Channels, messages and readers of the broker behind the public gateway. */
export class MessageLog {
  readonly channels = new Map<string, PublicChannel>();
  private readonly logs = new Map<string, LoggedMessage[]>();
  private readonly consumersByKey = new Map<string, Consumer>();

  /** Adds a channel, or replaces its topics and rights. */
  addChannel(channel: PublicChannel): void {
    this.channels.set(channel.fqcn, channel);
    this.logs.set(channel.fqcn, this.logs.get(channel.fqcn) ?? []);
  }

  /** @throws Error when the channel does not exist */
  messages(fqcn: string): LoggedMessage[] {
    const log = this.logs.get(fqcn);
    if (log === undefined) throw new Error(`The test did not add the channel ${fqcn}.`);
    return log;
  }

  append(
    fqcn: string,
    { topic = DEFAULT_TOPIC, payload, transactionId }: NewMessage,
    signer: MessageSigner,
    timestampNanos: bigint,
  ): LoggedMessage {
    const log = this.messages(fqcn);
    const message: LoggedMessage = {
      id: String(log.length + 1),
      fqcn,
      topic,
      payload,
      signature: signer.signMessageSync(payload),
      sender: `did:ethr:${signer.address}`,
      timestampNanos,
      ...(transactionId !== undefined && { transactionId }),
    };
    log.push(message);
    return message;
  }

  /** The messages since a time, inclusive, nanoseconds. No consumer is kept. */
  readSince(fqcn: string, amount: number, since: bigint): LoggedMessage[] {
    const log = this.messages(fqcn);
    const start = firstIndex(log, since);
    return log.slice(start, start + amount);
  }

  /**
   * The next messages of a consumer, which are acknowledged at once and never returned to it again. The consumer is never removed.
   * @param since where a new consumer begins, inclusive, nanoseconds
   * @throws ConsumerLimitReachedError when the channel has as many consumers, and this one is new
   */
  readNext(key: ConsumerKey, amount: number, since: bigint, maxConsumers: number): LoggedMessage[] {
    const log = this.messages(key.fqcn);
    const consumer = this.consumersByKey.get(textOf(key)) ?? { ...key, index: firstIndex(log, since) };
    const others = this.consumers.filter(({ fqcn }) => fqcn === key.fqcn);
    if (!this.consumersByKey.has(textOf(key)) && others.length >= maxConsumers)
      throw new ConsumerLimitReachedError('maximum consumers limit reached');
    this.consumersByKey.set(textOf(key), consumer);
    const next = log.slice(consumer.index, consumer.index + amount);
    consumer.index += next.length;
    return next;
  }

  /** How many messages a consumer has passed. */
  delivered(key: ConsumerKey): number {
    return this.consumersByKey.get(textOf(key))?.index ?? 0;
  }

  /** Consumers that reads created. */
  get consumers(): ConsumerKey[] {
    return [...this.consumersByKey.values()]
      .filter(({ clientId }) => clientId !== PUSH_CLIENT)
      .map(({ fqcn, clientId, from }) => ({ fqcn, clientId, from }));
  }
}

const textOf = ({ fqcn, clientId, from }: ConsumerKey): string => `${fqcn} ${clientId}${from}`;

function firstIndex(log: readonly LoggedMessage[], since: bigint): number {
  const first = log.findIndex(({ timestampNanos }) => timestampNanos >= since);
  return first < 0 ? log.length : first;
}

/** A message of a REST response: no `fqcn`, and nanoseconds as the nearest double. */
export function toRestMessage({ fqcn: _, timestampNanos, ...message }: LoggedMessage): object {
  return { ...message, timestampNanos: Number(timestampNanos) };
}

/** A message of a frame. */
export function toPushedMessage(message: LoggedMessage): object {
  return { fqcn: message.fqcn, ...toRestMessage(message) };
}
