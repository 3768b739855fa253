import { renderFittedTable, standardOutput, StyledText, type Column } from '@ssb/platform/cli';
import type { QueryOf } from '../api/api-client.js';
import type { DeliveryDetail, EventDetail, EventRow, Signer } from '../api/operations.js';
import { withApi, type ApiOptions, type ListOptions } from '../commands/api-command.js';
import { describeFigures, showMarketTime } from '../market/figures.js';
import { printListing, printResult } from '../output/listing.js';
import { flattenMembers } from '../output/members.js';
import {
  renderFields,
  renderParts,
  severityStyle,
  shortId,
  showAmount,
  showTime,
  showType,
} from '../output/text.js';

type Filters = Omit<QueryOf<'/v1/events'>, 'limit' | 'cursor'>;

export interface EventsOptions extends ListOptions, Filters {}

export interface TailOptions extends ApiOptions, Filters {
  readonly after?: string;
}

/** The filters among the options. */
export const filtersOf = ({ type, participant, severity, subject, since, until }: Filters): Filters => ({
  type,
  participant,
  severity,
  subject,
  since,
  until,
});

export function listEvents(options: EventsOptions): Promise<void> {
  return withApi(options, (api) =>
    printListing(
      api,
      '/v1/events',
      { query: filtersOf(options), columns: COLUMNS, empty: 'No events match.' },
      options,
    ),
  );
}

const COLUMNS: readonly Column<EventRow>[] = [
  { head: 'time', cell: ({ time }) => showTime(time), whole: true },
  { head: 'severity', cell: ({ severity }) => severity, style: ({ severity }) => severityStyle(severity) },
  { head: 'type', cell: ({ type }) => showType(type) },
  { head: 'participant', cell: ({ participant }) => participant, rank: 1 },
  { head: 'id', cell: ({ id }) => shortId(id) },
  { head: 'subject', cell: ({ subject }) => subject, rank: 2 },
  { head: 'figures', cell: showFiguresOf, rank: 3, whole: true },
  { head: 'marks', cell: ({ marks }) => marks.join(', '), style: () => 'warning', rank: 4 },
  { head: 'archived', cell: ({ archivedAt }) => showTime(archivedAt), rank: 5, whole: true },
];

/** Of the figures of an event, those for which a table has room. */
const SHOWN_FIGURES = [
  'payment',
  'charge',
  'tradingMargin',
  'breachDay',
  'creditSupport',
  'creditLimit',
  'payableAmount',
  'direction',
  'stated',
  'expected',
  'statementDate',
  'invoiceDate',
  'disagreeUntil',
  'cause',
];

function showFiguresOf({ figures }: EventRow): string {
  return describeFigures(
    Object.fromEntries(Object.entries(figures).filter(([name]) => SHOWN_FIGURES.includes(name))),
  );
}

export function showEvent(id: string, options: ApiOptions): Promise<void> {
  return withApi(options, async (api) => {
    const event = await api.get('/v1/events/{id}', { parts: { id } });
    printResult(event, options.output, () => renderEvent(event, standardOutput.width));
  });
}

function renderEvent(event: EventDetail, width: number | undefined): StyledText {
  const { problems, deliveries, moreDeliveries, verdict, message } = event;
  return renderParts([
    ['', renderFacts(event)],
    [
      'How it arrived',
      message === undefined
        ? StyledText.of('The subscriber wrote it itself.')
        : renderFields([
            ['channel', message.channel],
            ['topic', message.topic],
            ['message', message.id],
            ['appended', showTime(message.appendedAt)],
          ]),
    ],
    [
      'Who signed it',
      verdict.signed
        ? renderFields([signer('gateway', verdict.gateway), signer('bridge', verdict.origin)])
        : undefined,
    ],
    [
      'Marks',
      renderLines(verdict.marks.map(({ mark, meaning }) => StyledText.of(`${mark}: ${meaning}`, 'warning'))),
    ],
    [
      'Problems',
      renderLines(
        problems.map((each) =>
          StyledText.of(`${shortId(each.id)} ${each.kind}: ${each.change}, now ${each.state}`),
        ),
      ),
    ],
    [
      'Who was notified',
      deliveries.length === 0
        ? StyledText.of('No sink gets this event.')
        : renderFittedTable(DELIVERIES, deliveries, width),
    ],
    [
      '',
      moreDeliveries
        ? StyledText.of(`More: busbridge deliveries list --event ${shortId(event.id)}`, 'dim')
        : undefined,
    ],
    ['Attempts', renderAttempts(deliveries, width)],
  ]);
}

