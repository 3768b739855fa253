import { randomUUID } from 'node:crypto';
import type { SendMessage } from '@ssb/bus';
import type { RunningBus } from '../../harness/running-bus.js';

export const BUSY_CHANNEL = 'busy.channels.bench.apps.bridge.iam.local';
export const QUIET_CHANNEL = 'quiet.channels.bench.apps.bridge.iam.local';
const TOPIC = 'figures';

/** The payload of a message, as the topic's schema requires. */
export interface BenchPayload {
  readonly number: number;
  /** Milliseconds of the benchmark's clock. */
  readonly sentAt: number;
  readonly filler: string;
}

const SCHEMA = JSON.stringify({
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'object',
  required: ['number', 'sentAt', 'filler'],
  additionalProperties: false,
  properties: {
    number: { type: 'integer', minimum: 0 },
    sentAt: { type: 'number' },
    filler: { type: 'string', maxLength: 2_000 },
  },
});

/** Creates two channels from the publisher to the subscriber. */
export async function createChannels(bus: RunningBus, publisher: string, subscriber: string): Promise<void> {
  const rights = { publishers: [bus.gateway(publisher).did], subscribers: [bus.gateway(subscriber).did] };
  for (const fqcn of [BUSY_CHANNEL, QUIET_CHANNEL])
    await bus.admin.ensureChannel({ fqcn, topics: [{ namespace: TOPIC, schema: SCHEMA }], ...rights });
}

/** A message of about 1 kB with the current time. */
export function createMessage(fqcn: string, number: number): SendMessage {
  const payload: BenchPayload = { number, sentAt: performance.now(), filler: 'x'.repeat(960) };
  return { fqcn, topic: TOPIC, payload: JSON.stringify(payload), transactionId: randomUUID() };
}
