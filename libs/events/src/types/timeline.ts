import { toMarketTime } from '../envelope/market-time.js';
import type { FactDefinition } from '../definition.js';
import {
  boolean,
  dateTime,
  decimal,
  described,
  integer,
  label,
  list,
  MAX_INT32,
  object,
  oneOf,
  sha256,
  type ValueOf,
} from './json-schema.js';
import {
  designation,
  digest,
  periodFrom,
  periodTo,
  publishedAt,
  repetition,
  REPETITIONS_NOT_RECOVERED,
  runId,
  runProperties,
  VERSION_OF_CHANGE,
} from './run-properties.js';

/** Dates of a run in the timeline that may move. */
export const TIMELINE_DATES = [
  'periodTo',
  'commencementDate',
  'statementDate',
  'invoiceDate',
  'settlementDate',
] as const;
export type TimelineDate = (typeof TIMELINE_DATES)[number];

export const MAX_TIMELINE_CHANGES = 200;

const change = object(
  {
    kind: described(
      oneOf('moved', 'added', 'removed'),
      'moved: a date of a run changed. added: a run came into the requested invoice days, or came back unchanged. removed: a run is no longer in the requested invoice days, cancelled or moved beyond them.',
    ),
    ...runProperties,
    date: described(oneOf(...TIMELINE_DATES), 'Which date moved.'),
    from: described(
      dateTime,
      'The date before; market time. Absent when it had none.',
      'operation 10, the field of `date`',
    ),
    to: described(
      dateTime,
      'The date now; market time. Absent when it has none.',
      'operation 10, the field of `date`',
    ),
  },
  ['date', 'from', 'to'],
);

const changedData = object({
  changes: described(list(change, MAX_TIMELINE_CHANGES), `The first ${MAX_TIMELINE_CHANGES} changes.`),
  count: described(integer(1, 1_000_000), 'Number of all changes.'),
  revision: described(integer(1, MAX_INT32), 'Number of this change among those that the bridge has seen.'),
  digest: described(sha256, 'SHA-256 of the RFC 8785 form of all changes.'),
});

export const MAX_ESTIMATION_VARIABLES = 100;

const estimationVariable = object({
  variable: described(label(60), 'Name of the variable.', 'operation 7, variable'),
  scope: described(label(70), 'Entity to which it applies.', 'operation 7, scope'),
  granularity: described(
    label(5),
    'Granularity, such as I for trading interval.',
    'operation 7, granularity',
  ),
  values: described(integer(0, 1_000_000), 'Number of values.', 'operation 7, value'),
  sum: described(decimal, 'Exact sum of the values, in the unit of the variable.'),
});

const estimationData = object(
  {
    runId: { ...runId, $comment: 'Source: operation 7, runId' },
    publishedAt: { ...publishedAt, $comment: 'Source: operation 7, publishedAt' },
    designation: { ...designation, $comment: 'Source: operation 7, designation' },
    period: described(label(40), 'Name of the trading month.', 'operation 7, period'),
    periodFrom,
    periodTo,
    tradingDay: described(dateTime, 'Trading day of the estimation; market time.', 'operation 7, tradingDay'),
    digest,
    isRevision: described(boolean, 'Whether an earlier estimation of the same trading day was seen.'),
    variables: described(
      list(estimationVariable, MAX_ESTIMATION_VARIABLES),
      `The first ${MAX_ESTIMATION_VARIABLES} variables.`,
    ),
    count: described(integer(0, 1_000_000), 'Number of all variables.'),
    repetition,
  },
  ['repetition'],
);

export type TimelineChange = ValueOf<typeof change>;
export type TimelineChangedData = ValueOf<typeof changedData>;
export type EstimationPublishedData = ValueOf<typeof estimationData>;

export const timelineChanged: FactDefinition<TimelineChangedData> = {
  schema: changedData,
  // The same dates may move back and forth.
  identity: { key: '{digest}', version: '{revision}', subject: '{participant}/timeline' },
  // The timeline has no time of its own, and `revision` begins again after a loss of state.
  order: (_, detectedAt) => ({
    sequence: BigInt(detectedAt.getTime()),
    marketTime: toMarketTime(detectedAt),
  }),
  guide: {
    when: 'A date of a run that was seen before moved, or a run was added or removed. A run that only enters or leaves the requested days as time passes is not a change, and neither is the first timeline with runs. A removed run that comes back with other dates has `moved`. The same change within a week waits until the dates were the same for an hour.',
    response: 'Move the dates in your calendar: statements, invoices and payments.',
    notRecovered:
      'All changes before the loss: the timeline that is served then is the new start. `revision` begins again at 1.',
  },
};

export const estimationPublished: FactDefinition<EstimationPublishedData> = {
  schema: estimationData,
  identity: {
    key: 'NSTEM|{periodFrom:day}|{designation}|{tradingDay:day}',
    version: VERSION_OF_CHANGE,
    subject: '{participant}/NSTEM/{periodFrom:day}/{designation}/estimation/{tradingDay:day}',
  },
  // The operator may go back to an older version.
  order: ({ publishedAt }, detectedAt) => ({
    sequence: BigInt(detectedAt.getTime()),
    marketTime: publishedAt,
  }),
  guide: {
    when: 'The NSTEM estimation statement of a trading day is there or changed, or the operator goes back to an earlier one. Off by default.',
    response: 'Compare it with your own estimation of the exposure.',
    notRecovered: `A version that the operator has replaced. ${REPETITIONS_NOT_RECOVERED}`,
  },
};
