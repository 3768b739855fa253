import { alignLines, spacedTicks, textAt, valueRange, type ChartLine } from './chart-data.js';

const line = (name: string, ...points: [number, number][]): ChartLine => ({
  name,
  isDashed: false,
  points: points.map(([x, y]) => ({ x, y, text: `${name} ${y}` })),
});
const lines = [line('past', [0, 5], [2, 7]), line('forecast', [2, 7], [3, -1])];

it('gives each line a column, without values where it has no point', () => {
  expect(alignLines(lines)).toEqual([
    [0, 2, 3],
    [5, 7, null],
    [null, 7, -1],
  ]);
});

it('says what the point at a place is', () => {
  expect([0, 2, 3, 9].map((x) => textAt(lines, x))).toEqual(['past 5', 'past 7', 'forecast -1', undefined]);
});

it('shows all lines and thresholds', () => {
  const data = {
    range: [0, 3],
    ticks: [],
    lines,
    thresholds: [{ text: '', y: 24, tone: 'warning' }],
  } as const;
  const [low, high] = valueRange(data);
  expect(low).toBeLessThan(-1);
  expect(high).toBeGreaterThan(24);
  expect(valueRange({ ...data, lines: [], thresholds: [] })).toEqual([0, 1]);
});

it('leaves out ticks that would overlap', () => {
  const ticks = [0, 10, 50, 70].map((x) => ({ x, text: 'tick' }));
  const shown = spacedTicks(
    ticks,
    (x) => x,
    () => 20,
  );
  expect(shown.map(({ x }) => x)).toEqual([0, 50]);
});