type EventData = Readonly<Record<string, unknown>>;

function renderFacts({
  id,
  type,
  participant,
  subject,
  severity,
  time,
  archivedAt,
  event,
}: EventDetail): StyledText {
  const { data } = event as { readonly data?: EventData };
  return renderFields([
    ['id', id],
    ['type', type],
    ['participant', participant],
    ['subject', subject],
    ['severity', severity, severityStyle(severity)],
    ['time', showTime(time)],
    ['archived', showTime(archivedAt)],
    ...flattenMembers(summariseChanges(id, data)).map(
      ([name, value]) => [`data ${name}`, showFigure(name, value)] as const,
    ),
  ]);
}

/** A revision has its largest changes only. */
function summariseChanges(id: string, data: EventData = {}): EventData {
  const { changes } = data as { readonly changes?: { readonly count?: unknown } };
  return typeof changes?.count === 'number'
    ? { ...data, changes: `${changes.count}: busbridge statements differences ${shortId(id)}` }
    : data;
}

/** Ids of invoices may be digits only. */
const NAME_OF_ID = /(^id|Id|By|replaces|Number)$/;

/** Amounts are texts. */
function showFigure(name: string, value: unknown): string {
  const text = showMarketTime(name, String(value));
  return typeof value === 'string' && !NAME_OF_ID.test(name) ? showAmount(text) : text;
}

/** Who signed, and whether the key was trusted then. */
function signer(name: string, key: Signer | undefined) {
  if (key === undefined) return [name, undefined] as const;
  const { did, trusted, trustedFrom, trustedUntil, revokedSince } = key;
  const until = trustedUntil === undefined ? '' : ` until ${showTime(trustedUntil)}`;
  const from = trustedFrom === undefined ? '' : ` since ${showTime(trustedFrom)}`;
  const trust = trusted ? `trusted${from}${until}` : 'not trusted when it was archived';
  const revoked = revokedSince === undefined ? '' : `; revoked since ${showTime(revokedSince)}`;
  const style = trusted && revokedSince === undefined ? 'good' : 'bad';
  return [name, `${did}, ${trust}${revoked}`, style] as const;
}

const renderLines = (lines: readonly StyledText[]): StyledText | undefined =>
  lines.length === 0 ? undefined : StyledText.join(lines, '\n');

const DELIVERIES: readonly Column<DeliveryDetail>[] = [
  { head: 'sink', cell: ({ sink }) => sink },
  { head: 'kind', cell: ({ kind }) => kind },
  {
    head: 'state',
    cell: ({ state, withheld }) => (withheld === undefined ? state : `withheld (${withheld})`),
    style: ({ state }) => (state === 'delivered' ? 'good' : 'warning'),
  },
  { head: 'added', cell: ({ addedAt }) => showTime(addedAt), whole: true },
  { head: 'ended', cell: ({ endedAt }) => showTime(endedAt), rank: 1, whole: true },
  { head: 'last outcome', cell: ({ lastOutcome }) => lastOutcome, rank: 2 },
];

type Attempt = DeliveryDetail['attemptLog'][number] & { readonly sink: string };

function renderAttempts(
  deliveries: readonly DeliveryDetail[],
  width: number | undefined,
): StyledText | undefined {
  const attempts = deliveries.flatMap(({ sink, attemptLog }) =>
    attemptLog.map((each) => ({ sink, ...each })),
  );
  if (attempts.length === 0) return undefined;
  const earlier = deliveries.filter(({ hasEarlierAttempts }) => hasEarlierAttempts).map(({ sink }) => sink);
  const table = renderFittedTable(ATTEMPTS, attempts, width);
  if (earlier.length === 0) return table;
  return StyledText.join(
    [table, StyledText.of(`Earlier attempts are left out: ${earlier.join(', ')}.`, 'dim')],
    '\n',
  );
}

const ATTEMPTS: readonly Column<Attempt>[] = [
  { head: 'sink', cell: ({ sink }) => sink },
  { head: 'attempt', cell: ({ number }) => String(number), align: 'right' },
  { head: 'at', cell: ({ at }) => showTime(at), whole: true },
  { head: 'ms', cell: ({ durationMs }) => String(durationMs), align: 'right', rank: 2 },
  { head: 'outcome', cell: ({ outcome }) => outcome },
  { head: 'status', cell: ({ status }) => (status === undefined ? '' : String(status)), align: 'right' },
  { head: 'response or error', cell: ({ response, error }) => response ?? error, rank: 1 },
];
