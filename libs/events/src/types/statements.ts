import { orderOfDay } from '../envelope/market-time.js';
import type { FactDefinition } from '../definition.js';
import { fillTemplate } from '../identity.js';
import {
  constant,
  date,
  dateTime,
  decimal,
  described,
  integer,
  label,
  list,
  MAX_INT32,
  object,
  pattern,
  sha256,
  type ValueOf,
} from './json-schema.js';
import {
  designation,
  digest,
  disagreeUntilThen,
  late,
  marketService,
  periodFrom,
  periodTo,
  publishedAt,
  repetition,
  REPETITIONS_NOT_RECOVERED,
  restated,
  runId,
  runProperties,
  totals,
  VERSION_OF_CHANGE,
} from './run-properties.js';
import { MAX_CHANGE_LENGTH, statementChanges, variableNames } from './statement-changes.js';

/** One settlement variable of one trading day. */
const variable = object({
  ...variableNames,
  value: described(decimal, 'Every digit that the operator sent, AUD.', 'operation 5, value'),
});

/** Document 000, operation 5. Without alternatives, because the broker bounds the steps of a pattern. */
const STATEMENT_PATH =
  '^/api/v2/settlements/[A-Z]{3,5}/summary/[0-9]{4}-[0-9]{2}-[0-9]{2}/[A-Z0-9]{4,7}(\\?[!-~]{1,200})?$';

/** What replaces the variables of a statement that is too large for its channel. */
const variablesSummary = object({
  count: described(integer(0, MAX_INT32), 'Number of variables.'),
  payments: described(integer(0, MAX_INT32), 'Number of variables with pOrC P.'),
  charges: described(integer(0, MAX_INT32), 'Number of variables with pOrC C.'),
  bytes: described(integer(1, MAX_INT32), 'Size of the RFC 8785 form of the full record, bytes.'),
  sha256: described(sha256, 'SHA-256 of that form.'),
  source: described(
    object({
      method: described(constant('GET'), 'HTTP method.'),
      path: described({ ...pattern(STATEMENT_PATH), maxLength: 300 }, 'Path and query of operation 5.'),
    }),
    'The request that returns the full record from the operator.',
  ),
});

const statementProperties = {
  runId,
  publishedAt,
  marketService,
  designation,
  period: described(label(40), 'Name of the trading week or month.', 'operation 5, period'),
  periodFrom,
  periodTo,
  tradingDays: described(
    integer(0, MAX_INT32),
    'Number of trading days that it covers.',
    'operation 5, tradingDays',
  ),
  totals,
  digest,
  variables: described(list(variable), 'The settlement variables, day by day.', 'operation 5, tradingDays'),
  variablesSummary: described(
    variablesSummary,
    'Replaces `variables` when the event would be too large for its channel.',
  ),
  disagreeUntil: disagreeUntilThen,
} as const;

// Exactly one of the two. Ajv in strict mode requires that `properties` is beside `required`.
const ONE_FORM_OF_VARIABLES = {
  oneOf: [
    { type: 'object', properties: { variables: { type: 'array' } }, required: ['variables'] },
    { type: 'object', properties: { variablesSummary: { type: 'object' } }, required: ['variablesSummary'] },
  ],
};

const publishedData = object({ ...statementProperties, late, restated }, [
  'digest',
  'variables',
  'variablesSummary',
  'disagreeUntil',
  'late',
  'restated',
]);

const previous = object(
  {
    runId,
    publishedAt,
    totals,
    digest,
  },
  ['publishedAt', 'totals', 'digest'],
);

const revisedData = object(
  {
    ...statementProperties,
    previous: described(previous, 'The version that this one replaces.'),
    difference: described(
      object({
        payment: described(decimal, 'Payment total of this version minus that of the previous one, AUD.'),
        charge: described(decimal, 'Charge total of this version minus that of the previous one, AUD.'),
      }),
      'Absent when the totals of the previous version are unknown.',
    ),
    changes: described(
      statementChanges,
      `What changed by trading day and variable. Absent when the bridge does not have the variables of the previous version, which may be lost, too large or too many, or when an amount has more than ${MAX_CHANGE_LENGTH} characters. The archive API compares any two versions.`,
    ),
    repetition,
  },
  ['variables', 'variablesSummary', 'disagreeUntil', 'difference', 'changes', 'repetition'],
);

