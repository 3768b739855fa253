import uPlot from 'uplot';
import { spacedTicks, valueRange, type ChartData } from './chart-data.js';
import type { PlotStyle } from './plot-style.js';

interface Plot {
  readonly width: number;
  readonly height: number;
  readonly style: PlotStyle;
  readonly formatValue: (value: number) => string;
  /** What the plot shows now. */
  readonly read: () => ChartData;
  /** The place of the point under the pointer. */
  readonly onPoint: (x: number | undefined) => void;
}

/** A line is this part of the size of the font, so that a wall display has thicker ones. */
const LINE_SHARE = 6;

const { stepped } = uPlot.paths;

/** How uPlot draws a chart. */
export function plotOptions({ width, height, style, formatValue, read, onPoint }: Plot): uPlot.Options {
  const { colours, font, fontSize } = style;
  const axis = { font, stroke: colours['text-muted'], ticks: { show: false } };
  return {
    width,
    height,
    padding: [fontSize, fontSize, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false } },
    scales: {
      x: { time: false, range: () => [...read().range] },
      y: { range: () => valueRange(read()) },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: fontSize * 2,
        splits: (plot) =>
          spacedTicks(
            read().ticks,
            (x) => plot.valToPos(x, 'x'),
            (text) => measure(plot, font, text),
          ).map(({ x }) => x),
        values: (_, splits) => splits.map((split) => read().ticks.find(({ x }) => x === split)?.text ?? ''),
      },
      {
        ...axis,
        grid: { stroke: colours.line, width: 1 },
        size: fontSize * 5,
        space: fontSize * 3,
        values: (_, splits) => splits.map(formatValue),
      },
    ],
    series: [
      {},
      ...read().lines.map(({ isDashed }) => ({
        stroke: colours.accent,
        width: fontSize / LINE_SHARE,
        spanGaps: true,
        ...(isDashed
          ? { dash: [4, 4], points: { show: true, size: fontSize / 2, fill: colours.surface } }
          : // The last calculation counts until the next one.
            { ...(stepped && { paths: stepped({ align: 1 }) }), points: { show: false } }),
      })),
    ],
    hooks: {
      drawClear: [(plot) => drawDivider(plot, style, read())],
      draw: [(plot) => drawThresholds(plot, style, read())],
      setCursor: [
        ({ cursor: { idx }, data }) =>
          onPoint(idx === null || idx === undefined ? undefined : data[0]?.[idx]),
      ],
    },
  };
}

function measure({ ctx }: uPlot, font: string, text: string): number {
  ctx.save();
  ctx.font = font;
  const { width } = ctx.measureText(text);
  ctx.restore();
  return width;
}

function drawDivider(plot: uPlot, style: PlotStyle, { divider }: ChartData): void {
  if (divider === undefined) return;
  const { ctx, bbox } = plot;
  const x = plot.valToPos(divider.x, 'x', true);
  ctx.save();
  const { colours } = style;
  ctx.strokeStyle = colours['line-strong'];
  ctx.setLineDash([2, 4]);
  drawLine(ctx, [x, bbox.top], [x, bbox.top + bbox.height]);
  const ratio = devicePixelRatio;
  setFont(ctx, style);
  ctx.fillStyle = colours['text-muted'];
  ctx.textAlign = 'left';
  ctx.textBaseline = 'bottom';
  ctx.fillText(divider.text, x + 4 * ratio, bbox.top + bbox.height - 2 * ratio);
  ctx.restore();
}

function drawThresholds(plot: uPlot, style: PlotStyle, data: ChartData): void {
  const { colours, fontSize } = style;
  const { ctx, bbox } = plot;
  const ratio = devicePixelRatio;
  const byHeight = data.thresholds.toSorted((one, other) => other.y - one.y);
  ctx.save();
  setFont(ctx, style);
  for (const [index, { y: value, tone, text }] of byHeight.entries()) {
    const y = plot.valToPos(value, 'y', true);
    const colour = tone === 'muted' ? colours['text-muted'] : colours[tone];
    ctx.strokeStyle = colour;
    ctx.lineWidth = 1.5 * ratio;
    ctx.setLineDash(tone === 'critical' ? [] : [8 * ratio, 5 * ratio]);
    drawLine(ctx, [bbox.left, y], [bbox.left + bbox.width, y]);
    // The highest has its text above, the others below, so that close ones do not overlap.
    const isAbove = index === 0;
    const [left, size, gap] = [bbox.left + 4 * ratio, fontSize * ratio, 3 * ratio];
    ctx.fillStyle = colours.surface;
    ctx.globalAlpha = 0.75;
    ctx.fillRect(left - gap, isAbove ? y - size - gap : y + gap, ctx.measureText(text).width + 2 * gap, size);
    ctx.globalAlpha = 1;
    ctx.fillStyle = colour;
    ctx.textAlign = 'left';
    ctx.textBaseline = isAbove ? 'bottom' : 'top';
    ctx.fillText(text, left, y + (isAbove ? -gap : gap));
  }
  ctx.restore();
}

/** In pixels of the device. */
function setFont(ctx: CanvasRenderingContext2D, { font, fontSize }: PlotStyle): void {
  ctx.font = font.replace(/^[\d.]+px/, `${fontSize * devicePixelRatio}px`);
}

function drawLine(
  ctx: CanvasRenderingContext2D,
  from: readonly [number, number],
  to: readonly [number, number],
): void {
  ctx.beginPath();
  ctx.moveTo(...from);
  ctx.lineTo(...to);
  ctx.stroke();
}
