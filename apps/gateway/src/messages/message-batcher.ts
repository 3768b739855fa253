import { messageOutcomes, publishSuccess, type MessageOutcome, type PublishRequest } from '@ssb/bus';
import type { ZodType } from 'zod';
import { BrokerError } from '../broker/broker-error.js';
import { OutgoingLoads, type Load } from './batch-scheduler.js';
import { WAITED_TOO_LONG, type BrokerCall } from '../broker/broker-http.js';

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

/** Asks the broker as one identity. @throws BrokerError */
export type AskBroker = <T>(call: BrokerCall, schema: ZodType<T>) => Promise<T>;

/** What became of a message: its id, or the BrokerError that it is refused with. */
export type PostOutcome = PromiseSettledResult<string>;

/**
 * Statuses that speak of a request with several messages: 400 of its form, 409 and 422 of what a broker of another kind made of it, 413 of
 * its size, as a proxy before the broker may limit it, 404 and 405 of its address. What is wrong with a single message is told in its outcome.
 */
const OF_THE_REQUEST: ReadonlySet<number> = new Set([400, 404, 405, 409, 413, 422]);

/**
 * Posts messages: one by itself as the contract has it since ever, several together, or one by one where a request with several is
 * refused.
 */
export class MessagePost {
  constructor(private readonly ask: AskBroker) {}

  /**
   * @param deadline when the last outcome must be told, in milliseconds of `performance.now()`
   * @returns one outcome for each message, in their order. Never rejects: what fails a request fails each of its messages, but for a
   *   refusal of several together, which says nothing of any of them: they are posted one by one then
   */
  async post(messages: readonly PublishRequest[], deadline: number): Promise<readonly PostOutcome[]> {
    if (messages.length > 1) {
      try {
        return await this.together(messages, deadline);
      } catch (error) {
        const status = refusalOf(error);
        if (status === undefined || !OF_THE_REQUEST.has(status)) {
          return messages.map(() => ({ status: 'rejected', reason: error }));
        }
      }
    }
    return Promise.allSettled(messages.map((message) => this.alone(message, deadline)));
  }

  private async alone(body: PublishRequest, deadline: number): Promise<string> {
    return (await this.ask({ method: 'POST', path: '/message', body, deadline }, publishSuccess)).id;
  }

  private async together(body: readonly PublishRequest[], deadline: number): Promise<readonly PostOutcome[]> {
    const outcomes = await this.ask({ method: 'POST', path: '/messages', body, deadline }, messageOutcomes);
    if (outcomes.length !== body.length) {
      const reason = `it answered ${body.length} messages with ${outcomes.length} outcomes`;
      throw new BrokerError({ kind: 'unreachable', reason });
    }
    return outcomes.map(asSettled);
  }
}

function asSettled(outcome: MessageOutcome): PostOutcome {
  if ('id' in outcome) return { status: 'fulfilled', value: outcome.id };
  return { status: 'rejected', reason: new BrokerError({ kind: 'refused', ...outcome }) };
}

/** The status that the broker, or what stands before it, refused a request with. */
function refusalOf(error: unknown): number | undefined {
  return error instanceof BrokerError && error.problem.kind === 'refused' ? error.problem.status : undefined;
}
