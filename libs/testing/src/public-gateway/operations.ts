import {
  badRequest,
  channelNotFound,
  channelUnauthorized,
  invalidPayload,
  notEnrolled,
  requestFailed,
  topicNotFound,
} from './gateway-error.js';
import {
  ConsumerLimitReachedError,
  DEFAULT_CLIENT,
  DEFAULT_TOPIC,
  type LoggedMessage,
  type MessageLog,
  type MessageSigner,
  type NewMessage,
  PUSH_CLIENT,
  type PublicChannel,
  toRestMessage,
} from './message-log.js';

export type PublicRoleState = 'NO_CLAIM' | 'AWAITING_APPROVAL' | 'APPROVED';

export interface OperationsOptions {
  /** The response to a repeated transaction id: the first id, or a refusal as of newer brokers. Default `first-id`. */
  readonly duplicates?: 'first-id' | 'refused';
  /** What becomes of the query `clientId`, which the document does not have. Default, as in the real gateway, `passed-on`. */
  readonly clientIds?: 'passed-on' | 'ignored' | 'refused';
  /** Maximum number of messages of one read. Default: its `amount`. */
  readonly maxAmount?: number;
  /**
   * What a durable consumer belongs to: the pair of client id and `from`, as at the real broker, or the client id alone. With `none`, each
   * read begins at its `from`. Default `pair`.
   */
  readonly consumersBy?: 'pair' | 'client-id' | 'none';
  /** Consumers of a channel, without the one of the pushes. Default 1,000, the limit of the real broker's NATS. */
  readonly maxConsumers?: number;
}

const MAX_CONSUMERS = 1_000;
const MAX_MESSAGE_SIZE = 1_048_576;
const CHANNEL_NAME = /^[a-zA-Z0-9]{1,16}\.channels\.[^.]+\.apps\.[^.]+\.iam\.[^.]+$/;
const TOPIC_NAME = /^[a-zA-Z0-9._-]+$/;
const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;
const FROM = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const MESSAGE_FIELDS: readonly string[] = ['fqcn', 'topic', 'payload', 'transactionId'];

export type SendRequest = NewMessage & { readonly fqcn: string };

export const isChannelName = (fqcn: string): boolean => CHANNEL_NAME.test(fqcn);

