import type { PublishRequest } from '@ssb/bus';
import { BrokerError } from '../domain/broker-failure.js';
import { OutgoingLoads, type Load } from '../domain/outgoing-loads.js';
import { WAITED_TOO_LONG } from './broker-http.js';
import type { MessagePost, PostOutcome } from './message-post.js';

/** A message as its sender gives it: it is signed when it goes. */
export type OutgoingMessage = Omit<PublishRequest, 'signature'>;

interface Waiting {
  readonly message: OutgoingMessage;
  /** Milliseconds of a clock that never goes back. */
  readonly since: number;
  readonly settle: (outcome: PostOutcome) => void;
}

/** What is counted up and down. */
export interface WaitingGauge {
  inc(): void;
  dec(by: number): void;
}

/** What may wait: beyond it a message is refused at once. */
const MOST_WAITING = 10_000;
const MOST_WAITING_BYTES = 67_108_864;

/**
 * One identity's messages on their way to the broker. A message is sent at once while few requests are under way; those that come meanwhile
 * travel together, so that what a request costs is shared by many exactly when there are many. Signing takes longer than all else that is
 * done for a message here, so it is done for one load in a turn of the event loop, in the order of the loads: what else waits for its turn,
 * a message on a quiet channel or a delivery, comes in between.
 */
export class OutgoingMessages {
  private readonly loads = new OutgoingLoads<Waiting>();
  private due = false;

  constructor(
    private readonly requests: Pick<MessagePost, 'post'>,
    /** The identity's signature of a payload. */
    private readonly sign: (payload: string) => string,
    /** Longest wait of a message for its outcome, milliseconds. */
    private readonly timeoutMs: number,
    /** Told how many wait to be sent. */
    private readonly waiting: WaitingGauge,
  ) {}

  /** @returns the message's id. @throws BrokerError, or what signing throws */
  send(message: OutgoingMessage): Promise<string> {
    if (this.loads.waiting >= MOST_WAITING || this.loads.waitingBytes >= MOST_WAITING_BYTES) {
      return Promise.reject(unreachable('too many messages wait for it'));
    }
    return new Promise((resolve, reject) => {
      const settle = (outcome: PostOutcome): void => {
        if (outcome.status === 'fulfilled') resolve(outcome.value);
        else reject(outcome.reason as Error);
      };
      this.loads.add(message.fqcn, { message, since: performance.now(), settle }, bytesOf(message));
      this.waiting.inc();
      this.sendSoon();
    });
  }

  private sendSoon(): void {
    if (this.due) return;
    this.due = true;
    // What else comes in this turn of the event loop travels along.
    setImmediate(() => {
      this.due = false;
      const load = this.loads.next();
      if (load === undefined) return;
      this.sendSoon();
      void this.sendLoad(load);
    });
  }

  private async sendLoad(load: Load<Waiting>): Promise<void> {
    this.waiting.dec(load.items.length);
    const now = performance.now();
    const together = load.items.flatMap((each) => this.ready(each, now) ?? []);
    const longest = Math.max(0, ...together.map(({ since }) => now - since));
    const outcomes = await this.requests.post(
      together.map(({ request }) => request),
      now - longest + this.timeoutMs,
    );
    for (const [place, { settle }] of together.entries()) {
      settle(outcomes[place] ?? { status: 'rejected', reason: unreachable('it told no outcome') });
    }
    this.loads.ended(load);
    this.sendSoon();
  }

  /** Signs a message that is to be sent now; undefined for one that is not and was told so. */
  private ready(waiting: Waiting, now: number): (Waiting & { readonly request: PublishRequest }) | undefined {
    const { message, since, settle } = waiting;
    // Too late for an answer in time: it is not sent, and the others are not hurried because of it.
    if (now - since > this.timeoutMs / 2) {
      settle({ status: 'rejected', reason: unreachable(WAITED_TOO_LONG) });
      return undefined;
    }
    try {
      return { ...waiting, request: { ...message, signature: this.sign(message.payload) } };
    } catch (reason) {
      settle({ status: 'rejected', reason });
      return undefined;
    }
  }
}

/** UTF-8, of everything that a sender may make long: else one message would make a request too large, and spoil the others in it. */
function bytesOf({ fqcn, topic = '', payload, correlationId = '' }: OutgoingMessage): number {
  return [fqcn, topic, payload, correlationId].reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

function unreachable(reason: string): BrokerError {
  return new BrokerError({ kind: 'unreachable', reason });
}
