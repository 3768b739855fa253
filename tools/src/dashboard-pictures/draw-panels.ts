import type { Panel } from '../docs/dashboards/panels.js';
import type { NamedSeries } from './draw-timeseries.js';
import { escapeHtml, findColour, findMapping, formatValue } from './format-value.js';
import type { Series, TimeRange } from './prometheus-client.js';

/** A figure on a background of its threshold or state; several side by side. */
export function drawStat(panel: Panel, series: readonly NamedSeries[]): string {
  const { defaults } = panel.fieldConfig ?? {};
  if (defaults === undefined || series.length === 0)
    return `<div class="none">${escapeHtml(defaults?.noValue ?? 'No data')}</div>`;
  const figures = series.map(({ name, points }) => {
    const value = points[points.length - 1]?.[1] ?? Number.NaN;
    const text = findMapping(value, defaults.mappings)?.text ?? formatValue(value, defaults);
    const caption = name === '' ? '' : `<small>${escapeHtml(name)}</small>`;
    return `<div class="stat" style="background:${findColour(value, defaults)}">${caption}<b>${escapeHtml(text)}</b></div>`;
  });
  return `<div class="stats">${figures.join('')}</div>`;
}

/** A line for each series, coloured by its states. */
export function drawStateTimeline(
  panel: Panel,
  series: readonly NamedSeries[],
  { from, to, step }: TimeRange,
): string {
  const { defaults } = panel.fieldConfig ?? {};
  if (defaults === undefined || series.length === 0)
    return `<div class="none">${escapeHtml(defaults?.noValue ?? 'No data')}</div>`;
  const lines = series.map(({ name, points }) => {
    const parts = mergeEqual(points, step).map(({ start, end, value }) => {
      const [left, width] = [
        ((start - from) / (to - from)) * 100,
        ((Math.min(end, to) - start) / (to - from)) * 100,
      ];
      const text = width < 5 ? '' : (findMapping(value, defaults.mappings)?.text ?? '');
      return `<em style="left:${left}%;width:${width}%;background:${findColour(value, defaults)}">${text}</em>`;
    });
    return `<div class="state"><span>${escapeHtml(name)}</span><div>${parts.join('')}</div></div>`;
  });
  return `<div class="states">${lines.join('')}</div>`;
}

function mergeEqual(points: Series['points'], step: number): { start: number; end: number; value: number }[] {
  const parts: { start: number; end: number; value: number }[] = [];
  for (const [time, value] of points) {
    const last = parts[parts.length - 1];
    if (last !== undefined && last.value === value && last.end >= time) last.end = time + step;
    else parts.push({ start: time, end: time + step, value });
  }
  return parts;
}

/** The transformations `merge` and `organize`: results with the same labels share a line. */
export function drawTable(panel: Panel, results: readonly (readonly Series[])[]): string {
  const { defaults, overrides = [] } = panel.fieldConfig ?? {};
  const organize = panel.transformations?.find(({ id }) => id === 'organize')?.options;
  const excluded = organize?.['excludeByName'] as Record<string, boolean>;
  const renamed = Object.values(organize?.['renameByName'] as Record<string, string>);
  const rows = new Map<string, { labels: Series['labels']; values: number[] }>();
  results.forEach((series, query) =>
    series.forEach(({ labels, points }) => {
      const key = JSON.stringify(
        Object.entries(labels)
          .filter(([name]) => name !== '__name__')
          .sort(),
      );
      const row = rows.get(key) ?? { labels, values: [] };
      row.values[query] = points[0]?.[1] ?? Number.NaN;
      rows.set(key, row);
    }),
  );
  if (defaults === undefined || rows.size === 0)
    return `<div class="none">${escapeHtml(defaults?.noValue ?? 'No data')}</div>`;
  const lines = [...rows.values()];
  const labels = [...new Set(lines.flatMap((line) => Object.keys(line.labels)))].filter(
    (label) => excluded[label] !== true,
  );
  const columns = excluded['Value'] === true ? [] : renamed;
  const cells = lines.map(({ labels: own, values }) => [
    ...labels.map((label) => `<td>${escapeHtml(own[label] ?? '')}</td>`),
    ...columns.map((column, index) => {
      const properties = overrides.find(({ matcher }) => matcher.options === column)?.properties ?? [];
      const field = { ...defaults, ...Object.fromEntries(properties.map(({ id, value }) => [id, value])) };
      const value = values[index] ?? Number.NaN;
      const colour = properties.some(({ id }) => id === 'thresholds') ? findColour(value, field) : 'inherit';
      return `<td class="figure" style="color:${colour}">${formatValue(value, field)}</td>`;
    }),
  ]);
  const heads = [
    ...labels.map((label) => `<th>${label}</th>`),
    ...columns.map((column) => `<th class="figure">${column}</th>`),
  ];
  return `<table><tr>${heads.join('')}</tr>${cells.map((line) => `<tr>${line.join('')}</tr>`).join('')}</table>`;
}
