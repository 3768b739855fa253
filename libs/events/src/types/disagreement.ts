import { endOfDay, startOfDay } from '../envelope/market-time.js';
import type { FactDefinition } from '../definition.js';
import { date, described, integer, object, type ValueOf } from './json-schema.js';
import {
  designation,
  digest,
  disagreeUntil,
  marketService,
  MAX_REPETITIONS,
  periodFrom,
  publishedAt,
  repeatedDay,
  runId,
} from './run-properties.js';
import { RUN_KEY, RUN_SUBJECT } from './statements.js';

/** The largest number of business days after a publication. */
export const MAX_DISAGREEMENT_DAYS = 400;

/** The window of one publication of a statement. */
const windowProperties = {
  marketService,
  designation,
  periodFrom,
  runId,
  publishedAt,
  digest,
  disagreeUntil,
  repetition: repeatedDay,
} as const;

const dueData = object(
  {
    ...windowProperties,
    reminder: described(
      integer(0, MAX_DISAGREEMENT_DAYS - 1),
      'So many business days before `disagreeUntil` is `remindOn`.',
    ),
    remindOn: described(
      date,
      'The day of this reminder; market date. It comes later when the bridge saw the statement, or its settings, after that day.',
    ),
    businessDaysLeft: described(
      integer(0, MAX_DISAGREEMENT_DAYS),
      'Business days after the market date of the detection, up to and with `disagreeUntil`. 0 is the last day.',
    ),
  },
  ['repetition'],
);

const lapsedData = object(windowProperties, ['repetition']);

export type DisagreementDueData = ValueOf<typeof dueData>;
export type DisagreementLapsedData = ValueOf<typeof lapsedData>;

const KEY = `${RUN_KEY}|{publishedAt}|{digest}`;
const SUBJECT = `${RUN_SUBJECT}/disagreement/{publishedAt}/{digest}`;

/** Changed settings can move the last day to an earlier one, so the time of the detection decides the order. */
const sequenceOf = (detectedAt: Date): bigint => BigInt(detectedAt.getTime());

const NOT_NUMBERED = `A fact that settings bring back more than ${MAX_REPETITIONS} times is not announced, but reported as \`facts-left-out\`.`;

export const disagreementDue: FactDefinition<DisagreementDueData> = {
  schema: dueData,
  identity: { key: KEY, version: '{disagreeUntil}|{reminder}[|{repetition}]', subject: SUBJECT },
  order: ({ remindOn }, detectedAt) => ({
    sequence: sequenceOf(detectedAt),
    marketTime: startOfDay(remindOn),
  }),
  timePrecision: 'day',
  announcesProblem: () => true,
  guide: {
    when: 'At most `reminder` business days remain to send a notice of disagreement about a statement. Of several reminders whose days have come, only the most urgent one is raised. Each publication of a statement has a window of its own, and that of a replaced version continues. A version that has only another run id has the window of the earlier one: `publishedAt` and `digest` name it. Again when other settings or holidays move the last day. Never without a number of business days in the settings.',
    response:
      'Send the notice of disagreement at the latest on `disagreeUntil`, or close the problem with a comment that says why there is none. A closed one is not opened again by a later reminder.',
    notRecovered: `A reminder for a version that the operator has replaced, and for a window that has ended meanwhile. ${NOT_NUMBERED}`,
  },
};

export const disagreementLapsed: FactDefinition<DisagreementLapsedData> = {
  schema: lapsedData,
  identity: { key: KEY, version: '{disagreeUntil}[|{repetition}]', subject: SUBJECT },
  order: ({ disagreeUntil: lastDay }, detectedAt) => ({
    sequence: sequenceOf(detectedAt),
    marketTime: endOfDay(lastDay),
  }),
  timePrecision: 'day',
  announcesProblem: () => false,
  guide: {
    when: 'The day of `disagreeUntil` has passed, and there was a reminder for this window.',
    response: 'Nothing, when the notice of disagreement was sent or is not needed.',
    notRecovered: `The end of a window that ended before the bridge starts again, or of a replaced version: close the problem. ${NOT_NUMBERED}`,
  },
};
