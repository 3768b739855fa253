import type { BusMessage, ErrorDetail } from '@ssb/bus';
import type { Subscription, SubscriptionHandler } from '../broker/broker-stream.js';
import { TOO_SLOW } from './too-slow.js';

interface Member {
  readonly handler: SubscriptionHandler;
  /** Sent to this member, not taken by its socket yet. */
  readonly pending: Set<string>;
}

interface Outstanding {
  readonly fqcn: string;
  /** Members that have not taken it yet. */
  waiting: number;
  taken: boolean;
}

/** Ids of messages that every member had, kept to drop repeats after a renewal. */
const MOST_REMEMBERED = 10_000;

/**
 * One subscription for several clients: each gets every message, and a message counts as received when all that it was sent to have
 * taken it or are gone. A member that fills the window while another has taken everything is let go, so that it slows nobody.
 */
export class SharedSubscription {
  private readonly members = new Set<Member>();
  private readonly outstanding = new Map<string, Outstanding>();
  private readonly remembered = new Set<string>();
  private upstream: Subscription;
  private active = false;
  private refusal: ErrorDetail | undefined;

  constructor(
    private readonly open: (handler: SubscriptionHandler) => Subscription,
    private readonly window: number,
    /** Called once, when the last member is gone or the broker ended the subscription. */
    private readonly onEnd: () => void,
  ) {
    this.upstream = this.subscribe();
  }

  join(handler: SubscriptionHandler): Subscription {
    const member: Member = { handler, pending: new Set() };
    this.members.add(member);
    // Later, as with a subscription of its own: the caller has not even got its handle yet.
    queueMicrotask(() => {
      if (!this.members.has(member)) return;
      if (this.active) handler.subscribed();
      else if (this.refusal) handler.refused(this.refusal);
    });
    return {
      acknowledge: (fqcn, ids) => this.take(member, fqcn, ids),
      end: () => this.leave(member),
    };
  }

  private subscribe(): Subscription {
    return this.open({
      subscribed: () => this.begin(),
      messages: (messages) => this.deliver(messages),
      gap: (missed) => {
        for (const { handler } of this.members) handler.gap(missed);
      },
      refused: (err) => {
        this.refusal = err;
        for (const { handler } of this.members) handler.refused(err);
      },
      closed: (err) => {
        const members = [...this.members];
        this.members.clear();
        this.onEnd();
        for (const { handler } of members) handler.closed(err);
      },
    });
  }

  private begin(): void {
    this.active = true;
    this.refusal = undefined;
    this.outstanding.clear();
    for (const { handler, pending } of this.members) {
      pending.clear();
      handler.subscribed();
    }
  }

  private deliver(messages: readonly BusMessage[]): void {
    const fresh = messages.filter(({ id }) => !this.remembered.has(id));
    for (const { id, fqcn } of messages) if (this.remembered.has(id)) this.upstream.acknowledge(fqcn, [id]);
    for (const { id, fqcn } of fresh) {
      this.outstanding.set(id, { fqcn, waiting: this.members.size, taken: false });
      for (const { pending } of this.members) pending.add(id);
    }
    if (fresh.length > 0) for (const { handler } of [...this.members]) handler.messages(fresh);
  }

  private take(member: Member, fqcn: string, ids: readonly string[]): void {
    const done: string[] = [];
    for (const id of ids) {
      const message = this.outstanding.get(id);
      if (!member.pending.delete(id) || message === undefined) continue;
      message.taken = true;
      message.waiting -= 1;
      if (message.waiting === 0) done.push(this.finish(id));
    }
    if (done.length > 0) this.upstream.acknowledge(fqcn, done);
    if (member.pending.size === 0 && this.outstanding.size >= this.window) this.letSlowOnesGo();
  }

  private leave(member: Member): void {
    if (!this.members.delete(member)) return;
    if (this.members.size === 0) {
      this.upstream.end();
      this.onEnd();
      return;
    }
    let lost = false;
    for (const id of member.pending) {
      const message = this.outstanding.get(id);
      if (message === undefined) continue;
      message.waiting -= 1;
      if (message.waiting > 0) continue;
      if (message.taken) this.upstream.acknowledge(message.fqcn, [this.finish(id)]);
      else lost = true;
    }
    // Whoever joined meanwhile was not sent it: the broker delivers it again.
    if (lost) this.renew();
  }

  private renew(): void {
    this.upstream.end();
    this.active = false;
    this.upstream = this.subscribe();
  }

  private finish(id: string): string {
    this.outstanding.delete(id);
    this.remembered.add(id);
    const [oldest] = this.remembered;
    if (this.remembered.size > MOST_REMEMBERED && oldest !== undefined) this.remembered.delete(oldest);
    return id;
  }

  private letSlowOnesGo(): void {
    for (const member of [...this.members]) {
      if (member.pending.size === 0) continue;
      member.handler.closed(TOO_SLOW);
      this.leave(member);
    }
  }
}
