import { EventTraces, getLastStep } from './event-trace.js';

const id = '0b5e3a0e-5f6c-4d7e-8a9b-0c1d2e3f4a5b';
const line = (step: string, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  step,
  eventId: id,
  eventType: 'settlementbus.margin.breached.v1',
  subject: 'WPGENCO/prudential',
  time: `2026-11-20T00:00:0${step.length % 10}.000Z`,
  ...more,
});

describe('EventTraces', () => {
  it('collects the steps of an event from the lines of several apps', () => {
    const traces = new EventTraces();
    traces.record(line('detected'));
    traces.record(line('verified', { origin: 'did:ethr:0x1', factTime: '2026-11-20T08:00:00+08:00' }));
    traces.record(line('delivered', { sink: 'log', deliveryKind: 'alert' }));
    traces.record(line('delivered', { sink: 'treasury', deliveryKind: 'alert' }));
    const [trace] = traces.match([
      { type: 'settlementbus.margin.breached.v1', subject: 'WPGENCO/prudential' },
    ]);
    expect(trace).toMatchObject({
      eventId: id,
      origin: 'did:ethr:0x1',
      factTime: '2026-11-20T08:00:00+08:00',
      deliveryKind: 'alert',
      sinks: ['log', 'treasury'],
    });
    expect(trace && getLastStep(trace)).toBe('delivered');
  });

  it('reads the times of earlier steps from the line of a later step', () => {
    const traces = new EventTraces();
    const earlier = { detectedAt: '2026-11-20T00:00:00.100Z', verifiedAt: '2026-11-20T00:00:00.200Z' };
    traces.record(line('archived', { ...earlier, time: '2026-11-20T00:00:00.300Z' }));
    expect(traces.all()[0]?.at).toEqual({
      detected: earlier.detectedAt,
      verified: earlier.verifiedAt,
      archived: '2026-11-20T00:00:00.300Z',
    });
  });

  it('keeps the first time of a repeated step', () => {
    const traces = new EventTraces();
    traces.record({ ...line('published'), time: 'first' });
    traces.record({ ...line('published'), time: 'second' });
    expect(traces.all()[0]?.at.published).toBe('first');
  });

  it('takes any digest for the one that is expected at the end of a subject', () => {
    const traces = new EventTraces();
    traces.record(line('detected', { subject: `WPGENCO/${'0a'.repeat(32)}` }));
    const expected = ['{digest}', '{digest}/x'].map((end) => ({
      type: 'settlementbus.margin.breached.v1',
      subject: `WPGENCO/${end}`,
    }));
    expect(traces.match(expected).map((trace) => trace?.eventId)).toEqual([id, undefined]);
  });

  it('has another trace for each expected event of one type and subject, in order', () => {
    const traces = new EventTraces();
    traces.record(line('detected', { eventId: 'first' }));
    traces.record(line('detected', { eventId: 'other', subject: 'WPRETAIL/prudential' }));
    const expected = { type: 'settlementbus.margin.breached.v1', subject: 'WPGENCO/prudential' };
    const ids = () => traces.match([expected, expected]).map((trace) => trace?.eventId);
    expect(ids()).toEqual(['first', undefined]);
    traces.record(line('detected', { eventId: 'second' }));
    expect(ids()).toEqual(['first', 'second']);
  });

  it.each([
    ['a line without an event', { step: 'published' }],
    ['a line with an unknown step', { eventId: id, step: 'listening' }],
    ['a line without a step', { eventId: id }],
  ])('ignores %s', (_, other) => {
    const traces = new EventTraces();
    expect(traces.record(other)).toBeUndefined();
    expect(traces.all()).toEqual([]);
  });
});
