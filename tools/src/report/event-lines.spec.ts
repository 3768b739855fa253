import { TextOutput } from '@ssb/platform';
import type { EventTrace } from '../system/event-trace.js';
import { formatEventLine, createEventPrinter, printEvent, type LinePrinter } from './event-lines.js';

const trace: EventTrace = {
  eventId: '0b5e3a0e-5f6c-4d7e-8a9b-0c1d2e3f4a5b',
  type: 'settlementbus.margin.breached.v1',
  subject: 'WPGENCO/prudential',
  at: { detected: '2026-11-20T08:12:12.527Z', verified: '2026-11-20T08:12:12.567Z' },
  origin: 'did:ethr:0x2D217D0000000000000000000000000000a205',
  sinks: [],
};

const alert: EventTrace = { ...trace, deliveryKind: 'alert' };

describe('formatEventLine', () => {
  it('has the form that the README shows', () => {
    expect(formatEventLine(alert)).toBe(
      '!! 08:12:12.567  margin.breached        WPGENCO/prudential                 verified in 40 ms    did:ethr:0x2D217D…a205',
    );
  });

  it('prints alerts in red on a terminal, and nothing that a terminal obeys', () => {
    const printed: string[] = [];
    const terminal = new TextOutput(() => ({ write: (text: string) => printed.push(text), isTTY: true }), {});
    const hostile = 'W\u001b[2J\u009b\u202e\r\nx';
    printEvent(terminal, { ...alert, subject: hostile });
    printEvent(terminal, { ...trace, subject: hostile, origin: hostile });
    const [inRed = '', line = ''] = printed;
    expect([inRed.slice(0, 7), inRed.slice(-5)]).toEqual(['\u001b[1;31m', '\u001b[0m\n']);
    expect(inRed.slice(7, -5)).toMatch(/^!! 08:12:12\.567[^\p{Cc}\p{Cf}]*$/u);
    expect(line).toMatch(/^[^\p{Cc}\p{Cf}]*W\\u001b\[2J\\u009b\\u202e\\r\\nx[^\p{Cc}\p{Cf}]*\n$/u);
  });

  it('shows a dash for missing values', () => {
    const line = formatEventLine({ ...trace, at: {}, origin: undefined });
    expect(line).toMatch(/^ {3}- .*verified in - +-$/);
  });
});

/** Collects the lines of alerts and others alike. */
function collectLines(lines: string[]): LinePrinter {
  const collect = (line: string): void => void lines.push(line);
  return { writeLine: collect, writeAlert: collect };
}

const breached = {
  eventId: '0b5e3a0e-5f6c-4d7e-8a9b-0c1d2e3f4a5b',
  eventType: 'settlementbus.margin.breached.v1',
  subject: 'WPGENCO/prudential',
};

it('prints one line for an event, however many sinks it has', () => {
  const printed: string[] = [];
  const handleLog = createEventPrinter(collectLines(printed));
  handleLog('poller', { ...breached, step: 'detected', time: '2026-11-20T00:00:00.000Z' });
  handleLog('subscriber', { ...breached, step: 'verified', time: '2026-11-20T00:00:00.030Z' });
  handleLog('subscriber', {
    ...breached,
    step: 'archived',
    time: '2026-11-20T00:00:00.030Z',
    deliveryKind: 'alert',
  });
  for (const sink of ['desk', 'treasury']) handleLog('subscriber', { ...breached, step: 'delivered', sink });
  expect(printed).toHaveLength(1);
  expect(printed[0]).toMatch(
    /^!! 00:00:00\.030 {2}margin\.breached +WPGENCO\/prudential +verified in +30 ms/,
  );
});

it('computes the duration without a line of the poller', () => {
  const printed: string[] = [];
  const handleLog = createEventPrinter(collectLines(printed));
  const archived = {
    ...breached,
    step: 'archived',
    deliveryKind: 'notice',
    detectedAt: '2026-11-20T00:00:00.000Z',
    time: '2026-11-20T00:00:00.021Z',
  };
  handleLog('subscriber', { ...archived, step: 'verified' });
  handleLog('subscriber', archived);
  expect(printed[0]).toMatch(/^ {3}00:00:00\.021 .*verified in +21 ms/);
});
