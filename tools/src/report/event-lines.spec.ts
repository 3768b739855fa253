import type { EventTrace } from '../system/event-trace.js';
import { coloured, eventLine, eventLines, plain, shortDid, shortType } from './event-lines.js';

const trace: EventTrace = {
  eventId: '0b5e3a0e-5f6c-4d7e-8a9b-0c1d2e3f4a5b',
  type: 'settlementbus.margin.breached.v1',
  subject: 'WPGENCO/prudential',
  at: { detected: '2026-11-20T08:12:12.527Z', verified: '2026-11-20T08:12:12.567Z' },
  signer: 'did:ethr:0x2D217D0000000000000000000000000000a205',
  sinks: [],
};

describe('the line of an event', () => {
  it('is the one that the README shows', () => {
    expect(eventLine(trace, true, plain)).toBe(
      '!! 08:12:12.567  margin.breached        WPGENCO/prudential                 verified in 40 ms    did:ethr:0x2D217D…a205',
    );
  });

  it('has no mark when it is no alert', () => {
    expect(eventLine(trace, false, plain)).toMatch(/^ {3}08:12:12\.567/);
  });

  it('lets an alert stand out in red where there is colour', () => {
    expect(eventLine(trace, true, coloured)).toContain('\u001b[1;31m!! 08:12:12.567');
    expect(eventLine(trace, false, coloured)).not.toContain('\u001b[1;31m');
  });

  it('leaves out what it does not know', () => {
    const line = eventLine({ ...trace, at: {}, signer: undefined }, false, plain);
    expect(line).toMatch(/^ {3}- .*verified in - +-$/);
  });
});

it.each([
  ['settlementbus.statement.published.v1', 'statement.published'],
  ['settlementbus.margin.warning.v12', 'margin.warning'],
])('shortens %s', (type, short) => {
  expect(shortType(type)).toBe(short);
});

it('keeps what it cannot shorten of a DID', () => {
  expect(shortDid('did:web:example.org')).toBe('did:web:example.org');
});

const breached = {
  eventId: '0b5e3a0e-5f6c-4d7e-8a9b-0c1d2e3f4a5b',
  eventType: 'settlementbus.margin.breached.v1',
  subject: 'WPGENCO/prudential',
};

it('writes one line for an event, whichever sinks it goes to and however many', () => {
  const written: string[] = [];
  const note = eventLines((line) => written.push(line), plain);
  note('poller', { ...breached, step: 'detected', time: '2026-11-20T00:00:00.000Z' });
  note('subscriber', { ...breached, step: 'verified', time: '2026-11-20T00:00:00.030Z' });
  note('subscriber', { ...breached, step: 'archived', time: '2026-11-20T00:00:00.030Z', alert: true });
  for (const sink of ['desk', 'treasury']) note('subscriber', { ...breached, step: 'alerted', sink });
  expect(written).toHaveLength(1);
  expect(written[0]).toMatch(
    /^!! 00:00:00\.030 {2}margin\.breached +WPGENCO\/prudential +verified in +30 ms/,
  );
});

it('knows the delay also when the line of the poller is read last', () => {
  const written: string[] = [];
  const note = eventLines((line) => written.push(line), plain);
  const archived = {
    ...breached,
    step: 'archived',
    alert: false,
    detectedAt: '2026-11-20T00:00:00.000Z',
    time: '2026-11-20T00:00:00.021Z',
  };
  note('subscriber', { ...archived, step: 'verified' });
  note('subscriber', archived);
  expect(written[0]).toMatch(/^ {3}00:00:00\.021 .*verified in +21 ms/);
});
