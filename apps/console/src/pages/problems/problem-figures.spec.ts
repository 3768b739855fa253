import { keyFigures, listFigures, measureOf, meaningOf } from './problem-figures.js';

const MARGIN = {
  kind: 'margin',
  figures: { outstandingAmount: '10.00', tradingMargin: '-1.50', calculatedAt: '2026-12-01T01:46:55' },
  worstFigures: { outstandingAmount: '12.00', tradingMargin: '-3.00' },
  worstMeasure: '-3.00',
} as const;

it('lists the figures now and at worst, the decisive one first', () => {
  expect(listFigures(MARGIN).map(({ label, now, worst }) => [label, now, worst])).toEqual([
    ['Trading margin', '-1.50', '-3.00'],
    ['Outstanding amount', '10.00', '12.00'],
    ['Calculated at', '2026-12-01T01:46:55', undefined],
  ]);
});

it('leaves out figures that the page shows elsewhere', () => {
  const figures = { app: 'poller', reason: 'dead-letter', action: 'Retry.', count: '2' };
  const names = listFigures({ kind: 'bridge-fault', figures, worstFigures: {} }).map(({ name }) => name);
  expect(names).toEqual(['count', 'app']);
});

it('shows the worst of the decisive figure only when it was worse', () => {
  expect(measureOf(MARGIN)).toMatchObject({ now: '-1.50', worst: '-3.00', form: 'amount' });
  expect(measureOf({ ...MARGIN, worstMeasure: '-1.5' })).toMatchObject({ worst: undefined });
  expect(measureOf({ ...MARGIN, figures: {} })).toMatchObject({ now: undefined, worst: '-3.00' });
  expect(measureOf({ kind: 'statement-overdue', figures: {} })).toBeUndefined();
});

it('names a figure that it does not know, and one that means something else of a kind', () => {
  expect(meaningOf('breach-forecast', 'tradingMargin').label).toBe('Forecast trading margin');
  expect(meaningOf('margin', 'someNewFigure')).toEqual({ label: 'Some new figure', form: 'text' });
});

it('has the figures by which a person judges each kind', () => {
  const names = (problem: Parameters<typeof keyFigures>[0]) =>
    keyFigures(problem).map(({ label, now }) => [label, now]);
  const figures = { breach: '0', warning: '5', tradingMargin: '1.5', tradingDay: '2026-12-01' };
  expect(names({ kind: 'margin', level: 'WARNING', figures })).toEqual([
    ['Trading margin', '1.5'],
    ['Warning threshold', '5'],
  ]);
  expect(names({ kind: 'margin', level: 'BREACHED', figures })).toEqual([
    ['Trading margin', '1.5'],
    ['Breach threshold', '0'],
  ]);
  expect(names({ kind: 'statement-overdue', figures: {} })).toEqual([]);
});
