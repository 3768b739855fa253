import { describeWhat, toneOf } from './delivery-message.js';

const DIGEST = '1769753e9ef9b1a7b73830a7586f6a30dac5b35512a47d260b53f675d4f1e48c';

it('is good news that a critical problem has ended', () => {
  expect(toneOf({ kind: 'resolved', severity: 'critical' })).toBe('good');
  expect(toneOf({ kind: 'alert', severity: 'critical' })).toBe('critical');
  expect(toneOf({ kind: 'notice', severity: 'of a later release' })).toBe('muted');
});

it.each([
  ['ALPHA/prudential', 'ALPHA'],
  [
    `ALPHA/STEM/2026-11-01/INITIAL/disagreement/2026-11-14T15:00:52/${DIGEST}`,
    'ALPHA, STEM INITIAL from Sun 1 Nov 2026',
  ],
  [`ALPHA/unknown/${DIGEST}`, 'ALPHA, unknown'],
])('names what %s is about', (subject, expected) => {
  expect(describeWhat({ participant: 'ALPHA', subject })).toBe(expected);
});
