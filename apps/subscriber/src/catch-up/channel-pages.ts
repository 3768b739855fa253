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
import type { CatchUpConsumer } from './catch-up-consumer-store.js';
import type { Page, PageLimits, PageRead } from './domain/next-page.js';
import { maxPresentMs } from './domain/watermark.js';

export interface ReceivedPage extends Page {
  /** Well-formed messages that no earlier page contained, in order of time. */
  readonly messages: readonly Message[];
  /** Malformed messages that no earlier page contained. */
  readonly malformed: readonly MalformedMessageError[];
}

/** What the next read of a consumer returned. */
export interface ConsumerPage {
  readonly page: ReceivedPage;
  readonly consumer: CatchUpConsumer;
}

export interface ChannelPagesOptions {
  readonly client: Pick<GatewayClient, 'readMessages'>;
  readonly channel: string;
  readonly limits: PageLimits;
}

/** After this time the full amount is tried again. */
const MAX_REDUCTION_AGE_MS = 15 * 60_000;
/** With an amount of 1, two messages of one millisecond would look like a gateway that repeats itself. */
const MIN_AMOUNT = 2;
/** Several pages are in memory at once. A larger one is requested with a smaller amount. */
const MAX_PAGE_BYTES = 16 * 2 ** 20;
/** The response is lost, and perhaps its consumer, so the next one must fit: 15 messages of a mebibyte. */
const TOO_LARGE_DIVISOR = 16;
/** How far the clock of the bus may be ahead. */
const MAX_AHEAD_MS = 24 * 3_600_000;

/** Reads pages of one channel with `GET /message`. */
export class ChannelPages {
  /** Messages that were received and stored, or are malformed. Of more, the oldest are forgotten. */
  private readonly known: LRUCache<string, true>;
  /** Messages of the pages of this catch-up. */
  private readonly seen: LRUCache<string, true>;
  /** Whether the gateway accepts the query `clientId`, which document 002 does not have; undefined before it is known. */
  private acceptsClientId: boolean | undefined;
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

  /** Starts a catch-up. */
  begin(): void {
    this.seen.clear();
  }

  /**
   * Reads with the channel's consumer: the next messages, or the same ones again where the gateway keeps no consumers.
   * @param next the consumer of each request
   * @param onFailure called with the error of each request
   * @throws the error of the request, or of `next`
   */
  async readNext(
    next: () => Promise<CatchUpConsumer>,
    onFailure: (error: unknown) => void,
  ): Promise<ConsumerPage> {
    const { initialAmount } = this.limits;
    return this.readSmaller(initialAmount, async (amount, omitsClientId) => {
      const consumer = await next();
      try {
        return { page: await this.request(consumer, amount, omitsClientId), consumer };
      } catch (error) {
        onFailure(error);
        throw error;
      }
    });
  }

  /** Reads from a time on. Only for a gateway that was seen to keep no consumers. @throws the error of the request */
  async readFrom({ fromMs, amount }: PageRead, { clientId }: CatchUpConsumer): Promise<ReceivedPage> {
    return this.readSmaller(Math.min(amount, this.limits.maxAmount), (accepted, omitsClientId) =>
      this.request({ clientId, fromMs }, accepted, omitsClientId),
    );
  }

  /** Repeats a read with smaller amounts while the gateway refuses it or returns too much, at first without `clientId`. */
  private async readSmaller<T>(
    requested: number,
    read: (amount: number, omitsClientId: boolean) => Promise<T>,
  ): Promise<T> {
    let omitsClientId = this.acceptsClientId === false;
    let refusal: unknown;
    for (let amount = requested; ;) {
      try {
        const result = await read(amount, omitsClientId);
        if (amount < requested) this.reduced = { amount, since: performance.now() };
        else this.acceptsClientId = !omitsClientId;
        return result;
      } catch (error) {
        if (!isAmountRefused(error)) throw error;
        refusal ??= error;
        const isTooLarge = error instanceof GatewayResponseTooLargeError;
        if (this.acceptsClientId === undefined && !omitsClientId && !isTooLarge) {
          omitsClientId = true;
          continue;
        }
        if (amount <= MIN_AMOUNT) throw refusal;
        amount = Math.max(MIN_AMOUNT, Math.floor(amount / (isTooLarge ? TOO_LARGE_DIVISOR : 2)));
      }
    }
  }

  /** Called when the messages of a page are stored. */
  remember({ messages, malformed }: ReceivedPage): void {
    for (const message of messages) this.known.set(keyOf(message), true);
    for (const error of malformed) this.known.set(keyOfMalformed(error), true);
  }

  private async request(
    { clientId, fromMs }: CatchUpConsumer,
    amount: number,
    omitsClientId: boolean,
  ): Promise<ReceivedPage> {
    const { client, channel } = this.options;
    const malformed: MalformedMessageError[] = [];
    let hasMore = false;
    const messages = await client.readMessages({
      fqcn: channel,
      amount,
      from: new Date(fromMs).toISOString(),
      ...(!omitsClientId && { clientId }),
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
}

const byTime = (a: Message, b: Message): number => Number(a.timestampNanos - b.timestampNanos);

/** A message with a time that is far in the future has none. */
function findTimes(
  messages: readonly Message[],
  malformed: readonly MalformedMessageError[],
): Pick<Page, 'firstNanos' | 'lastNanos' | 'greatestNanos' | 'isAhead' | 'isMalformed'> {
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
  const isMalformed = messages.length === 0 && malformed.length > 0;
  return { firstNanos, lastNanos: presentNanos ?? greatestNanos, greatestNanos, isAhead, isMalformed };
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
