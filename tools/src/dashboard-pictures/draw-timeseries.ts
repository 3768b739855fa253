import type { Panel } from '../docs/dashboards/panels.js';
import { COLOURS, escapeHtml, formatValue, PALETTE } from './format-value.js';
import type { Series, TimeRange } from './prometheus-client.js';

export interface NamedSeries extends Series {
  readonly name: string;
}

interface Box {
  readonly width: number;
  readonly height: number;
}

const LEFT = 78;
const RIGHT = 12;
const TOP = 8;
const BOTTOM = 22;
const TICKS = 6;

/** An SVG of lines, steps or stacked bars, with dashed thresholds and a legend. */
export function drawTimeSeries(
  panel: Panel,
  series: readonly NamedSeries[],
  range: TimeRange,
  box: Box,
): string {
  const { defaults } = panel.fieldConfig ?? {};
  if (defaults === undefined || series.length === 0)
    return `<div class="none">${escapeHtml(defaults?.noValue ?? 'No data')}</div>`;
  const custom = defaults.custom as { drawStyle: string; lineInterpolation: string };
  const bars = custom.drawStyle === 'bars';
  const stacks = bars ? stack(series) : series;
  const steps = defaults.thresholds.steps.flatMap(({ value, color }) =>
    value === null ? [] : [{ value, color }],
  );
  const shown = custom !== undefined && 'thresholdsStyle' in custom && steps.length > 0 ? steps : [];
  const whole = defaults.decimals === 0 && defaults.unit === undefined;
  const axis = buildAxis(
    stacks,
    defaults.min,
    { whole, unit: defaults.unit === 'bytes' ? 2 ** 20 : 1 },
    shown.map(({ value }) => value),
  );
  const legendHeight = measureLegend(series, box.width);
  const plot = { width: box.width - LEFT - RIGHT, height: box.height - TOP - BOTTOM - legendHeight };
  const x = (time: number): number => LEFT + ((time - range.from) / (range.to - range.from)) * plot.width;
  const y = (value: number): number =>
    TOP + plot.height - ((value - axis.low) / (axis.high - axis.low)) * plot.height;

  const styles = series.map(({ name }, index) => findStyle(panel, name, index));
  const grid = axis.ticks.map(
    (tick) =>
      `<line x1="${LEFT}" x2="${box.width - RIGHT}" y1="${y(tick)}" y2="${y(tick)}" class="grid"/>` +
      `<text x="${LEFT - 8}" y="${y(tick) + 4}" text-anchor="end">${formatValue(tick, tickFormat(defaults))}</text>`,
  );
  const times = listTimes(range).map(
    (time) =>
      `<line x1="${x(time)}" x2="${x(time)}" y1="${TOP}" y2="${TOP + plot.height}" class="grid"/>` +
      `<text x="${x(time)}" y="${TOP + plot.height + 16}" text-anchor="middle">${formatTime(time)}</text>`,
  );
  const shapes = stacks.map(({ points }, index) => {
    const { colour, dash } = styles[index] ?? { colour: '#888', dash: '' };
    const valid = points.filter(([, value]) => Number.isFinite(value));
    if (bars) {
      const below = stacks[index - 1]?.points;
      const width = Math.max(2, (plot.width / ((range.to - range.from) / range.step)) * 0.8);
      return valid
        .map(([time, value]) => {
          const base = below?.find(([each]) => each === time)?.[1] ?? 0;
          return value > base
            ? `<rect x="${x(time) - width / 2}" y="${y(value)}" width="${width}" height="${y(base) - y(value)}" fill="${colour}"/>`
            : '';
        })
        .join('');
    }
    const path = valid.map(([time, value], position) => {
      const [px, py] = [x(time).toFixed(1), y(value).toFixed(1)];
      if (position === 0) return `M${px} ${py}`;
      return custom.lineInterpolation === 'stepAfter' ? `H${px}V${py}` : `L${px} ${py}`;
    });
    return `<path d="${path.join('')}" fill="none" stroke="${colour}" stroke-width="2" stroke-dasharray="${dash}"/>`;
  });
  const limits = shown.map(
    ({ value, color }) =>
      `<line x1="${LEFT}" x2="${box.width - RIGHT}" y1="${y(value)}" y2="${y(value)}" stroke="${COLOURS[color] ?? color}" stroke-dasharray="8 6"/>`,
  );
  const legend = series.map(({ name, points }, index) => {
    const last = points.findLast(([, value]) => Number.isFinite(value))?.[1] ?? Number.NaN;
    return `<span><i style="background:${styles[index]?.colour}"></i>${escapeHtml(name)}${bars ? '' : ` <b>${formatValue(last, defaults)}</b>`}</span>`;
  });
  return `<svg width="${box.width}" height="${box.height - legendHeight}">${[...grid, ...times, ...shapes, ...limits].join('')}</svg><div class="legend" style="height:${legendHeight}px">${legend.join('')}</div>`;
}

