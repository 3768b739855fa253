import { MANAGED_SETTINGS } from './managed-settings.js';
import { listLeaves, type ChartValue } from './values-file.js';

/** The chart's README has no such section. */
export class MissingSectionError extends Error {
  override readonly name = 'MissingSectionError';

  constructor(readonly section: string) {
    super(
      `The chart's README has no lines <!-- ${section} --> and <!-- /${section} -->. Add them around the generated table.`,
    );
  }
}

/** The README with its generated tables: all values, and the settings that the chart sets itself. @throws MissingSectionError */
export function renderChartReadme(readme: string, values: readonly ChartValue[]): string {
  const withValues = replaceSection(readme, 'values', renderValues(values));
  return replaceSection(withValues, 'managed settings', renderManagedSettings());
}

function replaceSection(text: string, section: string, content: string): string {
  const [before, rest] = splitOnce(text, `<!-- ${section} -->`);
  const [, after] = splitOnce(rest ?? '', `<!-- /${section} -->`);
  if (rest === undefined || after === undefined) throw new MissingSectionError(section);
  return `${before}<!-- ${section} -->\n\n${content}\n\n<!-- /${section} -->${after}`;
}

function splitOnce(text: string, separator: string): [string, string | undefined] {
  const index = text.indexOf(separator);
  return index < 0 ? [text, undefined] : [text.slice(0, index), text.slice(index + separator.length)];
}

function renderValues(values: readonly ChartValue[]): string {
  const rows = listLeaves(values).map(({ path, default: value, doc = '' }) => {
    return `| \`${path}\` | ${renderDefault(value)} | ${escapeCell(doc)} |`;
  });
  return ['| value | default | meaning |', '| --- | --- | --- |', ...rows].join('\n');
}

function renderDefault(value: unknown): string {
  const text = JSON.stringify(value) ?? '';
  return text.length > 120 ? 'see values.yaml' : `\`${escapeCell(text)}\``;
}

function renderManagedSettings(): string {
  const rows = Object.entries(MANAGED_SETTINGS).map(([name, value]) => `| \`${name}\` | ${value} |`);
  return ['| setting | set by |', '| --- | --- |', ...rows].join('\n');
}

function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|');
}
