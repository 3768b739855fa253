import type { FieldDefaults } from '../docs/dashboards/panels.js';

/** Grafana's named colours in its dark theme. */
export const COLOURS: Readonly<Record<string, string>> = {
  green: '#56a64b',
  orange: '#ff9830',
  red: '#e02f44',
  blue: '#1f60c4',
  text: '#3a3d46',
};

/** Colours of series, as Grafana's classic palette. */
export const PALETTE = [
  '#73bf69',
  '#f2cc0c',
  '#8ab8ff',
  '#ff780a',
  '#f2495c',
  '#5794f2',
  '#b877d9',
  '#37872d',
  '#fade2a',
  '#447ebc',
  '#c15c17',
];

const SECONDS = [
  [86_400, 'days'],
  [3_600, 'hours'],
  [60, 'min'],
  [1, 's'],
  [0.001, 'ms'],
  [0.000001, 'µs'],
] as const;
const BYTES = [
  [2 ** 30, 'GiB'],
  [2 ** 20, 'MiB'],
  [2 ** 10, 'KiB'],
  [1, 'B'],
] as const;
const SUFFIXES: Readonly<Record<string, string>> = { eps: ' evt/s', mps: ' msg/s', d: ' days' };

/** A value with its unit, for the units that the dashboards have. */
export function formatValue(
  value: number,
  { unit, decimals }: Pick<FieldDefaults, 'unit' | 'decimals'>,
): string {
  if (!Number.isFinite(value)) return '–';
  if (unit?.startsWith('currency:financial:')) {
    const text = Math.abs(value).toLocaleString('en-AU', { maximumFractionDigits: decimals ?? 1 });
    return `${value < 0 ? '-' : ''}${unit.slice('currency:financial:'.length)}${text}`;
  }
  if (unit === 's') return scale(value, SECONDS, decimals);
  if (unit === 'bytes') return scale(value, BYTES, decimals);
  if (unit === 'percentunit') return `${round(value * 100, decimals)}%`;
  return `${round(value, decimals)}${SUFFIXES[unit ?? ''] ?? ''}`;
}

function scale(value: number, units: readonly (readonly [number, string])[], decimals?: number): string {
  if (value === 0) return `0 ${units.find(([factor]) => factor === 1)?.[1] ?? ''}`;
  const [factor, name] = units.find(([each]) => Math.abs(value) >= each) ??
    units[units.length - 1] ?? [1, ''];
  return `${round(value / factor, factor < 1 ? undefined : decimals)} ${name}`;
}

/** Three significant digits, or the decimals that the panel sets. */
function round(value: number, decimals?: number): string {
  const digits = decimals ?? (Math.abs(value) >= 100 || value === 0 ? 0 : Math.abs(value) >= 10 ? 1 : 2);
  return value.toLocaleString('en-AU', { maximumFractionDigits: digits });
}

/** Colour of a value by its mapping, else by thresholds. */
export function findColour(value: number, { thresholds, mappings }: FieldDefaults): string {
  const mapped = findMapping(value, mappings)?.color;
  if (mapped !== undefined) return COLOURS[mapped] ?? mapped;
  const step = [...thresholds.steps].reverse().find((each) => each.value === null || value >= each.value);
  return COLOURS[step?.color ?? ''] ?? '#888';
}

export function findMapping(
  value: number,
  mappings: FieldDefaults['mappings'],
): { readonly text: string; readonly color: string } | undefined {
  const [mapping] = mappings as { readonly options: Record<string, { text: string; color: string }> }[];
  return mapping?.options[String(value)];
}

export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
