import type { Delivery } from '../webhook/webhook-receiver.js';
import type { EventTrace } from '../system/event-trace.js';
import { buildDemoResult, renderDemoResult } from './demo-result.js';

const expected = {
  type: 'settlementbus.statement.published.v1',
  subject: 'WPGENCO/WEM/2026-11-06/INITIAL',
};

const trace: EventTrace = {
  eventId: '0b5e3a0e-5f6c-4d7e-8a9b-0c1d2e3f4a5b',
  ...expected,
  factTime: '2026-11-20T08:00:00+08:00',
  origin: 'did:ethr:0x2D217D0000000000000000000000000000a205Aa',
  deliveryKind: 'notice',
  sinks: ['log', 'treasury'],
  at: {
    detected: '2026-11-20T00:00:01.000Z',
    queued: '2026-11-20T00:00:01.001Z',
    published: '2026-11-20T00:00:01.010Z',
    verified: '2026-11-20T00:00:01.020Z',
    archived: '2026-11-20T00:00:01.021Z',
    delivered: '2026-11-20T00:00:01.030Z',
  },
};

const delivery: Delivery = {
  id: trace.eventId,
  body: '{}',
  receivedAt: Date.parse('2026-11-20T00:00:01.029Z'),
  attempts: 1,
};

/** The trace of an event whose last completed step is `step`. */
function traceUpTo(step: keyof EventTrace['at']): EventTrace {
  const steps = Object.entries(trace.at);
  const last = steps.findIndex(([name]) => name === step);
  return { ...trace, sinks: [], at: Object.fromEntries(steps.slice(0, last + 1)) };
}

describe('buildDemoResult', () => {
  it('is successful when every expected event is complete', () => {
    const result = buildDemoResult([expected], [trace], [delivery], [], 20);
    expect(result).toMatchObject({ ok: true, missing: [] });
    expect(result.events).toEqual([
      {
        ...expected,
        id: trace.eventId,
        factTime: '2026-11-20T08:00:00+08:00',
        detectedAt: '2026-11-20T00:00:01.000Z',
        verifiedAt: '2026-11-20T00:00:01.020Z',
        archivedAt: '2026-11-20T00:00:01.021Z',
        deliveredAt: '2026-11-20T00:00:01.029Z',
        origin: trace.origin,
        deliveryKind: 'notice',
      },
    ]);
    expect(renderDemoResult(result, 60)).toContain('All 1 events arrived');
  });

  it.each<[string, EventTrace | undefined, string[], string]>([
    ['nothing happened', undefined, [`${expected.subject}/invoice/1`], 'not published by the market'],
    ['it was published', undefined, [expected.subject], 'published by the market'],
    ['it was detected', traceUpTo('detected'), [expected.subject], 'detected'],
    ['it was archived', traceUpTo('archived'), [expected.subject], 'archived'],
    ['one sink has it', { ...trace, sinks: ['log'] }, [expected.subject], 'delivered to log'],
  ])('shows the last step of a missing event when %s', (_, seen, published, lastSeen) => {
    const result = buildDemoResult([expected], [seen], [], published, 20);
    expect(result).toMatchObject({ ok: false, missing: [{ ...expected, lastSeen }] });
    expect(renderDemoResult(result, 5)).toContain(
      `Missing after 5 s:\n  ${expected.type}  ${expected.subject}\n    last seen: ${lastSeen}`,
    );
  });
});
