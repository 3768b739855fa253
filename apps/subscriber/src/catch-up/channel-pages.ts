import { randomUUID } from 'node:crypto';
import {
  GatewayError,
  GatewayResponseTooLargeError,
  InvalidGatewayResponseError,
  type ErrorKind,
  type GatewayClient,
  type MalformedMessageError,
  type Message,
} from '@ssb/bus';
import { LRUCache } from 'lru-cache';
import { toMilliseconds } from '../domain/nanoseconds.js';
import type { Page, PageLimits, PageRead } from './domain/next-page.js';
import { maxPresentMs } from './domain/watermark.js';

export interface ReceivedPage extends Page {
  /** Well-formed messages that no earlier page contained, in order of time. */
  readonly messages: readonly Message[];
  /** Malformed messages that no earlier page contained. */
  readonly malformed: readonly MalformedMessageError[];
}

export interface ChannelPagesOptions {
  readonly client: Pick<GatewayClient, 'readMessages'>;
  readonly channel: string;
  readonly limits: PageLimits;
  /** Whether the gateway declares client ids. */
  readonly clientIdDeclared: boolean;
}

/** How long one client id is used while the gateway is read without a stream. */
const MAX_CLIENT_ID_AGE_MS = 15 * 60_000;
/** After this time the full amount is tried again. */
const MAX_REDUCTION_AGE_MS = 15 * 60_000;
/** With an amount of 1, two messages of one millisecond would look like a gateway that repeats itself. */
const MIN_AMOUNT = 2;
/** Several pages are in memory at once. A larger one is requested with a smaller amount. */
const MAX_PAGE_BYTES = 16 * 2 ** 20;
/** How far the clock of the bus may be ahead. */
const MAX_AHEAD_MS = 24 * 3_600_000;

/** Reads pages of one channel with `GET /message`. */
export class ChannelPages {
  /** Messages that were received and stored, or are malformed. Of more, the oldest are forgotten. */
  private readonly known: LRUCache<string, true>;
  /** Messages of the pages of this catch-up. */
  private readonly seen: LRUCache<string, true>;
  private clientId: { readonly id: string; readonly since: number } | undefined;
  /** A smaller amount that the gateway has accepted. */
  private reduced: { readonly amount: number; readonly since: number } | undefined;

  constructor(private readonly options: ChannelPagesOptions) {
    // Two pages of any size must be comparable.
    const max = options.limits.maxAmount * 2;
    this.known = new LRUCache({ max });
    this.seen = new LRUCache({ max });
  }

  /** As far as the gateway has not refused them. */
  get limits(): PageLimits {
    const { initialAmount, maxAmount } = this.options.limits;
    const { reduced } = this;
    if (reduced === undefined || performance.now() - reduced.since >= MAX_REDUCTION_AGE_MS)
      return { initialAmount, maxAmount };
    return { initialAmount: Math.min(initialAmount, reduced.amount), maxAmount: reduced.amount };
  }

  /**
   * Starts a catch-up. A gateway may keep a position for each client id, so each catch-up has its own.
   * @param continues uses the client id of the previous catch-up
   */
  begin(continues: boolean): void {
    this.seen.clear();
    const isUsable =
      continues &&
      this.clientId !== undefined &&
      performance.now() - this.clientId.since < MAX_CLIENT_ID_AGE_MS;
    if (!isUsable) this.renewClientId();
  }

  /** The next catch-up starts with a new client id, because the gateway may regard messages as read that are not stored. */
  fail(): void {
    this.clientId = undefined;
  }

  /** @throws the error of the request */
  async read(read: PageRead): Promise<ReceivedPage> {
    const requested = Math.min(read.amount, this.limits.maxAmount);
    if (read.needsNewClientId === true) this.renewClientId();
    let refusal: unknown;
    for (let amount = requested; ; amount = Math.max(MIN_AMOUNT, Math.floor(amount / 2))) {
      try {
        const page = await this.request(read.fromMs, amount);
        if (amount < requested) this.reduced = { amount, since: performance.now() };
        return page;
      } catch (error) {
        if (!isAmountRefused(error)) throw error;
        refusal ??= error;
        if (amount <= MIN_AMOUNT) throw refusal;
        this.renewClientId();
      }
    }
  }

