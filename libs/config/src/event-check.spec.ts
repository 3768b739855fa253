import { createAlertClearedEvent, createAlertRaisedEvent, createFactEvent } from '@ssb/events';
import { findEventProblem } from './event-check.js';
import type { OperatorConfig } from './schema.js';

const LONE_SURROGATE = '\ud800';
const codes = ['WPGENCO', LONE_SURROGATE];
const config: OperatorConfig = {
  participants: codes.map((code) => ({ code, margin: { warning: '2', breach: '1', hysteresis: '0' } })),
  routes: [
    {
      types: ['*'],
      channel: 'settlement.channels.bridge.apps.participant.iam.market',
      maxMessageBytes: 4_096,
    },
  ],
  ignore: [],
  senders: [],
  alerts: { sinks: [], rules: [] },
};

const event = createFactEvent(
  {
    type: 'settlementbus.position.stale.v1',
    data: {
      lastCalculatedAt: '2026-03-02T09:00:00',
      lastTradingDay: '2026-03-02T00:00:00',
      allowedSeconds: 93_600,
      staleSince: '2026-03-03T11:00:00',
    },
  },
  'WPGENCO',
  { detectedAt: new Date(), traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' },
);

describe('findEventProblem', () => {
  it('allows an event with the id, source and subject of its fact', () => {
    expect(findEventProblem(config, event)).toBeUndefined();
  });

  it.each([
    ['id', { id: '0b5e3a0e-5f6c-4d7e-8a9b-0c1d2e3f4a5b' }],
    ['source', { source: 'urn:settlement-bus-bridge:OTHER' }],
    ['subject', { subject: 'OTHER/position/stale' }],
  ])('refuses an event with the %s of another fact', (name, change) => {
    expect(findEventProblem(config, { ...event, ...change })).toBe(
      `the event does not have the ${name} of its fact`,
    );
  });

  it('allows the end of an alert about a participant that the file does not name any more', () => {
    const detection = { detectedAt: new Date(), traceparent: event.traceparent };
    const report = { app: 'poller', reason: 'token-refused', participant: 'FORMER', count: 1 } as const;
    const [since, sequence] = [detection.detectedAt, 1];
    expect(
      findEventProblem(config, createAlertClearedEvent({ ...report, since, sequence }, detection)),
    ).toBeUndefined();
    expect(findEventProblem(config, createAlertRaisedEvent({ ...report, since, sequence }, detection))).toBe(
      'CONFIG_FILE has no participant "FORMER"',
    );
  });

  it('refuses a participant that a source cannot contain', () => {
    expect(findEventProblem(config, { ...event, participant: LONE_SURROGATE })).toMatch(/not valid UTF-8$/);
  });
});
