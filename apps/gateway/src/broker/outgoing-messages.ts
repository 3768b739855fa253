import { MOST_MESSAGES_TOGETHER, type PublishRequest } from '@ssb/bus';
import { BrokerError } from '../domain/broker-failure.js';
import { OutgoingLine } from '../domain/outgoing-line.js';
import type { MessagePost, PostOutcome } from './message-post.js';

interface Waiting {
  readonly message: PublishRequest;
  /** Milliseconds of a clock that never goes back. */
  readonly since: number;
  readonly settle: (outcome: PostOutcome) => void;
}

/** What is counted up and down. */
export interface WaitingGauge {
  inc(): void;
  dec(by: number): void;
}

/** Requests under way at once: while the broker works on one, the next is on its way to it. */
const MOST_REQUESTS = 2;

/** Small enough for the broker to serve others in between. */
const ONE_REQUEST = { messages: Math.min(64, MOST_MESSAGES_TOGETHER), characters: 262_144 };

/** What may wait: beyond it a message is refused at once. */
const MOST_WAITING = 10_000;
const MOST_WAITING_CHARACTERS = 67_108_864;

/**
 * One identity's messages on their way to the broker. A message is sent at once while fewer requests than allowed are under way; those that
 * come meanwhile travel together, so that what a request costs is shared by many exactly when there are many.
 */
export class OutgoingMessages {
  private readonly line = new OutgoingLine<Waiting>();
  private underWay = 0;
  private due = false;

  constructor(
    private readonly requests: Pick<MessagePost, 'post'>,
    /** Longest wait of a message for its outcome, milliseconds. */
    private readonly timeoutMs: number,
    /** Told how many wait to be sent. */
    private readonly waiting: WaitingGauge,
  ) {}

  /** @returns the message's id. @throws BrokerError */
  send(message: PublishRequest): Promise<string> {
    if (this.line.length >= MOST_WAITING || this.line.characters >= MOST_WAITING_CHARACTERS) {
      return Promise.reject(unreachable('too many messages wait for it'));
    }
    return new Promise((resolve, reject) => {
      const settle = (outcome: PostOutcome): void => {
        if (outcome.status === 'fulfilled') resolve(outcome.value);
        else reject(outcome.reason as Error);
      };
      this.line.add(message.fqcn, { message, since: performance.now(), settle }, message.payload.length);
      this.waiting.inc();
      this.sendSoon();
    });
  }

  private sendSoon(): void {
    if (this.due || this.underWay >= MOST_REQUESTS || this.line.length === 0) return;
    this.due = true;
    // What else comes in this turn of the event loop travels along.
    setImmediate(() => {
      this.due = false;
      while (this.underWay < MOST_REQUESTS && this.line.length > 0) void this.sendNext();
    });
  }

  private async sendNext(): Promise<void> {
    const now = performance.now();
    const taken = this.line.take(ONE_REQUEST);
    this.waiting.dec(taken.length);
    // Too late for an answer in time: it was not sent, and the others are not hurried because of it.
    const late = taken.filter(({ since }) => now - since > this.timeoutMs / 2);
    for (const { settle } of late) {
      settle({ status: 'rejected', reason: unreachable(`no answer within ${this.timeoutMs} ms`) });
    }
    const together = taken.filter((each) => !late.includes(each));
    const longest = Math.max(...together.map(({ since }) => now - since));
    if (together.length === 0) return;
    this.underWay += 1;
    const outcomes = await this.requests.post(
      together.map(({ message }) => message),
      this.timeoutMs - longest,
    );
    this.underWay -= 1;
    const missing: PostOutcome = { status: 'rejected', reason: unreachable('it told no outcome') };
    for (const [place, { settle }] of together.entries()) settle(outcomes[place] ?? missing);
    this.sendSoon();
  }
}

function unreachable(reason: string): BrokerError {
  return new BrokerError({ kind: 'unreachable', reason });
}
