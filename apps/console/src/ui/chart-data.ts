import type { Tone } from './badge.js';

export interface ChartPoint {
  /** Place on the axis, in a unit that the chart does not know. */
  readonly x: number;
  readonly y: number;
  /** What the point says, with every digit. */
  readonly text: string;
}

export interface ChartLine {
  readonly name: string;
  readonly isDashed: boolean;
  /** By `x`. */
  readonly points: readonly ChartPoint[];
}

/** A level across the whole chart. */
export interface ChartThreshold {
  /** Name and value, as the chart shows it. */
  readonly text: string;
  readonly y: number;
  readonly tone: Tone;
}

export interface ChartTick {
  readonly x: number;
  readonly text: string;
}

export interface ChartData {
  readonly range: readonly [number, number];
  readonly ticks: readonly ChartTick[];
  readonly lines: readonly ChartLine[];
  readonly thresholds: readonly ChartThreshold[];
  /** A vertical line after which the axis has another scale, and what begins there. */
  readonly divider?: ChartTick;
}

type Column = (number | null)[];

/** The columns that uPlot draws: all places once, then the values of each line, null where it has no point. */
export function alignLines(lines: readonly ChartLine[]): readonly [number[], ...Column[]] {
  const places = [...new Set(lines.flatMap(({ points }) => points.map(({ x }) => x)))].sort(
    (one, other) => one - other,
  );
  const indexes = new Map(places.map((x, index) => [x, index]));
  const columns = lines.map(({ points }) => {
    const column: Column = places.map(() => null);
    for (const { x, y } of points) column[indexes.get(x) ?? 0] = y;
    return column;
  });
  return [places, ...columns];
}

/** What the point at a place says; that of the first line that has one. */
export function textAt(lines: readonly ChartLine[], x: number): string | undefined {
  for (const { points } of lines) {
    const point = points.find((each) => each.x === x);
    if (point !== undefined) return point.text;
  }
  return undefined;
}

const MARGIN = 0.08;

/** The values that a chart shows: those of all lines and thresholds, with some space around them. */
export function valueRange({ lines, thresholds }: ChartData): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (const { y } of [...lines.flatMap(({ points }) => points), ...thresholds]) {
    low = Math.min(low, y);
    high = Math.max(high, y);
  }
  if (low > high) return [0, 1];
  const space = (high - low) * MARGIN || Math.abs(high) * MARGIN || 1;
  return [low - space, high + space];
}

/** Ticks whose texts do not overlap. @param placeOf position of a tick in pixels @param widthOf width of a text in pixels */
export function spacedTicks(
  ticks: readonly ChartTick[],
  placeOf: (x: number) => number,
  widthOf: (text: string) => number,
): readonly ChartTick[] {
  const GAP = 10;
  let end = -Infinity;
  return ticks.filter(({ x, text }) => {
    const half = widthOf(text) / 2;
    if (placeOf(x) - half < end + GAP) return false;
    end = placeOf(x) + half;
    return true;
  });
}
