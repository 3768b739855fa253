import { describeSubject } from './describe-subject.js';

it.each([
  ['ALPHA/prudential', ''],
  ['ALPHA/WEM/2026-03-01/INITIAL', 'WEM INITIAL from Sun 1 Mar 2026'],
  ['ALPHA/WEM/2026-03-01/INITIAL/overdue', 'WEM INITIAL from Sun 1 Mar 2026'],
  ['ALPHA/STEM/2026-03-01/ADJ1/invoice/INV-7/payment', 'invoice INV-7 of STEM ADJ1 from Sun 1 Mar 2026'],
  [
    'ALPHA/NSTEM/2026-03-01/INITIAL/estimation/2026-03-14',
    'trading day Sat 14 Mar 2026 of NSTEM INITIAL from Sun 1 Mar 2026',
  ],
  ['ALPHA/margin-forecast/operator', 'by the forecast of the operator'],
  ['ALPHA/market/settlement', 'settlement interface'],
  ['ALPHA/bridge/subscriber/message-quarantined/a.b/did:ethr:0x1', 'subscriber: message quarantined'],
  ['ALPHA/heartbeat/settlement.channels.bridge', 'settlement channel'],
  ['ALPHA/something/new', 'something/new'],
  ['*/bridge/poller/clock-offset', '*/bridge/poller/clock-offset'],
])('%s is about “%s”', (subject, words) => {
  expect(describeSubject(subject, 'ALPHA')).toBe(words);
});
