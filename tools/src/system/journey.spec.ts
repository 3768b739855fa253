import { Journeys, lastSeen } from './journey.js';

const id = '0b5e3a0e-5f6c-4d7e-8a9b-0c1d2e3f4a5b';
const line = (step: string, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  step,
  eventId: id,
  eventType: 'settlementbus.margin.breached.v1',
  subject: 'WPGENCO/prudential',
  time: `2026-11-20T00:00:0${step.length % 10}.000Z`,
  ...more,
});

describe('journeys', () => {
  it('gathers the steps of an event from the lines of several apps', () => {
    const journeys = new Journeys();
    journeys.note(line('detected'));
    journeys.note(line('verified', { signer: 'did:ethr:0x1', publishedAt: '2026-11-20T08:00:00+08:00' }));
    journeys.note(line('alerted', { sink: 'console', alert: true }));
    journeys.note(line('alerted', { sink: 'treasury', alert: true }));
    const journey = journeys.find('settlementbus.margin.breached.v1', 'WPGENCO/prudential');
    expect(journey).toMatchObject({
      eventId: id,
      signer: 'did:ethr:0x1',
      publishedAt: '2026-11-20T08:00:00+08:00',
      alert: true,
      sinks: ['console', 'treasury'],
    });
    expect(journey && lastSeen(journey)).toBe('alerted');
  });

  it('keeps the first time of a step that was taken twice', () => {
    const journeys = new Journeys();
    journeys.note({ ...line('published'), time: 'first' });
    journeys.note({ ...line('published'), time: 'second' });
    expect(journeys.all()[0]?.at.published).toBe('first');
  });

  it.each([
    ['a line without an event', { step: 'published' }],
    ['a line of another kind', { eventId: id, step: 'listening' }],
    ['a line without a step', { eventId: id }],
  ])('passes over %s', (_, other) => {
    const journeys = new Journeys();
    expect(journeys.note(other)).toBeUndefined();
    expect(journeys.all()).toEqual([]);
  });
});
