import { plain } from '../report/events.js';
import { eventLines } from './event-lines.js';

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
