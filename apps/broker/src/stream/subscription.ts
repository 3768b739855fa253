import type { ErrorDetail, SubscribeRequest } from '@ssb/bus';
import type { Did } from '@ssb/identity';
import type { Logger } from '@ssb/platform';
import { asBusError, BusError, refusalError } from '../bus-error.js';
import { identityOf, type Directory } from '../directory.js';
import type { MessageLog } from '../ports/message-log.js';
import type { SessionRegister } from '../redis/session-register.js';
import { FeedRow } from './feed-row.js';
import { StreamClosedError, type Outlet } from './outlet.js';
import { PageSender } from './page-sender.js';
import { readableChannels, type ReadableChannels } from './readable-channels.js';
import { SessionHold } from './session-hold.js';

export interface SubscriptionParts {
  readonly directory: Directory;
  readonly messages: MessageLog;
  readonly sessions: SessionRegister;
  readonly log: Logger;
  /** Told of each batch that was sent. */
  readonly onPushed: (messages: number) => void;
  /** Told when retention took messages before a reader had them. */
  readonly onGap: () => void;
}

const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 2_000;

/**
 * One subscription: reads on from the stored positions whenever something wakes it, channel by channel in turn, as far as the window
 * allows. A single loop does one thing at a time: look at rights and session when they may have changed, otherwise send the next batch.
 * When the engine is away the loop rests and comes back by itself.
 */
export class Subscription {
  readonly session: string;
  private readonly hold: SessionHold;
  private readonly row: FeedRow;
  private readonly pages: PageSender;
  private announced = false;
  private ended = false;
  private looping = false;
  private reviewDue = true;
  private retry: NodeJS.Timeout | undefined;
  private failures = 0;

  constructor(
    private readonly did: Did,
    private readonly request: SubscribeRequest,
    private readonly outlet: Outlet,
    private readonly parts: SubscriptionParts,
    /** Called once, when the subscription ends by itself. */
    private readonly onEnd: () => void,
  ) {
    const { clientId, window } = request;
    const address = identityOf(did);
    this.session = JSON.stringify([address, clientId]);
    this.hold = new SessionHold(parts.sessions, this.session, () => this.review());
    this.row = new FeedRow(parts.messages, { address, clientId }, window);
    this.pages = new PageSender(did, request, outlet, parts, () => !this.ended);
  }

  /** A message was appended on this channel, or (undefined) may have been on any. */
  wake(fqcn: string | undefined): void {
    if (this.row.wake(fqcn)) this.kick();
  }

  /** Rights, channels or the session may have changed. */
  review(): void {
    this.reviewDue = true;
    this.kick();
  }

  acknowledge(fqcn: string, ids: readonly string[]): void {
    const feed = this.row.find(fqcn);
    if (!feed) return;
    feed.acknowledge(ids);
    feed.save().catch((error: unknown) => this.rest(error));
    this.kick();
  }

  /** Ends without a frame: stores what is acknowledged and gives the session up. Never throws. */
  async close(): Promise<void> {
    this.ended = true;
    clearTimeout(this.retry);
    const { log } = this.parts;
    await this.row.save().catch((error: unknown) => {
      log.warn({ err: error }, 'positions could not be stored; those messages come again');
    });
    await this.hold.release().catch((error: unknown) => {
      log.warn({ err: error }, 'a session could not be given up; the next subscription takes it over');
    });
  }

  private kick(): void {
    if (this.looping || this.ended || this.retry) return;
    this.looping = true;
    this.loop()
      .then(
        () => (this.failures = 0),
        (error: unknown) => this.rest(error),
      )
      .finally(() => {
        this.looping = false;
        if (this.hasWork()) this.kick();
      });
  }

  private async loop(): Promise<void> {
    while (this.hasWork()) {
      const { next } = this.row;
      if (this.reviewDue || !next) await this.look();
      else if (!(await this.pages.send(next, this.row))) this.reviewDue = true;
    }
  }

  private hasWork(): boolean {
    if (this.ended || this.retry) return false;
    return this.reviewDue || (this.row.room > 0 && this.row.next !== undefined);
  }

  /** Is this still the newest subscription of its client, and which channels may it read now? */
  private async look(): Promise<void> {
    this.reviewDue = false;
    const readable = await readableChannels(this.parts.directory, this.did, this.request.fqcn);
    if (this.ended) return;
    if (!this.hold.taken) {
      const [refusal] = readable.refused;
      if (refusal) return this.end('error', refusalError(refusal).body().err);
      await this.hold.take();
    } else if (!(await this.hold.confirm()) && !this.isEnded()) {
      const reason = 'A newer subscription of the same DID and client id took over.';
      return this.end('closed', new BusError('BUS::SUPERSEDED', reason).body().err);
    }
    if (!this.isEnded()) await this.follow(readable);
  }

  /** Asked again behind a wait: it may have come to its end meanwhile. */
  private isEnded(): boolean {
    return this.ended;
  }

  private async follow({ channels, refused, ends }: ReadableChannels): Promise<void> {
    const [refusal] = refused;
    if (refusal && ends) return this.end('closed', refusalError(refusal).body().err);
    const { added, lost } = await this.row.follow(channels);
    for (const each of refused) {
      if ('fqcn' in each && lost.includes(each.fqcn)) await this.tell('error', refusalError(each).body().err);
    }
    if (this.announced && !added && lost.length === 0) return;
    this.announced = true;
    const { subscription } = this.request;
    await this.outlet.send({ type: 'subscribed', subscription, channels: this.row.names });
  }

  private async end(type: 'closed' | 'error', err: ErrorDetail): Promise<void> {
    this.ended = true;
    this.onEnd();
    await this.tell(type, err);
  }

  private tell(type: 'closed' | 'error', err: ErrorDetail): Promise<void> {
    return this.outlet.send({ type, subscription: this.request.subscription, err });
  }

  /** After a failure: nothing for a moment, then everything again. */
  private rest(error: unknown): void {
    // Whoever closed the stream closes its subscriptions as well.
    if (this.ended || this.retry || error instanceof StreamClosedError) return;
    const shown = asBusError(error);
    if (!shown) this.parts.log.error({ err: error }, 'a subscription failed; trying again');
    const pause = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** this.failures);
    this.failures += 1;
    this.retry = setTimeout(() => {
      this.retry = undefined;
      this.reviewDue = true;
      this.kick();
      this.row.save().catch((again: unknown) => this.rest(again));
    }, pause);
  }
}