  /** Called when the messages of a page are stored. */
  remember({ messages, malformed }: ReceivedPage): void {
    for (const message of messages) this.known.set(keyOf(message), true);
    for (const error of malformed) this.known.set(keyOfMalformed(error), true);
  }

  private async request(fromMs: number, amount: number): Promise<ReceivedPage> {
    const { client, channel } = this.options;
    const malformed: MalformedMessageError[] = [];
    let hasMore = false;
    const messages = await client.readMessages({
      fqcn: channel,
      amount,
      from: new Date(fromMs).toISOString(),
      ...(this.clientId !== undefined && { clientId: this.clientId.id }),
      ...(amount > MIN_AMOUNT && { maxBytes: MAX_PAGE_BYTES }),
      onMore: () => (hasMore = true),
      onMalformed: (error) => malformed.push(error),
    });
    return {
      amount,
      count: messages.length + malformed.length,
      hasMore,
      newCount: this.countNew([...messages.map(keyOf), ...malformed.map(keyOfMalformed)]),
      ...findTimes(messages, malformed),
      messages: messages.filter((message) => !this.known.has(keyOf(message))).toSorted(byTime),
      malformed: malformed.filter((error) => !this.known.has(keyOfMalformed(error))),
    };
  }

  private countNew(keys: readonly string[]): number {
    const unseen = keys.filter((key) => !this.seen.has(key));
    for (const key of unseen) this.seen.set(key, true);
    return unseen.length;
  }

  private renewClientId(): void {
    this.clientId = this.options.clientIdDeclared
      ? { id: `bridge-${randomUUID()}`, since: performance.now() }
      : undefined;
  }
}

const byTime = (a: Message, b: Message): number => Number(a.timestampNanos - b.timestampNanos);

/** A message with a time that is far in the future has none. */
function findTimes(
  messages: readonly Message[],
  malformed: readonly MalformedMessageError[],
): Pick<Page, 'firstNanos' | 'lastNanos' | 'greatestNanos' | 'isAhead'> {
  const now = Date.now();
  // The time of a malformed message may be what is malformed.
  const timed = messages.length > 0 ? messages : malformed.map(({ readableFields }) => readableFields);
  let firstNanos: bigint | undefined;
  let presentNanos: bigint | undefined;
  let greatestNanos: bigint | undefined;
  for (const { timestampNanos: nanos } of timed) {
    if (nanos === undefined || toMilliseconds(nanos) > now + MAX_AHEAD_MS) continue;
    if (firstNanos === undefined || nanos < firstNanos) firstNanos = nanos;
    if (greatestNanos === undefined || nanos > greatestNanos) greatestNanos = nanos;
    if (toMilliseconds(nanos) > maxPresentMs(now)) continue;
    if (presentNanos === undefined || nanos > presentNanos) presentNanos = nanos;
  }
  const isAhead = presentNanos === undefined;
  return { firstNanos, lastNanos: presentNanos ?? greatestNanos, greatestNanos, isAhead };
}

/** A bus whose storage was deleted may use its ids again. */
function keyOf({ id, timestampNanos }: Partial<Message>): string {
  return `${id} ${timestampNanos}`;
}

function keyOfMalformed({ readableFields, message }: MalformedMessageError): string {
  return readableFields.id === undefined ? message : keyOf(readableFields);
}

/** Statuses of a gateway that accepts only smaller amounts. */
const REFUSED_AMOUNT_STATUSES: readonly number[] = [400, 413, 422];
/** Known errors that a smaller amount may avoid; all other known ones have another cause. */
const REFUSED_AMOUNT_KINDS: readonly ErrorKind[] = ['INVALID_REQUEST', 'TOO_LARGE', 'MESSAGE_TOO_LARGE'];

function isAmountRefused(error: unknown): boolean {
  if (error instanceof GatewayResponseTooLargeError) return true;
  if (error instanceof GatewayError && error.kind !== undefined && !REFUSED_AMOUNT_KINDS.includes(error.kind))
    return false;
  const isRefusal = error instanceof GatewayError || error instanceof InvalidGatewayResponseError;
  return isRefusal && REFUSED_AMOUNT_STATUSES.includes(error.status);
}
