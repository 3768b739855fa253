import type { EventTrace } from '../system/event-trace.js';
import {
  coloured,
  formatEventLine,
  createEventPrinter,
  plain,
  shortenDid,
  shortenType,
} from './event-lines.js';

const trace: EventTrace = {
  eventId: '0b5e3a0e-5f6c-4d7e-8a9b-0c1d2e3f4a5b',
  type: 'settlementbus.margin.breached.v1',
  subject: 'WPGENCO/prudential',
  at: { detected: '2026-11-20T08:12:12.527Z', verified: '2026-11-20T08:12:12.567Z' },
  origin: 'did:ethr:0x2D217D0000000000000000000000000000a205',
  sinks: [],
};

const alert: EventTrace = { ...trace, alert: true };

describe('formatEventLine', () => {
  it('has the form that the README shows', () => {
    expect(formatEventLine(alert, plain)).toBe(
      '!! 08:12:12.567  margin.breached        WPGENCO/prudential                 verified in 40 ms    did:ethr:0x2D217D…a205',
    );
  });

  it('marks only alerts', () => {
    expect(formatEventLine(trace, plain)).toMatch(/^ {3}08:12:12\.567/);
  });

  it('prints alerts in red on a terminal', () => {
    expect(formatEventLine(alert, coloured)).toContain('\u001b[1;31m!! 08:12:12.567');
    expect(formatEventLine(trace, coloured)).not.toContain('\u001b[1;31m');
  });

  it('shows a dash for missing values', () => {
    const line = formatEventLine({ ...trace, at: {}, origin: undefined }, plain);
    expect(line).toMatch(/^ {3}- .*verified in - +-$/);
  });
});

it.each([
  ['settlementbus.statement.published.v1', 'statement.published'],
  ['settlementbus.margin.warning.v12', 'margin.warning'],
])('shortens %s', (type, short) => {
  expect(shortenType(type)).toBe(short);
});

it('keeps a DID without an address unchanged', () => {
  expect(shortenDid('did:web:example.org')).toBe('did:web:example.org');
});

const breached = {
  eventId: '0b5e3a0e-5f6c-4d7e-8a9b-0c1d2e3f4a5b',
  eventType: 'settlementbus.margin.breached.v1',
  subject: 'WPGENCO/prudential',
};

it('prints one line for an event, however many sinks it has', () => {
  const printed: string[] = [];
  const handleLog = createEventPrinter((line) => printed.push(line), plain);
  handleLog('poller', { ...breached, step: 'detected', time: '2026-11-20T00:00:00.000Z' });
  handleLog('subscriber', { ...breached, step: 'verified', time: '2026-11-20T00:00:00.030Z' });
  handleLog('subscriber', { ...breached, step: 'archived', time: '2026-11-20T00:00:00.030Z', alert: true });
  for (const sink of ['desk', 'treasury']) handleLog('subscriber', { ...breached, step: 'alerted', sink });
  expect(printed).toHaveLength(1);
  expect(printed[0]).toMatch(
    /^!! 00:00:00\.030 {2}margin\.breached +WPGENCO\/prudential +verified in +30 ms/,
  );
});

it('computes the duration without a line of the poller', () => {
  const printed: string[] = [];
  const handleLog = createEventPrinter((line) => printed.push(line), plain);
  const archived = {
    ...breached,
    step: 'archived',
    alert: false,
    detectedAt: '2026-11-20T00:00:00.000Z',
    time: '2026-11-20T00:00:00.021Z',
  };
  handleLog('subscriber', { ...archived, step: 'verified' });
  handleLog('subscriber', archived);
  expect(printed[0]).toMatch(/^ {3}00:00:00\.021 .*verified in +21 ms/);
});
