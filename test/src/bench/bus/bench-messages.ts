import { randomUUID } from 'node:crypto';
import type { SendMessage } from '@ssb/bus';
import type { RunningBus } from '../../harness/running-bus.js';

export const BUSY = 'busy.channels.bench.apps.bridge.iam.local';
export const QUIET = 'quiet.channels.bench.apps.bridge.iam.local';
const TOPIC = 'figures';

/** What the topic's schema asks of a message; `sentAt` is the clock of whoever measures, milliseconds. */
export interface Figures {
  readonly number: number;
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

/** Two channels, from the first gateway to the second. */
export async function makeChannels(bus: RunningBus, publisher: string, subscriber: string): Promise<void> {
  const rights = { publishers: [bus.gateway(publisher).did], subscribers: [bus.gateway(subscriber).did] };
  for (const fqcn of [BUSY, QUIET])
    await bus.admin.ensureChannel({ fqcn, topics: [{ namespace: TOPIC, schema: SCHEMA }], ...rights });
}

/** A message of some 1 kB, sent now. */
export function messageOn(fqcn: string, number: number): SendMessage {
  const figures: Figures = { number, sentAt: performance.now(), filler: 'x'.repeat(960) };
  return { fqcn, topic: TOPIC, payload: JSON.stringify(figures), transactionId: randomUUID() };
}
