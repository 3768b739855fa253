import type { DetectedEvent } from '@ssb/events';
import { generatePrivateKey } from '@ssb/identity';
import { createLogger, Metrics } from '@ssb/platform';
import { PublisherMetrics } from './publisher-metrics.js';
import { Publish } from './publish.js';

describe('an attempt that breaks off for a reason that nobody foresaw', () => {
  it('is tried again, and told by the kind of the error alone', async () => {
    const lines: string[] = [];
    const publish = new Publish({
      // An operator's file without its routes: the programming error of the day.
      config: { participants: [], senders: [] } as never,
      originKey: generatePrivateKey(),
      gateway: { sendMessage: () => Promise.reject(new Error('not reached')) },
      metrics: new PublisherMetrics(new Metrics()),
      log: createLogger({
        name: 'bus-publisher',
        level: 'info',
        format: 'json',
        stream: { write: (line) => void lines.push(line) },
      }),
    });
    const event = { id: 'an-id', type: 'settlementbus.margin.breached.v1', subject: 'WPGENCO/prudential' };
    const handled = await publish.publish({
      event: event as DetectedEvent,
      attempt: 1,
      queuedAt: new Date(),
    });
    expect(handled).toEqual({
      outcome: 'retry',
      reason: 'the attempt broke off with an unforeseen TypeError',
    });
    expect(lines).toEqual([expect.stringContaining('"eventId":"an-id"')]);
  });
});
