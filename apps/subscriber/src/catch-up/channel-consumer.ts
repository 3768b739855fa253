import { GatewayError, InvalidGatewayResponseError } from '@ssb/bus';
import type { CatchUpConsumer, OpenedConsumer } from './catch-up-consumer-store.js';

export interface ChannelConsumerOptions {
  /** Records a new consumer durably. @throws ConsumerLimitError */
  readonly open: (
    startMs: number,
    refused: CatchUpConsumer | undefined,
    stopping: AbortSignal,
  ) => Promise<OpenedConsumer>;
  /** Requests something that makes no consumer. @throws the error of the request */
  readonly probe: () => Promise<unknown>;
}

/** A consumer is made without a successful probe after this time, for a gateway that never responds to the probe. */
const MAX_PROBED_MS = 15 * 60_000;
/** Statuses below 500 after which the bus may have delivered messages all the same. */
const UNCLEAR_STATUSES: readonly number[] = [408, 425, 499];

/**
 * The pair of `clientId` and `from` with which a channel is read. A bus may acknowledge messages before they arrive, so a pair whose
 * read failed, or that another process used, is never used again.
 */
export class ChannelConsumer {
  private current: CatchUpConsumer | undefined;
  private refused: CatchUpConsumer | undefined;
  /** A request was sent whose messages are not stored. */
  private isOutstanding = false;
  /** The bus has responded to this consumer, perhaps without a message. */
  private isAccepted = false;
  private hasReturned = false;
  private failed = false;
  private hasLost = false;
  private openedAt = -Infinity;
  private limitedUntil = -Infinity;

  constructor(private readonly options: ChannelConsumerOptions) {}

  /** Whether the bus has returned no message to this consumer yet. */
  get isNew(): boolean {
    return !this.hasReturned;
  }

  /** Whether a read failed before this consumer was made, so that messages may have been delivered that did not arrive. */
  get followsFailure(): boolean {
    return this.failed;
  }

  /** Whether the channel has reached its limit of new consumers. */
  get isLimited(): boolean {
    return performance.now() < this.limitedUntil;
  }

  /**
   * The consumer of the next request.
   * @param startMs where reading has to begin if a new one is needed
   * @throws ConsumerLimitError, or the error of the probe: after a failed read, none is made while the bus is away
   */
  async next(startMs: number, stopping: AbortSignal): Promise<CatchUpConsumer> {
    if (this.current === undefined) {
      if (this.failed && performance.now() - this.openedAt < MAX_PROBED_MS) await this.probe();
      const { limitedForMs, ...consumer } = await this.options.open(startMs, this.refused, stopping);
      this.current = consumer;
      this.refused = undefined;
      this.isAccepted = this.hasReturned = false;
      this.openedAt = performance.now();
      this.limitedUntil = this.openedAt + limitedForMs;
    }
    this.requested();
    return this.current;
  }

  /** Called before a request with a `from` of its own. */
  requested(): void {
    this.isOutstanding = true;
  }

  /** Called when the messages of a response are stored. @param count of the messages */
  stored(count: number): void {
    this.isOutstanding = false;
    this.isAccepted = true;
    if (count === 0) return;
    this.hasReturned = true;
    this.failed = false;
  }

  /** The next reads begin here. Only for a gateway that was seen to keep no consumers. */
  moveTo(fromMs: number): void {
    if (this.current !== undefined) this.current = { ...this.current, fromMs };
  }

  /** Makes a new consumer necessary. */
  discard(): void {
    this.current = undefined;
    this.isOutstanding = false;
  }

  /** Whether a read failed that may have left a consumer behind, since the last call. */
  takeLoss(): boolean {
    const { hasLost } = this;
    this.hasLost = false;
    return hasLost;
  }

  /** Called when a read or the storing of its messages failed. */
  fail(error: unknown): void {
    if (!this.isOutstanding) return;
    const isRefused = isRefusal(error);
    if (isRefused && this.isAccepted) {
      // The bus has this consumer, which continues after its last response.
      this.isOutstanding = false;
      return;
    }
    if (isRefused) this.refused = this.current;
    this.failed ||= !isRefused;
    this.hasLost ||= !isRefused;
    this.discard();
  }

  private async probe(): Promise<void> {
    try {
      await this.options.probe();
    } catch (error) {
      const isResponse = error instanceof GatewayError || error instanceof InvalidGatewayResponseError;
      if (!isResponse || error.status >= 500) throw error;
    }
  }
}

/** Whether the gateway refused the request, so that the bus delivered nothing. */
function isRefusal(error: unknown): boolean {
  const isResponse = error instanceof GatewayError || error instanceof InvalidGatewayResponseError;
  return isResponse && error.status >= 400 && error.status < 500 && !UNCLEAR_STATUSES.includes(error.status);
}
