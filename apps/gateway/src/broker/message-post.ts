import { messageOutcomes, publishSuccess, type MessageOutcome, type PublishRequest } from '@ssb/bus';
import type { ZodType } from 'zod';
import { BrokerError } from '../domain/broker-failure.js';
import type { BrokerCall } from './broker-http.js';

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
