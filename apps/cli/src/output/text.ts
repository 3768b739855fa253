import { StyledText, type Style } from '@ssb/platform/cli';

/** Digits of an id that listings show. A command takes them too. */
const SHORT_ID_LENGTH = 8;

export const shortId = (id: string): string => id.slice(0, SHORT_ID_LENGTH);

/** In UTC, to the second, as in `2026-03-02 08:00:03Z`. A text that is no time stays as it is. */
export function showTime(time: string | undefined): string {
  if (time === undefined) return '';
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? time : `${date.toISOString().slice(0, 19).replace('T', ' ')}Z`;
}

/** The larger of its units, as in `40 s`, `12 min`, `3 h` or `5 d`. */
export function showAge(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole < 120) return `${whole} s`;
  if (whole < 7_200) return `${Math.floor(whole / 60)} min`;
  return whole < 172_800 ? `${Math.floor(whole / 3_600)} h` : `${Math.floor(whole / 86_400)} d`;
}

/** An event type as options take it: `margin.breached`. */
export const showType = (type: string): string => type.replace(/^settlementbus\.(.+)\.v\d+$/, '$1');

/** As in `1 sink`, `2 sinks`. */
export const countOf = (number: number, one: string, many = `${one}s`): string =>
  `${number} ${number === 1 ? one : many}`;

/** With separators of thousands and every digit, as in `-1,234,567.80`. A text that is no number stays as it is. */
export function showAmount(amount: string | undefined): string {
  const [, sign = '', digits, decimals = ''] = /^([-+]?)(\d+)(\.\d+)?$/.exec(amount ?? '') ?? [];
  if (digits === undefined) return amount ?? '';
  return `${sign}${digits.replaceAll(/\B(?=(\d{3})+$)/g, ',')}${decimals}`;
}

/** Names and values, as in `margin -5.00, day 2026-01-31`. */
export function showFigures(figures: Readonly<Record<string, unknown>> | undefined): string {
  return Object.entries(figures ?? {})
    .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
}

export function severityStyle(severity: string | undefined): Style | undefined {
  if (severity === 'critical') return 'bad';
  return severity === 'warning' ? 'warning' : undefined;
}

/** Lines of a name and a value. Members without a value are left out. */
export function renderFields(
  fields: readonly (readonly [name: string, value: string | undefined, style?: Style | undefined])[],
): StyledText {
  const shown = fields.filter(([, value]) => value !== undefined && value !== '');
  const width = Math.max(0, ...shown.map(([name]) => name.length));
  return StyledText.join(
    shown.map(([name, value = '', style]) =>
      StyledText.join([StyledText.of(name, 'dim').pad(width), StyledText.of(value, style)], '  '),
    ),
    '\n',
  );
}

/** Parts with a heading each, and an empty line between them. Parts without content are left out. */
export function renderParts(
  parts: readonly (readonly [heading: string, content: StyledText | undefined])[],
): StyledText {
  return StyledText.join(
    parts.flatMap(([heading, content]) => {
      if (content === undefined) return [];
      return heading === ''
        ? [content]
        : [StyledText.join([StyledText.of(heading, 'heading'), content], '\n')];
    }),
    '\n\n',
  );
}
