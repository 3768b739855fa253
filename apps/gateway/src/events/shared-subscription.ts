import { createHash } from 'node:crypto';
import type { ErrorDetail, MissedMessages } from '@ssb/bus';
import { LRUCache } from 'lru-cache';
import type { BrokerStream } from '../broker/broker-stream.js';
import type {
  SubscriptionHandle,
  SubscriptionHandler,
  SubscriptionOptions,
} from '../broker/broker-subscription.js';
import type { DeliveredMessage } from '../broker/to-message.js';
import { UNNAMED_CLIENT_ID } from '../messages/bus-names.js';

interface Member {
  readonly handler: SubscriptionHandler;
  /** Ids of messages that were sent to this member and that its socket has not accepted yet. */
  readonly pending: Set<string>;
  /** Whether it has been sent the messages that were outstanding when it joined. From then on it gets every message. */
  ready: boolean;
  /** Whether it accepted a message since the stall check began. */
  progressed: boolean;
}

interface OutstandingMessage {
  readonly message: DeliveredMessage;
  /** Number of members that have not accepted it yet. */
  waiting: number;
  /** Whether a member has accepted it. */
  accepted: boolean;
}

const TOO_SLOW: ErrorDetail = {
  code: 'BUS::TOO_SLOW',
  reason: 'The client does not read fast enough, and others would have to wait for it.',
};

/** Number of acknowledged ids that are kept to drop repeats. */
const MAX_ACKNOWLEDGED = 10_000;

/** A member that accepts nothing for this long while others wait does not read. Network stalls are shorter. */
const STALL_TIMEOUT_MS = 1_000;

/**
 * One broker subscription for several clients, each of which gets every message.
 * A message is acknowledged when all members that it was sent to have accepted it or left.
 */
export class SharedSubscription implements SubscriptionHandler {
  private readonly members = new Set<Member>();
  /** In the broker's order. */
  private readonly outstanding = new Map<string, OutstandingMessage>();
  private readonly acknowledged = new LRUCache<string, true>({ max: MAX_ACKNOWLEDGED });
  private readonly upstream: SubscriptionHandle;
  private active = false;
  private refusal: ErrorDetail | undefined;
  private stallCheck: NodeJS.Timeout | undefined;

  constructor(
    stream: Pick<BrokerStream, 'subscribe'>,
    private readonly options: SubscriptionOptions,
    /** Called once, when the last member has left or the broker ended the subscription. */
    private readonly onEnd: () => void,
    private readonly stallTimeoutMs = STALL_TIMEOUT_MS,
  ) {
    this.upstream = stream.subscribe(options, this);
  }

  join(handler: SubscriptionHandler): SubscriptionHandle {
    const member: Member = { handler, pending: new Set(), ready: false, progressed: false };
    this.members.add(member);
    // Deferred, because the caller does not have its handle yet.
    queueMicrotask(() => this.activate(member));
    return {
      acknowledge: (fqcn, ids) => this.accept(member, fqcn, ids),
      end: () => this.leave(member),
    };
  }

  onSubscribed(): void {
    this.active = true;
    this.refusal = undefined;
    this.outstanding.clear();
    this.stopStallCheck();
    for (const { handler, pending, ready } of this.members) {
      pending.clear();
      if (ready) handler.onSubscribed();
    }
  }

  onMessages(messages: readonly DeliveredMessage[]): void {
    const repeated = messages.filter(({ id }) => this.acknowledged.has(id));
    for (const { id, fqcn } of repeated) this.upstream.acknowledge(fqcn, [id]);
    const newMessages = messages.filter(({ id }) => !this.acknowledged.has(id));
    const ready = [...this.members].filter((member) => member.ready);
    for (const message of newMessages) {
      this.outstanding.set(message.id, { message, waiting: ready.length, accepted: false });
    }
    for (const member of ready) sendTo(member, newMessages);
  }

  onGap(missed: MissedMessages): void {
    for (const { handler } of this.members) handler.onGap(missed);
  }

  onRefused(err: ErrorDetail): void {
    this.refusal = err;
    // Members that join later get the refusal too.
    this.active = false;
    for (const { handler } of this.members) handler.onRefused(err);
  }