/** The message to send in a body or frame; undefined when it is something else, or has more fields. */
export function parseSendRequest(text: string): SendRequest | undefined {
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const isKnown = Object.entries(value).every(
    ([name, field]) => MESSAGE_FIELDS.includes(name) && typeof field === 'string',
  );
  return isKnown && 'fqcn' in value && 'payload' in value ? (value as SendRequest) : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What the identity of the gateway may do on the bus. Refusals are thrown as `GatewayRefusal`. */
export class GatewayOperations {
  roleState: PublicRoleState = 'APPROVED';

  constructor(
    readonly log: MessageLog,
    readonly signer: MessageSigner,
    private readonly options: OperationsOptions,
    private readonly nowNanos: () => bigint,
  ) {}

  get did(): string {
    return `did:ethr:${this.signer.address}`;
  }

  /** Channels that the identity may publish or read. */
  channels(): PublicChannel[] {
    this.assertEnrolment();
    return [...this.log.channels.values()].filter(
      ({ publishers, subscribers }) => this.isMember(publishers) || this.isMember(subscribers),
    );
  }

  /** @returns the id in the response, which is not the one of the deliveries */
  send({ fqcn, topic = DEFAULT_TOPIC, payload, transactionId }: SendRequest): string {
    this.assertEnrolment();
    const channel = this.findChannel(fqcn);
    if (!this.isMember(channel.publishers)) throw channelUnauthorized();
    if (!channel.topics.some(({ namespace }) => namespace === topic))
      throw TOPIC_NAME.test(topic) ? topicNotFound(topic) : requestFailed(`${topic} is not a topic name`);
    if (transactionId !== undefined && !UUID_V4.test(transactionId))
      throw invalidPayload('transactionId must be a UUID version 4');
    this.checkSize(payload);
    const message = { topic, payload, ...(transactionId !== undefined && { transactionId }) };
    const { id } =
      this.findRepeated(channel, transactionId) ??
      this.log.append(fqcn, message, this.signer, this.nowNanos());
    return `msg-#${id}`;
  }

  /** The limit counts what the broker stores: the payload as a JSON text, with signature and sender. */
  private checkSize(payload: string): void {
    const stored = { payload, signature: `0x${'0'.repeat(130)}`, sender: this.did };
    const size = Buffer.byteLength(JSON.stringify(stored));
    if (size > MAX_MESSAGE_SIZE)
      throw invalidPayload(`message size exceeds maximum allowed: ${size}, ${MAX_MESSAGE_SIZE}`);
  }

  private findRepeated(
    { fqcn }: PublicChannel,
    transactionId: string | undefined,
  ): LoggedMessage | undefined {
    if (transactionId === undefined) return undefined;
    const first = this.log.messages(fqcn).find((message) => message.transactionId === transactionId);
    if (first !== undefined && this.options.duplicates === 'refused')
      throw invalidPayload('Duplicate transaction id.');
    return first;
  }

  /** Messages of one REST read. */
  read(query: URLSearchParams): object[] {
    this.assertEnrolment();
    const { clientIds = 'passed-on', maxAmount = Infinity } = this.options;
    const known = ['fqcn', 'amount', 'from', ...(clientIds === 'refused' ? [] : ['clientId'])];
    for (const name of query.keys())
      if (!known.includes(name)) throw badRequest(`${name} is not a parameter`);
    const channel = this.findChannel(query.get('fqcn') ?? '');
    if (!this.isMember(channel.subscribers)) throw channelUnauthorized();
    const amount = Number(query.get('amount') ?? 1);
    if (!Number.isInteger(amount) || amount < 1) throw badRequest('amount must be a positive number');
    const from = query.get('from') ?? '';
    if (from !== '' && !FROM.test(from)) throw badRequest('from must be an ISO 8601 UTC date and time');
    const given = clientIds === 'passed-on' ? query.get('clientId') : null;
    return this.readMessages(channel.fqcn, given ?? DEFAULT_CLIENT, from, Math.min(amount, maxAmount)).map(
      toRestMessage,
    );
  }

  private readMessages(fqcn: string, clientId: string, from: string, amount: number): LoggedMessage[] {
    const { consumersBy = 'pair', maxConsumers = MAX_CONSUMERS } = this.options;
    const since = from === '' ? 0n : BigInt(Date.parse(from)) * 1_000_000n;
    if (consumersBy === 'none') return this.log.readSince(fqcn, amount, since);
    const key = { fqcn, clientId, from: consumersBy === 'pair' ? from : '' };
    try {
      return this.log.readNext(key, amount, since, maxConsumers);
    } catch (error) {
      if (error instanceof ConsumerLimitReachedError) throw requestFailed(error.message);
      throw error;
    }
  }

  /** The next messages to push, by channel. They count as delivered, whether a client is connected or not. */
  *takePushes(amount: number): Generator<LoggedMessage[]> {
    if (this.roleState !== 'APPROVED') return;
    for (const { fqcn, subscribers } of this.log.channels.values()) {
      if (!this.isMember(subscribers)) continue;
      const messages = this.log.readNext({ fqcn, clientId: PUSH_CLIENT, from: '' }, amount, 0n, Infinity);
      if (messages.length > 0) yield messages;
    }
  }

  private findChannel(fqcn: string): PublicChannel {
    const channel = this.log.channels.get(fqcn);
    if (channel !== undefined) return channel;
    throw isChannelName(fqcn) ? channelNotFound(fqcn) : requestFailed(`${fqcn} is not a channel name`);
  }

  private isMember(list: readonly string[]): boolean {
    return list.length === 0 || list.includes(this.did);
  }

  private assertEnrolment(): void {
    if (this.roleState !== 'APPROVED') throw notEnrolled();
  }
}
