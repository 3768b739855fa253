import type { QueryOf } from '../../../api/api-client.js';
import type { EventRow } from '../../../api/operations.js';
import { matchesType, SHORT_TYPES } from '../../../format/event-type.js';
import { addDays, beginningOfDay, isDay } from '../../../format/market-time.js';
import { splitList } from '../../../format/search-values.js';

/** Many, and rarely what a person looks for. */
const CALCULATIONS = 'position.calculated';
const HEARTBEATS = 'bridge.heartbeat';
/** The beginning of a subject, of a settlement run. */
export const SUBJECT_EXAMPLE = 'ALPHA/WEM/2026-03-01';

const SEVERITIES = ['info', 'warning', 'critical'] as const;
type Severity = (typeof SEVERITIES)[number];

/** Which events the page lists. An empty list or text matches all. */
export interface EventFilter {
  /** Types as people write them: `margin.breached`, `margin.*`. */
  readonly types: readonly string[];
  readonly participants: readonly string[];
  readonly severities: readonly Severity[];
  /** Beginning of the subject. */
  readonly subject: string;
  /** Days of the market. Both are listed. */
  readonly since: string;
  readonly until: string;
  /** Also lists `position.calculated`. With types, these alone decide. */
  readonly calculations: boolean;
}

export interface ReadFilter {
  readonly filter: EventFilter;
  /** What of the address was ignored, in sentences. */
  readonly faults: readonly string[];
}

/** The members of an address. */
export type Search = Readonly<Record<string, string | undefined>>;

/** The filter that an address has. */
export function readFilter(search: Search): ReadFilter {
  const faults: string[] = [];
  const keep = (values: readonly string[], isValid: (value: string) => boolean, problem: string): string[] =>
    values.filter((value) => {
      const valid = isValid(value);
      if (!valid) faults.push(`“${value}” ${problem}`);
      return valid;
    });
  const day = (value = ''): string =>
    keep(value === '' ? [] : [value], isDay, 'is not a day such as 2026-11-30.')[0] ?? '';
  const filter: EventFilter = {
    types: keep(
      splitList(search['type']),
      isKnownType,
      'is not an event type. Give one such as margin.breached, or a pattern such as margin.*.',
    ),
    participants: splitList(search['participant']),
    severities: keep(
      splitList(search['severity']),
      (value) => SEVERITIES.some((each) => each === value),
      `is not a severity. Give ${SEVERITIES.join(', ')}.`,
    ) as Severity[],
    subject: search['subject'] ?? '',
    since: day(search['since']),
    until: day(search['until']),
    calculations: search['calculations'] === 'yes',
  };
  if (filter.since !== '' && filter.until !== '' && filter.until < filter.since) {
    faults.push('The last day is before the first one.');
    return { filter: { ...filter, until: '' }, faults };
  }
  return { filter, faults };
}

/** The members of the address that has the filter. */
export function writeFilter(filter: EventFilter): Search {
  const { types, participants, severities, subject, since, until, calculations } = filter;
  const members = {
    type: types.join(','),
    participant: participants.join(','),
    severity: severities.join(','),
    subject,
    since,
    until,
    calculations: calculations ? 'yes' : '',
  };
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== ''));
}

/** What the API is requested for. */
export function toQuery(filter: EventFilter): QueryOf<'/v1/events'> {
  const { participants, severities, subject, since, until } = filter;
  return {
    type: chosenTypes(filter),
    participant: participants,
    severity: severities,
    ...(subject !== '' && { subject }),
    ...(since !== '' && { since: beginningOfDay(since) }),
    ...(until !== '' && { until: beginningOfDay(addDays(until, 1)) }),
  };
}

/** Whether an event of the stream belongs to the list. */
export function matchesFilter(filter: EventFilter, row: EventRow): boolean {
  const { participants, severities, subject, since, until } = filter;
  const types = chosenTypes(filter);
  const at = Date.parse(row.time);
  return (
    (types.length === 0 || types.some((pattern) => matchesType(pattern, row.type))) &&
    (participants.length === 0 || participants.includes(row.participant)) &&
    (severities.length === 0 || severities.includes(row.severity)) &&
    row.subject.startsWith(subject) &&
    (since === '' || at >= Date.parse(beginningOfDay(since))) &&
    (until === '' || at < Date.parse(beginningOfDay(addDays(until, 1))))
  );
}

/** Whether a person has chosen anything. */
export function isFiltered(filter: EventFilter): boolean {
  return Object.keys(writeFilter({ ...filter, calculations: false })).length > 0;
}

/** Empty: all but heartbeats. */
function chosenTypes({ types, calculations }: EventFilter): readonly string[] {
  if (types.length > 0) return types;
  return calculations ? [] : SHORT_TYPES.filter((type) => type !== CALCULATIONS && type !== HEARTBEATS);
}

const isKnownType = (pattern: string): boolean =>
  /^[a-z0-9.*-]{1,100}$/.test(pattern) && SHORT_TYPES.some((type) => matchesType(pattern, type));
