import type { SubscribeRequest } from '@ssb/bus';
import { type Did, identityOf } from '@ssb/identity';
import type { Logger } from '@ssb/platform';
import { backoffDelayMs } from '@ssb/resilience';
import { asBusError } from '../errors/bus-error.js';
import type { Directory } from '../permissions/permission.service.js';
import type { MessageLog } from '../storage/message-log.js';
import type { Change } from '../storage/redis/change-notifications.js';
import type { RoleRegister } from '../storage/redis/role.repository.js';
import type { SessionRegister } from '../storage/redis/session.store.js';
import { Feeds } from './channel-feeds.js';
import { StreamClosedError, type Outlet } from './outlet.js';
import { review, reviewWeight } from './subscription-review.js';
import { sendPage } from './send-page.js';
import { SessionHold } from './session-lease.js';

/** What every stream works with. */
export interface StreamParts {
  readonly directory: Directory;
  readonly messages: MessageLog;
  readonly sessions: SessionRegister;
  readonly roles: RoleRegister;
  readonly log: Logger;
  /** Messages sent. */
  readonly pushed: { inc(messages: number): void };
  /** Times that retention took messages before a reader had them. */
  readonly gaps: { inc(): void };
}

/** What the steps of a subscription work with. */
export interface SubscriptionContext {
  readonly did: Did;
  readonly request: SubscribeRequest;
  readonly outlet: Outlet;
  readonly parts: StreamParts;
  readonly hold: SessionHold;
  readonly feeds: Feeds;
  /** Whether the subscription goes on. */
  readonly wanted: () => boolean;
}

const RETRY_BACKOFF = { baseMs: 100, maxMs: 2_000 };

/**
 * One subscription: reads on from the stored positions whenever something wakes it, channel by channel in turn, as far as the window
 * allows. A single loop does one thing at a time: look at rights and session when they may have changed, otherwise send the next batch.
 * When the engine is away the loop rests and comes back by itself.
 */
export class Subscription {
  private readonly dependence: Dependence;
  private readonly context: SubscriptionContext;
  private ended = false;
  private looping = false;
  private reviewDue = true;
  private retry: NodeJS.Timeout | undefined;
  private failures = 0;
  private firstLookDone: () => void = () => undefined;
  private readonly firstLook = new Promise<void>((resolve) => (this.firstLookDone = resolve));

  constructor(
    did: Did,
    request: SubscribeRequest,
    outlet: Outlet,
    private readonly parts: StreamParts,
    /** Called once, when the subscription ends by itself. */
    private readonly onEnd: () => void,
  ) {
    const { clientId, window, fqcn: channels } = request;
    const address = identityOf(did);
    const session = JSON.stringify([address, clientId]);
    this.dependence = { address, session, channels };
    const hold = new SessionHold(parts.sessions, session, () => this.review());
    const feeds = new Feeds(parts.messages, { address, clientId }, window);
    this.context = { did, request, outlet, parts, hold, feeds, wanted: () => !this.ended };
  }

  /** Starts; resolves when rights and session have been looked at, or when that failed and is to be tried again. Never rejects. */
  begin(): Promise<void> {
    this.review();
    return this.firstLook;
  }

  /** A message was appended on this channel, or (undefined) may have been on any. */
  wake(fqcn: string | undefined): void {
    if (this.context.feeds.wake(fqcn)) this.kick();
  }

  /** Something changed, or (undefined) may have. */
  changed(change: Change | undefined): void {
    if (concerns(change, this.dependence)) this.review();
  }

  acknowledge(fqcn: string, ids: readonly string[]): void {
    const feed = this.context.feeds.find(fqcn);
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
    await this.context.feeds.save().catch((error: unknown) => {
      log.warn({ err: error }, 'positions could not be stored; those messages come again');
    });
    await this.context.hold.release().catch((error: unknown) => {
      log.warn({ err: error }, 'a session could not be given up; the next subscription takes it over');
    });
  }

  /** Rights, channels or the session may have changed. */
  private review(): void {
    this.reviewDue = true;
    this.kick();
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
      const { next } = this.context.feeds;
      if (this.reviewDue || !next) await this.look();
      else if (!(await sendPage(this.context, next))) this.reviewDue = true;
    }
  }

  private hasWork(): boolean {
    if (this.ended || this.retry) return false;
    const { feeds } = this.context;
    return this.reviewDue || (feeds.room > 0 && feeds.next !== undefined);
  }

  private async look(): Promise<void> {
    this.reviewDue = false;
    const { outlet, request } = this.context;
    const looked = outlet.reviews(reviewWeight(request), () => review(this.context));
    const { frames, ends } = await looked.finally(this.firstLookDone);
    if (this.ended) return;
    if (ends) {
      this.ended = true;
      this.onEnd();
    }
    for (const frame of frames) await outlet.send(frame);
  }

  /** After a failure: nothing for a moment, then everything again. */
  private rest(error: unknown): void {
    // Whoever closed the stream closes its subscriptions as well.
    if (this.ended || this.retry || error instanceof StreamClosedError) return;
    const shown = asBusError(error);
    if (!shown) this.parts.log.error({ err: error }, 'a subscription failed; trying again');
    this.failures += 1;
    this.retry = setTimeout(
      () => {
        this.retry = undefined;
        this.reviewDue = true;
        this.kick();
        this.context.feeds.save().catch((again: unknown) => this.rest(again));
      },
      backoffDelayMs(this.failures, RETRY_BACKOFF, Math.random()),
    );
  }
}

/** What a subscription depends on. */
export interface Dependence {
  /** Of the identity, in lower case. */
  readonly address: string;
  readonly session: string;
  /** Undefined: every channel. */
  readonly channels: readonly string[] | undefined;
}

/** Whether a change, or (undefined) any that may have happened, can matter to a subscription. */
export function concerns(change: Change | undefined, on: Dependence): boolean {
  switch (change?.kind) {
    case undefined:
      return true;
    case 'role':
      return change.address === on.address;
    case 'session':
      return change.session === on.session;
    case 'channel':
      return on.channels === undefined || on.channels.includes(change.fqcn);
  }
}