/** One to five lines, as long as the names need. */
function measureLegend(series: readonly NamedSeries[], width: number): number {
  const letters = series.reduce((sum, { name }) => sum + name.length + 14, 0);
  return 6 + 18 * Math.min(5, Math.ceil((letters * 7.2) / width));
}

/** Only figures of a unit that has decimals show them at ticks. */
function tickFormat({ unit, decimals }: { unit?: string | undefined; decimals?: number | undefined }) {
  return unit === 's' ? { unit } : { unit, decimals };
}

/** The first override that matches a name gives colour and dashes. */
function findStyle(
  panel: Panel,
  name: string,
  index: number,
): { readonly colour: string; readonly dash: string } {
  const override = panel.fieldConfig?.overrides.find(({ matcher }) =>
    matcher.id === 'byName' ? matcher.options === name : new RegExp(matcher.options.slice(1, -1)).test(name),
  );
  const property = (id: string): unknown => override?.properties.find((each) => each.id === id)?.value;
  const colour = (property('color') as { fixedColor?: string } | undefined)?.fixedColor;
  const line = property('custom.lineStyle') as { dash?: number[] } | undefined;
  return {
    colour: colour === undefined ? (PALETTE[index % PALETTE.length] ?? '#888') : (COLOURS[colour] ?? colour),
    dash: line?.dash?.join(' ') ?? '',
  };
}

/** Each series on top of those before it. */
function stack(series: readonly NamedSeries[]): NamedSeries[] {
  const sums = new Map<number, number>();
  return series.map((each) => ({
    ...each,
    points: each.points.map(([time, value]) => {
      const sum = (sums.get(time) ?? 0) + (Number.isFinite(value) ? value : 0);
      sums.set(time, sum);
      return [time, sum] as const;
    }),
  }));
}

function buildAxis(
  series: readonly Series[],
  min: number | undefined,
  { whole, unit }: { readonly whole: boolean; readonly unit: number },
  limits: readonly number[],
) {
  const values = series.flatMap(({ points }) => points.map(([, value]) => value)).filter(Number.isFinite);
  const lowest = Math.min(...values, ...limits, min ?? Infinity);
  const highest = Math.max(...values, ...limits, min === undefined ? -Infinity : min);
  const span = highest - lowest || Math.abs(highest) || 1;
  const magnitude = Math.max(whole ? 1 : 0, unit * 10 ** Math.floor(Math.log10(span / TICKS / unit)));
  const step = [1, 2, 5, 10].map((factor) => factor * magnitude).find((each) => span / each <= TICKS) ?? span;
  const low = Math.floor(lowest / step) * step;
  const count = Math.max(1, Math.ceil((highest - low) / step));
  const ticks = Array.from({ length: count + 1 }, (_, index) => low + index * step);
  return { low, high: low + count * step, ticks };
}

function listTimes({ from, to }: TimeRange): number[] {
  const step = [60, 120, 300, 600, 3_600].find((each) => (to - from) / each <= 7) ?? 7_200;
  const first = Math.ceil(from / step) * step;
  return Array.from({ length: Math.floor((to - first) / step) + 1 }, (_, index) => first + index * step);
}

function formatTime(time: number): string {
  return new Date(time * 1000).toISOString().slice(11, 16);
}
