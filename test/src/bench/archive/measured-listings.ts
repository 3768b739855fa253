import { PARTICIPANTS } from './fill-statements.js';

/** Chooses the values of one request. */
export interface Choice {
  /** A whole number from 0. */
  below(limit: number): number;
  participant(): string;
  /** Days before now, as a time. */
  daysAgo(days: number): string;
  /** Days before or after the present day of the market. */
  day(days: number): string;
}

/** A listing with a combination of filters that people use. */
export interface MeasuredListing {
  readonly listing: string;
  /** What is requested. */
  readonly filters: string;
  /** With a token that sees three participants. */
  readonly isLimited?: boolean;
  /** Pages that are read before: the measured one is the next. */
  readonly skippedPages?: number;
  readonly path: (choice: Choice) => string;
}

export const createChoice = (random: () => number, now: Date): Choice => {
  const below = (limit: number): number => Math.floor(random() * limit);
  const shifted = (days: number): Date => new Date(now.getTime() + days * 86_400_000);
  return {
    below,
    participant: () => `WP${String(below(PARTICIPANTS)).padStart(3, '0')}`,
    daysAgo: (days) => shifted(-days).toISOString(),
    day: (days) => shifted(days).toISOString().slice(0, 10),
  };
};

const listing =
  (name: string, base: string) =>
  (
    filters: string,
    query: (choice: Choice) => string,
    further: Pick<MeasuredListing, 'isLimited' | 'skippedPages'> = {},
  ): MeasuredListing => ({
    listing: name,
    filters,
    path: (choice) => `/v1/${base}?${query(choice)}`,
    ...further,
  });

const events = listing('events', 'events');
const problems = listing('problems', 'problems');
const positions = listing('positions', 'positions');
const calendar = listing('calendar', 'settlement-calendar');
const invoices = listing('invoices', 'invoices');
const payments = listing('payments', 'payments');
const deliveries = listing('deliveries', 'deliveries');
const silences = listing('silences', 'silences');
const quarantine = listing('quarantine', 'quarantine');
const audit = listing('audit', 'audit');
const requests = listing('requests', 'requests');

const ALL_STATES = 'state=open&state=acknowledged&state=resolved&state=closed';
/** Ninety days that begin at any day of the year. */
const ninetyDays = (choice: Choice): string => {
  const begin = 365 - choice.below(275);
  return `since=${choice.daysAgo(begin)}&until=${choice.daysAgo(begin - 90)}`;
};