const overdueData = object({
  ...runProperties,
  statementDate: described(
    date,
    'The day by which the statement had to be issued; market date.',
    'operation 10, statementDate',
  ),
  overdueSince: described(dateTime, 'End of that day plus the configured grace; market time.'),
});

export type StatementVariable = ValueOf<typeof variable>;
export type StatementVariablesSummary = ValueOf<typeof variablesSummary>;
export type StatementPublishedData = ValueOf<typeof publishedData>;
export type StatementRevisedData = ValueOf<typeof revisedData>;
export type StatementOverdueData = ValueOf<typeof overdueData>;

type RunKey = Pick<StatementOverdueData, 'marketService' | 'periodFrom' | 'designation'>;

export const RUN_KEY = '{marketService}|{periodFrom:day}|{designation}';
export const RUN_SUBJECT = '{participant}/{marketService}/{periodFrom:day}/{designation}';

/** A restated publication has the run id and the digest of the revision that it repeats. */
function documentVersion(
  participant: string,
  data: RunKey & { readonly runId: number; readonly digest?: string | undefined },
): string | undefined {
  const { runId, digest } = data;
  return digest && JSON.stringify(['statement', participant, fillTemplate(RUN_KEY, data), runId, digest]);
}

export const statementPublished: FactDefinition<StatementPublishedData> = {
  schema: { ...publishedData, ...ONE_FORM_OF_VARIABLES },
  identity: { key: RUN_KEY, version: '{runId}', subject: RUN_SUBJECT },
  order: ({ runId, publishedAt }) => ({ sequence: BigInt(runId), marketTime: publishedAt }),
  documentVersion,
  guide: {
    when: 'The bridge sees the statement of a run for the first time.',
    response:
      'Compare it with your own calculation. The window for a notice of disagreement begins: it ends with `disagreeUntil`.',
    notRecovered:
      'A version that the operator has replaced. The one that is served is published with `restated: true`.',
  },
};

export const statementRevised: FactDefinition<StatementRevisedData> = {
  schema: { ...revisedData, ...ONE_FORM_OF_VARIABLES },
  identity: { key: RUN_KEY, version: VERSION_OF_CHANGE, subject: RUN_SUBJECT },
  // The operator may go back to an older version. Above every run id, so that a revision always follows the publication.
  order: ({ publishedAt }, detectedAt) => ({
    sequence: BigInt(detectedAt.getTime()),
    marketTime: publishedAt,
  }),
  documentVersion,
  guide: {
    when: 'A statement that was seen before has another run id, another `publishedAt` or other figures. Also when the operator goes back to an earlier version.',
    response:
      'Replace the earlier statement in your books. `difference` and `changes` say what changed, `GET /v1/statements/{id}/differences` says all of it. With another `publishedAt` or other figures, a window for a notice of disagreement of its own begins.',
    notRecovered: `What changed: a new run id is published with \`restated: true\`. A revision under a run id that the archive holds is **not** announced: compare the present statement with your books. ${REPETITIONS_NOT_RECOVERED}`,
  },
};

export const statementOverdue: FactDefinition<StatementOverdueData> = {
  schema: overdueData,
  identity: { key: RUN_KEY, version: '{statementDate}', subject: `${RUN_SUBJECT}/overdue` },
  order: ({ statementDate, overdueSince }) => ({
    sequence: orderOfDay(statementDate),
    marketTime: overdueSince,
  }),
  guide: {
    when: 'The end of the market day of `statementDate` plus the grace has passed and there is no statement. The later statement.published withdraws it and says how late it is.',
    response: 'Request the statement from the operator.',
    notRecovered:
      'Nothing while the statement is missing. When it came before the bridge starts again, statement.published has `restated: true` and no `late`.',
  },
};
