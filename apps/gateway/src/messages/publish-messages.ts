import { messageOutcomes, receivedPublishSuccess, type BatchMessage, type MessageOutcome } from '@ssb/bus';
import type { BrokerClient } from '../broker/broker-client.js';
import { BrokerError, invalidBrokerResponse } from '../broker/broker-error.js';
import type { SigningIdentity } from '../identity/identity.service.js';

/** The outcome of one message: its id on the bus, or the BrokerError that refused it. */
export type PublishOutcome = PromiseSettledResult<string>;

/** Statuses that refuse the whole batch. The messages are then posted one by one. */
const BATCH_REFUSALS: ReadonlySet<number> = new Set([400, 404, 405, 409, 413, 422]);

/**
 * Publishes messages in one request, or one by one when the broker refuses the batch. Never rejects.
 * @param deadline when the last outcome must have arrived, in milliseconds of `performance.now()`
 * @returns an outcome for each message, in their order
 */
export async function publishMessages(
  broker: BrokerClient,
  identity: SigningIdentity,
  messages: readonly BatchMessage[],
  deadline: number,
): Promise<readonly PublishOutcome[]> {
  const publishOne = async ({ traceparent, ...body }: BatchMessage): Promise<string> => {
    const request = { method: 'POST', path: '/message', body, traceparent, deadline } as const;
    return (await broker.call(identity, request, receivedPublishSuccess)).id;
  };
  if (messages.length > 1) {
    try {
      const request = { method: 'POST', path: '/messages', body: messages, deadline } as const;
      const outcomes = await broker.call(identity, request, messageOutcomes);
      if (outcomes.length === messages.length) return outcomes.map(toPublishOutcome);
      throw invalidBrokerResponse(`${outcomes.length} outcomes for ${messages.length} messages`);
    } catch (error) {
      if (!isBatchRefused(error)) return messages.map(() => ({ status: 'rejected', reason: error }));
    }
  }
  return Promise.allSettled(messages.map(publishOne));
}

function toPublishOutcome(outcome: MessageOutcome): PublishOutcome {
  return 'id' in outcome
    ? { status: 'fulfilled', value: outcome.id }
    : { status: 'rejected', reason: new BrokerError({ kind: 'refused', ...outcome }) };
}

function isBatchRefused(error: unknown): boolean {
  if (!(error instanceof BrokerError) || error.problem.kind !== 'refused') return false;
  return BATCH_REFUSALS.has(error.problem.status);
}
