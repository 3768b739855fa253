import { dateOf } from './envelope/market-time.js';

/**
 * Templates of what identifies a fact among those of its type. `{a.b}` is a member of `data`; `{participant}` and `{sequence}` are those of the
 * event. A part in brackets is left out when a member in it is absent. `identities.json` publishes them.
 */
export interface IdentityTemplates {
  readonly key: string;
  readonly version: string;
  readonly subject: string;
}

/** What identifies a fact among those of its type. */
export interface FactIdentity {
  readonly participant: string;
  readonly naturalKey: string;
  readonly version: string;
  readonly subject: string;
}

type Members = Readonly<Record<string, unknown>>;

interface TemplateFilter {
  /** One sentence, published in `docs/events.md`. */
  readonly meaning: string;
  readonly apply: (value: string, name: string) => string;
  /** What an absent member gives. */
  readonly absent?: string;
}

/** What `{member:filter}` makes of a member. */
export const TEMPLATE_FILTERS = {
  day: { meaning: 'The first ten characters of a market time: its date.', apply: dateOf },
  milliseconds: {
    meaning:
      'The market time with exactly three digits after the point: further ones are cut off, missing ones are `0`.',
    apply: toMilliseconds,
  },
  amount: {
    meaning: 'The amount without zeros at its end after the point, and without a point at its end.',
    apply: trimAmount,
  },
  calculation: {
    meaning: '`forecast` for `true` and `actual` for `false`.',
    apply: (value) => (value === 'true' ? 'forecast' : 'actual'),
  },
  count: { meaning: 'The number, and `0` when the member is absent.', apply: (value) => value, absent: '0' },
  name: { meaning: 'The name of the member instead of its value.', apply: (_, name) => name },
} as const satisfies Readonly<Record<string, TemplateFilter>>;

type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'member'; readonly path: readonly string[]; readonly filter: TemplateFilter | undefined }
  | { readonly kind: 'optional'; readonly parts: readonly Part[] };

/** Key, version and subject of an event. */
export function identify(
  { key, version, subject }: IdentityTemplates,
  participant: string,
  data: object,
  sequence: bigint,
): FactIdentity {
  const members = { ...data, participant, sequence };
  return {
    participant,
    naturalKey: fillTemplate(key, members),
    version: fillTemplate(version, members),
    subject: fillTemplate(subject, members),
  };
}

/** @throws Error when a member is absent that is not in brackets */
export function fillTemplate(template: string, members: object): string {
  const filled = fill(parse(template), members as Members);
  if (filled === undefined) throw new Error(`A member of the template ${template} is absent`);
  return filled;
}

/** Undefined when a member outside brackets is absent. */
function fill(parts: readonly Part[], members: Members): string | undefined {
  let filled = '';
  for (const part of parts) {
    const text = part.kind === 'optional' ? (fill(part.parts, members) ?? '') : fillPart(part, members);
    if (text === undefined) return undefined;
    filled += text;
  }
  return filled;
}

function fillPart(part: Exclude<Part, { kind: 'optional' }>, members: Members): string | undefined {
  if (part.kind === 'text') return part.text;
  const { path, filter } = part;
  const value = path.reduce<unknown>((parent, name) => (parent as Members | undefined)?.[name], members) as
    | string
    | number
    | boolean
    | bigint
    | undefined;
  if (value === undefined) return filter?.absent;
  const text = String(value);
  return filter ? filter.apply(text, path.at(-1) ?? '') : text;
}

const parsed = new Map<string, readonly Part[]>();

function parse(template: string): readonly Part[] {
  const parts = parsed.get(template) ?? parseParts(template);
  parsed.set(template, parts);
  return parts;
}

const PART = /\{(?<path>[A-Za-z0-9.]+)(?::(?<filter>[a-z]+))?\}|\[(?<optional>[^[\]]+)\]|(?<text>[^{}[\]]+)/y;

function parseParts(template: string): readonly Part[] {
  const parts: Part[] = [];
  const scanner = new RegExp(PART);
  while (scanner.lastIndex < template.length) {
    const { path, filter, optional, text } = scanner.exec(template)?.groups ?? {};
    if (path !== undefined) parts.push({ kind: 'member', path: path.split('.'), filter: filterOf(filter) });
    else if (optional !== undefined) parts.push({ kind: 'optional', parts: parseParts(optional) });
    else if (text !== undefined) parts.push({ kind: 'text', text });
    else throw new Error(`The template ${template} is malformed`);
  }
  return parts;
}

function filterOf(name: string | undefined): TemplateFilter | undefined {
  if (name === undefined) return undefined;
  if (!(name in TEMPLATE_FILTERS)) throw new Error(`There is no filter ${name}`);
  return TEMPLATE_FILTERS[name as keyof typeof TEMPLATE_FILTERS];
}

/** The same for every spelling of a time. */
function toMilliseconds(time: string): string {
  const [second = time, fraction = ''] = time.split('.');
  return `${second}.${fraction.slice(0, 3).padEnd(3, '0')}`;
}

/** The same for every spelling of an amount. */
function trimAmount(amount: string): string {
  return amount.includes('.') ? amount.replace(/\.?0+$/, '') : amount;
}