/** Status, stream, dead letters and backfills need other apps. */
export const LISTINGS: readonly MeasuredListing[] = [
  events('newest', () => ''),
  events('newest, 3 participants', () => '', { isLimited: true }),
  events('page 6', () => '', { skippedPages: 5 }),
  events('participant', (c) => `participant=${c.participant()}`),
  events('type', () => 'type=statement.published'),
  events('type pattern', () => 'type=margin.*'),
  events('severity', () => 'severity=critical'),
  events('severities, 3 participants', () => 'severity=critical&severity=warning', { isLimited: true }),
  events('type, participant', (c) => `type=invoice.*&participant=${c.participant()}`),
  events('types, severity', () => 'type=margin.*&type=statement.*&severity=warning'),
  events(
    'types, severity, participant, 90 days',
    (c) => `type=margin.*&severity=critical&participant=${c.participant()}&${ninetyDays(c)}`,
  ),
  events(
    'types, severities, 90 days',
    (c) => `type=margin.*&type=statement.*&type=invoice.*&severity=info&severity=warning&${ninetyDays(c)}`,
  ),
  events('90 days', ninetyDays),
  events(
    'participants, 90 days',
    (c) => `participant=${c.participant()}&participant=${c.participant()}&${ninetyDays(c)}`,
  ),
  events('subject of a participant', (c) => `subject=${c.participant()}/prudential`),
  events('subject of an invoice', (c) => `subject=${c.participant()}/WEM/${c.day(-40 - 2 * c.below(100))}`),
  events('subject, participant, type', (c) => {
    const code = c.participant();
    return `subject=${code}/prudential&participant=${code}&type=margin.breached`;
  }),
  events('subject that does not exist', () => 'subject=WP001/none'),
  problems('open', () => ''),
  problems('all states', () => ALL_STATES),
  problems('all states, page 6', () => ALL_STATES, { skippedPages: 5 }),
  problems('ended of a participant', (c) => `state=resolved&participant=${c.participant()}`),
  problems('ended, kind, severity', () => 'state=resolved&kind=margin&severity=critical'),
  problems(
    'all states, kind, participant, since',
    (c) => `${ALL_STATES}&kind=statement-overdue&participant=${c.participant()}&since=${c.daysAgo(90)}`,
  ),
  problems('all states, 3 participants', () => ALL_STATES, { isLimited: true }),
  positions('90 days', ninetyDays),
  positions('90 days, 1 participant', (c) => `participant=${c.participant()}&${ninetyDays(c)}`),
  positions('last day', () => ''),
  positions('90 days, 3 participants', ninetyDays, { isLimited: true }),
  calendar('90 days', (c) => `since=${c.day(-c.below(275) - 90)}`),
  calendar(
    '90 days, participant',
    (c) => `since=${c.day(-90)}&until=${c.day(0)}&participant=${c.participant()}`,
  ),
  calendar('90 days, status, market', () => 'status=overdue&market=WEM'),
  calendar('90 days by payment, 3 participants', (c) => `by=payment&since=${c.day(-45)}&until=${c.day(45)}`, {
    isLimited: true,
  }),
  calendar('90 days by publication, status', (c) => `by=published&since=${c.day(-90)}&status=revised`),
  calendar('90 days by invoice, page 6', (c) => `by=invoice&since=${c.day(-90)}`, { skippedPages: 5 }),
  calendar('90 days, newest first', (c) => `order=published&since=${c.day(-90)}`),
  invoices('due', () => ''),
  invoices(
    '90 days, participant',
    (c) => `dueSince=${c.day(-90)}&dueUntil=${c.day(0)}&participant=${c.participant()}`,
  ),
  invoices('90 days, status, market', (c) => `dueSince=${c.day(-90)}&status=adjusted&market=WEM`),
  invoices('90 days, status of none', (c) => `dueSince=${c.day(-90)}&status=reversed`),
  invoices('3 participants', (c) => `dueSince=${c.day(-90)}`, { isLimited: true }),
  invoices('90 days, newest first', (c) => `dueSince=${c.day(-90)}&order=published`),
  payments('from today', () => ''),
  payments('90 days, 3 participants', (c) => `dueSince=${c.day(-90)}&dueUntil=${c.day(0)}`, {
    isLimited: true,
  }),
  deliveries('newest', () => ''),
  deliveries('page 6', () => '', { skippedPages: 5 }),
  deliveries('sink', () => 'sink=treasury'),
  deliveries('state pending', () => 'state=pending'),
  deliveries('state parked', () => 'state=parked'),
  deliveries('states of few', () => 'state=skipped&state=withheld&state=replaced'),
  deliveries('participant', (c) => `participant=${c.participant()}`),
  deliveries('type', () => 'type=margin.breached'),
  deliveries('kind alert, sink', () => 'kind=alert&sink=on-call'),
  deliveries(
    'sink, participant, state',
    (c) => `sink=treasury&participant=${c.participant()}&state=delivered`,
  ),
  deliveries(
    'sink, participant, type',
    (c) => `sink=treasury&participant=${c.participant()}&type=margin.breached`,
  ),
  deliveries('skipped of a sink', () => 'state=skipped&sink=on-call'),
  deliveries('sink without the type', () => 'sink=treasury&type=position.calculated'),
  deliveries('participant without the kind', (c) => `participant=${c.participant()}&kind=reminder`),
  deliveries('kind of none', () => 'kind=escalation'),
  deliveries('3 participants, 90 days', (c) => `since=${c.daysAgo(90 + c.below(200))}`, { isLimited: true }),
  deliveries(
    '90 days, type, participant',
    (c) => `type=invoice.issued&participant=${c.participant()}&${ninetyDays(c)}`,
  ),
  deliveries('unknown sink', () => 'sink=none'),
  silences('active', () => ''),
  silences('all', () => 'all=true'),
  quarantine('open', () => ''),
  quarantine('all, reason', () => 'state=open&state=released&reason=schema'),
  audit('newest', () => ''),
  audit('kind, author', (c) => `kind=close&author=author-${c.below(12)}`),
  requests('newest', () => ''),
  requests('author', (c) => `author=author-${c.below(12)}`),
];
