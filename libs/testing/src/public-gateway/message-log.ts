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

/** State of one reader: the channel and its client id. */
export interface ClientState {
  readonly fqcn: string;
  readonly clientId: string;
}

interface Position extends ClientState {
  /** Messages before the next one. */
  index: number;
}

export const DEFAULT_TOPIC = 'default';
export const DEFAULT_CLIENT = 'default';
/** The client with which the gateway reads what it pushes. */
export const PUSH_CLIENT = 'wsconsumer';

/** Channels, messages and readers of the broker behind the public gateway. */
export class MessageLog {
  readonly channels = new Map<string, PublicChannel>();
  private readonly logs = new Map<string, LoggedMessage[]>();
  private readonly positions = new Map<string, Position>();

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

  /**
   * The next messages of a client, which count as delivered. `from` (inclusive, nanoseconds) only has an effect on the first read of the
   * client, unless `keepsState` is false.
   */
  read(
    { fqcn, clientId }: ClientState,
    { amount, from = 0n, keepsState = true }: { amount: number; from?: bigint; keepsState?: boolean },
  ): LoggedMessage[] {
    const log = this.messages(fqcn);
    const first = log.findIndex(({ timestampNanos }) => timestampNanos >= from);
    const start = first < 0 ? log.length : first;
    if (!keepsState) return log.slice(start, start + amount);
    const key = keyOf({ fqcn, clientId });
    const position = this.positions.get(key) ?? { fqcn, clientId, index: start };
    this.positions.set(key, position);
    const next = log.slice(position.index, position.index + amount);
    position.index += next.length;
    return next;
  }

  /** How many messages a client has received. */
  delivered({ fqcn, clientId }: ClientState): number {
    return this.positions.get(keyOf({ fqcn, clientId }))?.index ?? 0;
  }

  /** The states that reads created. */
  get clientStates(): ClientState[] {
    return [...this.positions.values()]
      .filter(({ clientId }) => clientId !== PUSH_CLIENT)
      .map(({ fqcn, clientId }) => ({ fqcn, clientId }));
  }
}

const keyOf = ({ fqcn, clientId }: ClientState): string => `${fqcn} ${clientId}`;

/** A message of a REST answer: no `fqcn`, and nanoseconds as the nearest double. */
export function toRestMessage({ fqcn: _, timestampNanos, ...message }: LoggedMessage): object {
  return { ...message, timestampNanos: Number(timestampNanos) };
}

/** A message of a frame. */
export function toPushedMessage(message: LoggedMessage): object {
  return { fqcn: message.fqcn, ...toRestMessage(message) };
}
