import type { BusMessage, ErrorDetail } from '@ssb/bus';
import { LRUCache } from 'lru-cache';
import type { Subscription, SubscriptionHandler } from '../broker/broker-stream.js';

interface Member {
  readonly handler: SubscriptionHandler;
  /** Sent to this member, not taken by its socket yet. */
  readonly pending: Set<string>;
  /** It has been sent what was under way when it joined, and from then on gets everything. */
  ready: boolean;
  /** Took something since its patience was last looked at. */
  moved: boolean;
}

interface Outstanding {
  readonly message: BusMessage;
  /** Members that have not taken it yet. */
  waiting: number;
  taken: boolean;
}

export interface SharingOptions {
  readonly open: (handler: SubscriptionHandler) => Subscription;
  readonly window: number;
  /** How long a member that takes nothing may hold up the others; milliseconds. */
  readonly patienceMs: number;
  /** Called once, when the last member is gone or the broker ended the subscription. */
  readonly onEnd: () => void;
}

const TOO_SLOW: ErrorDetail = {
  code: 'BUS::TOO_SLOW',
  reason: 'The client does not read fast enough, and others would have to wait for it.',
};

/** Ids of messages that every member had, kept to drop repeats after a renewal. */
const MAX_REMEMBERED = 10_000;

/**
 * One subscription for several clients: each gets every message, and a message counts as received when all that it was sent to have
 * taken it or are gone. Whoever joins is sent what is under way first, so that nobody's going makes another miss or reorder anything.
 * A member that fills the window and takes nothing while another has everything is let go, so that it slows nobody for long.
 */
export class SharedSubscription {
  private readonly members = new Set<Member>();
  /** In the broker's order. */
  private readonly outstanding = new Map<string, Outstanding>();
  private readonly remembered = new LRUCache<string, true>({ max: MAX_REMEMBERED });
  private readonly upstream: Subscription;
  private active = false;
  private refusal: ErrorDetail | undefined;
  private patience: NodeJS.Timeout | undefined;

  constructor(private readonly options: SharingOptions) {
    this.upstream = this.subscribe();
  }

  join(handler: SubscriptionHandler): Subscription {
    const member: Member = { handler, pending: new Set(), ready: false, moved: false };
    this.members.add(member);
    // Later, as with a subscription of its own: the caller has not even got its handle yet.
    queueMicrotask(() => this.welcome(member));
    return {
      acknowledge: (fqcn, ids) => this.take(member, fqcn, ids),
      end: () => this.leave(member),
    };
  }

  private subscribe(): Subscription {
    return this.options.open({
      subscribed: () => this.begin(),
      messages: (messages) => this.deliver(messages),
      gap: (missed) => {
        for (const { handler } of this.members) handler.gap(missed);
      },
      refused: (err) => {
        this.refusal = err;
        // Whoever joins from now on is told of it as well.
        this.active = false;
        for (const { handler } of this.members) handler.refused(err);
      },
      closed: (err) => {
        const members = [...this.members];
        this.members.clear();
        this.end();
        for (const { handler } of members) handler.closed(err);
      },
    });
  }

  private welcome(member: Member): void {
    if (!this.members.has(member)) return;
    member.ready = true;
    if (this.active) member.handler.subscribed();
    else if (this.refusal) member.handler.refused(this.refusal);
    // One by one: all together may be more than a frame takes.
    for (const each of this.outstanding.values()) {
      each.waiting += 1;
      this.send(member, [each.message]);
    }
  }

  private begin(): void {
    this.active = true;
    this.refusal = undefined;
    this.outstanding.clear();
    this.stopWatching();
    for (const { handler, pending, ready } of this.members) {
      pending.clear();
      if (ready) handler.subscribed();
    }
  }

  private deliver(messages: readonly BusMessage[]): void {
    const fresh = messages.filter(({ id }) => !this.remembered.has(id));
    for (const { id, fqcn } of messages) if (this.remembered.has(id)) this.upstream.acknowledge(fqcn, [id]);
    const ready = [...this.members].filter((member) => member.ready);
    for (const message of fresh)
      this.outstanding.set(message.id, { message, waiting: ready.length, taken: false });
    for (const member of ready) this.send(member, fresh);
  }

  private send({ handler, pending }: Member, messages: readonly BusMessage[]): void {
    if (messages.length === 0) return;
    for (const { id } of messages) pending.add(id);
    handler.messages(messages);
  }

  private take(member: Member, fqcn: string, ids: readonly string[]): void {
    const done: string[] = [];
    for (const id of ids) {
      const message = this.outstanding.get(id);
      if (!member.pending.delete(id) || message === undefined) continue;
      member.moved = true;
      message.taken = true;
      message.waiting -= 1;
      if (message.waiting === 0) done.push(this.finish(id));
    }
    if (done.length > 0) this.upstream.acknowledge(fqcn, done);
    if (this.isHeldUp()) this.watch();
  }

  private leave(member: Member): void {
    if (!this.members.delete(member)) return;
    if (this.members.size === 0) {
      this.upstream.end();
      this.end();
      return;
    }
    for (const id of member.pending) {
      const each = this.outstanding.get(id);
      if (each === undefined) continue;
      each.waiting -= 1;
      // Taken by nobody: those that are left have only just joined, and are sent it.
      if (each.waiting === 0 && each.taken) this.upstream.acknowledge(each.message.fqcn, [this.finish(id)]);
    }
  }

  private finish(id: string): string {
    this.outstanding.delete(id);
    this.remembered.set(id, true);
    return id;
  }

  private end(): void {
    this.stopWatching();
    this.options.onEnd();
  }

  private stopWatching(): void {
    clearTimeout(this.patience);
    this.patience = undefined;
  }

  /** Nothing more comes while somebody has everything. */
  private isHeldUp(): boolean {
    if (this.outstanding.size < this.options.window) return false;
    return [...this.members].some(({ pending }) => pending.size === 0);
  }

  /** One chunk of the broker fills the window, and one socket takes it before another: each gets its time. */
  private watch(): void {
    if (this.patience !== undefined) return;
    for (const member of this.members) member.moved = false;
    this.patience = setTimeout(() => {
      this.patience = undefined;
      if (!this.isHeldUp()) return;
      this.letSlowOnesGo();
      if (this.isHeldUp()) this.watch();
    }, this.options.patienceMs);
  }

  private letSlowOnesGo(): void {
    for (const member of [...this.members]) {
      if (member.pending.size === 0 || member.moved) continue;
      member.handler.closed(TOO_SLOW);
      this.leave(member);
    }
  }
}
