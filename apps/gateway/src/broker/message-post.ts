import { messageOutcomes, publishSuccess, type MessageOutcome, type PublishRequest } from '@ssb/bus';
import type { ZodType } from 'zod';
import { BrokerError } from '../domain/broker-failure.js';
import type { BrokerCall } from './broker-http.js';

/** Asks the broker as one identity. @throws BrokerError */
export type AskBroker = <T>(call: BrokerCall, schema: ZodType<T>) => Promise<T>;

/** What became of a message: its id, or the BrokerError that it is refused with. */
export type PostOutcome = PromiseSettledResult<string>;

/** A broker that does not know `POST /messages` is not asked for it again for so long. */
const ALONE_MS = 60_000;

/** Posts messages: one by itself as the contract has it since ever, several together, or one by one to a broker that takes no others. */
export class MessagePost {
  private aloneUntil = 0;

  constructor(private readonly ask: AskBroker) {}

  /** @returns one outcome for each message, in their order. Never rejects: what fails a request fails each of its messages. */
  async post(messages: readonly PublishRequest[], timeoutMs: number): Promise<readonly PostOutcome[]> {
    if (messages.length > 1 && performance.now() >= this.aloneUntil) {
      try {
        return await this.together(messages, timeoutMs);
      } catch (error) {
        if (!isUnknownOperation(error)) return messages.map(() => ({ status: 'rejected', reason: error }));
        this.aloneUntil = performance.now() + ALONE_MS;
      }
    }
    return Promise.allSettled(messages.map((message) => this.alone(message, timeoutMs)));
  }

  private async alone(body: PublishRequest, timeoutMs: number): Promise<string> {
    return (await this.ask({ method: 'POST', path: '/message', body, timeoutMs }, publishSuccess)).id;
  }

  private async together(
    body: readonly PublishRequest[],
    timeoutMs: number,
  ): Promise<readonly PostOutcome[]> {
    const outcomes = await this.ask({ method: 'POST', path: '/messages', body, timeoutMs }, messageOutcomes);
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

/** What is wrong with a single message is told in its outcome; the address itself is unknown here. */
function isUnknownOperation(error: unknown): boolean {
  if (!(error instanceof BrokerError) || error.problem.kind !== 'refused') return false;
  return error.problem.status === 404 || error.problem.status === 405;
}
