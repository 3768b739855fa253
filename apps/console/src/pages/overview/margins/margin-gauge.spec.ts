import { toGauge } from './margin-gauge.js';

const thresholds = { source: 'event', warning: '250', breach: '0' } as const;

it('keeps the order of margin and thresholds, within the gauge', () => {
  const below = toGauge('-1000', thresholds);
  expect(below.margin).toBeGreaterThan(0);
  expect(below.margin).toBeLessThan(below.breach);
  expect(below.breach).toBeLessThan(below.warning);
  expect(below.warning).toBeLessThan(100);
  const above = toGauge('1e15', thresholds);
  expect(above.margin).toBeGreaterThan(above.warning);
  expect(above.margin).toBeLessThan(100);
});

it('has a place when all are the same', () => {
  const gauge = toGauge('5', { ...thresholds, warning: '5', breach: '5' });
  expect(gauge.margin).toBe(gauge.breach);
  expect(gauge.margin).toBeGreaterThan(0);
});
