import {
  constant,
  date,
  dateTime,
  decimal,
  described,
  integer,
  label,
  MAX_INT32,
  object,
  oneOf,
  sha256,
} from './json-schema.js';

/** Properties that several settlement events share. Sources are operations of document 000. */

export const MARKET_SERVICE_CODES = ['WEM', 'NSTEM', 'STEM'] as const;
export const RUN_DESIGNATIONS = ['INITIAL', 'ADJ1', 'ADJ2', 'ADJ3'] as const;

export const marketService = described(
  oneOf(...MARKET_SERVICE_CODES),
  'Market service code.',
  'operation 5, marketService',
);
export const designation = described(
  oneOf(...RUN_DESIGNATIONS),
  'Designation of the settlement run.',
  'operation 5, designation',
);
export const periodFrom = described(
  dateTime,
  'First trading day of the period; market time.',
  'operation 10, periodFrom',
);
export const periodTo = described(
  dateTime,
  'Last trading day of the period; market time.',
  'operation 10, periodTo',
);

/** A run of the timeline: which market, period and designation. */
export const runProperties = {
  marketService: described(
    oneOf(...MARKET_SERVICE_CODES),
    'Market service code.',
    'operation 10, marketService',
  ),
  designation: described(
    oneOf(...RUN_DESIGNATIONS),
    'Designation of the settlement run.',
    'operation 10, designation',
  ),
  period: described(label(40), 'Name of the trading week or month.', 'operation 10, period'),
  periodFrom,
  periodTo,
} as const;

export const runId = described(integer(1, MAX_INT32), 'Id of the settlement run.', 'operation 5, runId');
export const publishedAt = described(
  dateTime,
  'When the operator published it; market time.',
  'operation 5, publishedAt',
);

const DISAGREE_UNTIL =
  'The last day to send a notice of disagreement: so many business days after `publishedAt` as the settings have for the market and the designation; market date.';
export const disagreeUntil = described(date, DISAGREE_UNTIL);
export const disagreeUntilThen = described(
  date,
  `${DISAGREE_UNTIL} That of the settings when it was detected. Absent when they have none.`,
);

export const totals = described(
  object({
    payment: described(
      decimal,
      'Sum of the variables that the operator pays, AUD.',
      'operation 5, value with pOrC P',
    ),
    charge: described(
      decimal,
      'Sum of the variables that the participant pays, AUD.',
      'operation 5, value with pOrC C',
    ),
  }),
  'Exact sums of the variables by direction, AUD.',
);

export const digest = described(
  sha256,
  'SHA-256 of the figures in a form of the bridge. Only compare digests with each other: two versions with the same figures have the same one.',
);

/** How late a publication was, against the end of its market day in the timeline. */
export const late = described(
  object({
    dueDate: described(
      date,
      'The day by which it had to be published, after an overdue event that of the event; market date.',
      'operation 10, statementDate or invoiceDate',
    ),
    seconds: described(
      integer(1, MAX_INT32),
      'Time from the end of that market day to the publication, seconds. After an overdue event at least to when the bridge first saw it.',
    ),
  }),
  'Always present in the first publication after an overdue event. Otherwise present when the operator dates it after the end of its day and it is not `restated`. A publication withdraws the overdue event with or without it.',
);

export const restated = described(
  constant(true),
  'The bridge first saw the run after this publication, so an earlier version may have existed that the operator no longer serves. Also for an invoice that names `reversedId` when it is first seen.',
);

/** Repetitions that are announced per run, however often an operator serves the same versions in turn. */
export const MAX_REPETITIONS = 20;

export const repetition = described(
  integer(2, MAX_REPETITIONS + 1),
  'Present when the same change was announced before: the operator went back to an earlier version meanwhile. 2 is the second time. It is announced after an hour without another version.',
);

/** Of a fact that follows from settings, such as a last day. */
export const repeatedDay = described(
  integer(2, MAX_REPETITIONS + 1),
  'Present when the same was announced before: settings or holidays went back meanwhile. 2 is the second time.',
);

/** The version of a change, which has another id each time it is repeated. */
export const VERSION_OF_CHANGE = '{runId}|{publishedAt}|{digest}[|{repetition}]';

/** What the guide of a type with repetitions says about their limit. */
export const REPETITIONS_NOT_RECOVERED = `After ${MAX_REPETITIONS} repetitions of changes to one run, further repetitions are not announced, but reported as \`facts-left-out\`.`;
