import type { MarginBucket } from '../../../api/operations.js';
import { lowestOf, toMarginChart, type MarginSeries } from './margin-chart.js';

const at = (time: string): string => `2026-12-01T${time}Z`;
const bucket: MarginBucket = {
  from: at('00:00:00'),
  calculations: 9,
  first: '300000.10',
  firstAt: at('00:15:00'),
  minimum: '-5.25',
  minimumAt: at('00:30:00'),
  maximum: '300000.10',
  maximumAt: at('00:15:00'),
  last: '100',
  lastAt: at('00:45:00'),
};
const series: MarginSeries = {
  since: Date.parse(at('00:00:00')),
  now: Date.parse(at('01:00:00')),
  calculated: [bucket],
  forecasts: ['2026-12-03', '2026-12-02'].map((tradingDay) => ({
    tradingDay,
    calculatedAt: at('00:45:00'),
    tradingMargin: tradingDay.slice(-1),
  })),
  thresholds: { source: 'event', warning: '250000.00', breach: '0.00' },
};

it('draws the ends and extremes of each part by their time, so that a short breach stays visible', () => {
  const [past] = toMarginChart(series).lines;
  expect(past?.points.map(({ x, y }) => [x, y])).toEqual([
    [0.25, 300000.1],
    [0.5, -5.25],
    [0.75, 100],
  ]);
  expect(past?.points[1]?.text).toMatch(/^\u22125\.25, Tue 1 Dec 2026 08:30 AWST/);
});

it('draws the forecast by day, from the last calculation on', () => {
  const { lines, range, divider } = toMarginChart(series);
  expect(lines[1]?.points.map(({ y }) => y)).toEqual([100, 2, 3]);
  expect(lines[1]?.points[1]?.text).toBe('2, forecast for Wed 2 Dec 2026');
  expect(divider).toEqual({ x: 1, text: 'by day' });
  expect(range[1]).toBeGreaterThan(lines[1]?.points.at(-1)?.x ?? Infinity);
});

it('names the lowest margin, also of a breach that has ended', () => {
  expect(lowestOf(series)).toEqual({ at: at('00:30:00'), margin: '-5.25' });
  expect(lowestOf({ ...series, calculated: [] })).toBeUndefined();
});

it('draws thresholds with every digit', () => {
  expect(toMarginChart(series).thresholds).toEqual([
    { text: 'warning 250,000.00', y: 250_000, tone: 'warning' },
    { text: 'breach 0.00', y: 0, tone: 'critical' },
  ]);
});

it('ends now without a forecast, and leaves out what is older than the chart', () => {
  const chart = toMarginChart({ ...series, since: Date.parse(at('00:20:00')), forecasts: [] });
  expect(chart.range).toEqual([0, 1]);
  expect(chart.lines).toHaveLength(1);
  expect(chart.lines[0]?.points).toHaveLength(2);
});
