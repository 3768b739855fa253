import { figuresOf, subjectOf, titleOf } from './problem-words.js';

it('names what is wrong', () => {
  expect(titleOf({ kind: 'margin', level: 'BREACHED' })).toBe('Margin breached');
  expect(titleOf({ kind: 'margin', level: 'WARNING' })).toBe('Margin below the warning threshold');
  expect(titleOf({ kind: 'invoice-overdue' })).toBe('Invoice overdue');
});

it('names what it is about', () => {
  expect(
    subjectOf({ kind: 'disagreement', key: 'A/WEM/2026-03-01/ADJ1/disagreement/x/y', participant: 'A' }),
  ).toBe('A · WEM · Sun 1 Mar 2026 · ADJ1');
  expect(subjectOf({ kind: 'margin', key: 'A/prudential', participant: 'A' })).toBe('A');
  expect(subjectOf({ kind: 'bridge-fault', key: '*/bridge/poller/x', participant: '*' })).toBe('');
});

it('has the figures that count, with days and times of the market', () => {
  expect(
    figuresOf({ kind: 'margin', figures: { tradingMargin: '-1.5', tradingDay: 'x', breach: '0' } }),
  ).toEqual([
    { label: 'margin', value: '-1.5', kind: 'amount' },
    { label: 'breach below', value: '0', kind: 'amount' },
  ]);
  expect(figuresOf({ kind: 'breach-forecast', figures: { breachDay: '2026-12-03T00:00:00' } })).toEqual([
    { label: 'on', value: '2026-12-03', kind: 'day' },
  ]);
  expect(figuresOf({ kind: 'position-stale', figures: { lastCalculatedAt: '2026-12-03T08:00:00' } })).toEqual(
    [{ label: 'last one', value: '2026-12-03T08:00:00+08:00', kind: 'time' }],
  );
  expect(figuresOf({ kind: 'bridge-fault', figures: { reason: 'heartbeat-missing', count: 3 } })).toEqual([
    { label: 'reason', value: 'heartbeat missing', kind: 'text' },
  ]);
});