  onClosed(err: ErrorDetail): void {
    const members = [...this.members];
    this.members.clear();
    this.end();
    for (const { handler } of members) handler.onClosed(err);
  }

  /** Sends the state and the outstanding messages, so that a new member loses nothing when others leave. */
  private activate(member: Member): void {
    if (!this.members.has(member)) return;
    member.ready = true;
    if (this.active) member.handler.onSubscribed();
    else if (this.refusal) member.handler.onRefused(this.refusal);
    // One by one, because together they may exceed the size of a frame.
    for (const each of this.outstanding.values()) {
      each.waiting += 1;
      sendTo(member, [each.message]);
    }
  }

  private accept(member: Member, fqcn: string, ids: readonly string[]): void {
    const acceptedByAll: string[] = [];
    for (const id of ids) {
      const each = this.outstanding.get(id);
      if (!member.pending.delete(id) || each === undefined) continue;
      member.progressed = true;
      each.accepted = true;
      each.waiting -= 1;
      if (each.waiting === 0) acceptedByAll.push(id);
    }
    if (acceptedByAll.length > 0) this.acknowledge(fqcn, acceptedByAll);
    if (this.isStalled()) this.startStallCheck();
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
      // A message that no member has accepted is sent to the members that are about to join.
      if (each.waiting === 0 && each.accepted) this.acknowledge(each.message.fqcn, [id]);
    }
  }

  private acknowledge(fqcn: string, ids: readonly string[]): void {
    for (const id of ids) {
      this.outstanding.delete(id);
      this.acknowledged.set(id, true);
    }
    this.upstream.acknowledge(fqcn, ids);
  }

  private end(): void {
    this.stopStallCheck();
    this.onEnd();
  }

  /** Whether the window is full although a member has accepted all its messages, so that it waits for the others. */
  private isStalled(): boolean {
    if (this.outstanding.size < this.options.window) return false;
    return [...this.members].some(({ pending }) => pending.size === 0);
  }

  private startStallCheck(): void {
    if (this.stallCheck !== undefined) return;
    for (const member of this.members) member.progressed = false;
    this.stallCheck = setTimeout(() => {
      this.stallCheck = undefined;
      if (!this.isStalled()) return;
      this.closeStalledMembers();
      if (this.isStalled()) this.startStallCheck();
    }, this.stallTimeoutMs);
  }

  private stopStallCheck(): void {
    clearTimeout(this.stallCheck);
    this.stallCheck = undefined;
  }

  /** Closes the members that make others wait. */
  private closeStalledMembers(): void {
    for (const member of [...this.members]) {
      if (member.pending.size === 0 || member.progressed) continue;
      member.handler.onClosed(TOO_SLOW);
      this.leave(member);
    }
  }
}

function sendTo({ handler, pending }: Member, messages: readonly DeliveredMessage[]): void {
  if (messages.length === 0) return;
  for (const { id } of messages) pending.add(id);
  handler.onMessages(messages);
}

/** The subscriptions of clients without a `clientId`: one for each selection of channels. */
export class SharedSubscriptions {
  /** By the broker's client id. */
  private readonly subscriptions = new Map<string, SharedSubscription>();

  constructor(
    private readonly stream: Pick<BrokerStream, 'subscribe'>,
    private readonly window: number,
  ) {}

  join(fqcn: readonly string[] | undefined, handler: SubscriptionHandler): SubscriptionHandle {
    const clientId = toUnnamedClientId(fqcn);
    const existing = this.subscriptions.get(clientId);
    if (existing) return existing.join(handler);
    const options = { clientId, fqcn, window: this.window };
    const created = new SharedSubscription(this.stream, options, () => this.subscriptions.delete(clientId));
    this.subscriptions.set(clientId, created);
    return created.join(handler);
  }
}

/** Each selection of channels has its own client id at the broker, and so its own offsets. */
function toUnnamedClientId(fqcn: readonly string[] | undefined): string {
  if (fqcn === undefined) return UNNAMED_CLIENT_ID;
  const selection = JSON.stringify([...new Set(fqcn)].sort());
  return `${UNNAMED_CLIENT_ID}:${createHash('sha256').update(selection).digest('hex').slice(0, 32)}`;
}
