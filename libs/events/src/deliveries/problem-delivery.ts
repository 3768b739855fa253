import { dataschemaUrn, sourceUrn } from '../event.js';
import { PROBLEM_KINDS, PROBLEM_LEVELS } from '../problems/problem-kinds.js';
import {
  constant,
  described,
  instant,
  integer,
  MAX_INT32,
  object,
  oneOf,
  pattern,
  text,
  type JsonSchema,
  type Schema,
  type ValueOf,
} from '../types/json-schema.js';
import { SEVERITIES } from '../types/margin.js';
import { archivedEvent, bodySchema, uuid } from './delivery-parts.js';

/** Messages about a problem that are not events of the bus: what happened, and the name of the type. */
export const PROBLEM_DELIVERIES = {
  reminder: 'Nobody has handled the problem since the last message about it.',
  escalation:
    'Nobody has acknowledged the problem in time, or no sink of the rule has accepted an alert of it.',
  acknowledged: 'A person knows of the problem.',
  closed: 'A person ended the problem.',
  'silence-began':
    'A silence hides the critical problem from all sinks. Only the sinks of alerts.audit get this.',
  'silence-ended': 'The silence is over, and the problem is not. Only the sinks of alerts.audit get this.',
} as const;
export type ProblemDelivery = keyof typeof PROBLEM_DELIVERIES;

export const problemDeliveryType = (delivery: ProblemDelivery): string =>
  `settlementbus.delivery.${delivery}.v1`;

const figures: Schema<Readonly<Record<string, string>>> = {
  type: 'object',
  additionalProperties: { type: 'string' },
};
const person = { by: text(200), comment: described(text(2_000), 'What that person wrote about it.') };

const problem = object(
  {
    id: described(uuid, 'As in the header bridge-problem.'),
    kind: oneOf(...PROBLEM_KINDS),
    state: oneOf('open', 'acknowledged', 'resolved', 'closed'),
    severity: described(oneOf(...SEVERITIES), 'The present one.'),
    worstSeverity: described(oneOf(...SEVERITIES), 'The highest that the problem has had.'),
    level: described(oneOf(...PROBLEM_LEVELS), 'Of a margin.'),
    worstLevel: oneOf(...PROBLEM_LEVELS),
    since: described(text(60), 'Time of the fact that opened it, RFC 3339.'),
    openedAt: described(instant, 'When the subscriber archived that fact.'),
    worsened: described(integer(0, MAX_INT32), 'How often it became worse.'),
    figures: described(figures, 'Of the newest event, by name, with every digit.'),
    worstFigures: described(figures, 'Of the worst event.'),
    acknowledged: object({ at: instant, ...person }, ['comment']),
    closed: object({ at: instant, ...person }, ['comment']),
  },
  ['level', 'worstLevel', 'acknowledged', 'closed'],
);

const silence = object(
  {
    number: described(integer(1, Number.MAX_SAFE_INTEGER), 'As in the list of silences.'),
    startsAt: instant,
    endsAt: described(instant, 'When it ends by itself.'),
    author: described(text(200), 'Who added it.'),
    comment: described(text(2_000), 'Why.'),
    ended: described(object({ at: instant, ...person }, ['comment']), 'A person ended it before its time.'),
  },
  ['ended'],
);

const isAboutSilence = (delivery: ProblemDelivery): boolean => delivery.startsWith('silence-');

function bodyOf(delivery: ProblemDelivery) {
  const type = problemDeliveryType(delivery);
  const isNumbered = delivery === 'reminder' || delivery === 'escalation';
  return object({
    specversion: constant('1.0'),
    id: described(uuid, 'The same for every attempt and every resend.'),
    type: constant(type),
    source: described(pattern('^urn:settlement-bus-bridge:[^:]+$'), 'As that of the event.'),
    subject: described(text(60), 'problem/ and the id of the problem.'),
    time: described(instant, 'When the message was added, by the clock of the database.'),
    datacontenttype: constant('application/json'),
    dataschema: constant(dataschemaUrn(type)),
    data: object(
      {
        number: described(
          integer(1, MAX_INT32),
          'Counts the messages of this type about the problem to the sink.',
        ),
        ...(isAboutSilence(delivery) && { silence }),
        problem: described(problem, 'As it was at that time.'),
        event: archivedEvent('The newest event of the problem, as archived, with its proof.'),
      },
      isNumbered ? [] : ['number'],
    ),
  });
}

/** The schema of each body, a CloudEvent. */
export const PROBLEM_DELIVERY_SCHEMAS: readonly JsonSchema[] = Object.entries(PROBLEM_DELIVERIES).map(
  ([delivery, description]) => {
    const type = problemDeliveryType(delivery as ProblemDelivery);
    return bodySchema(type, description, bodyOf(delivery as ProblemDelivery));
  },
);

export type DeliveredProblem = ValueOf<typeof problem>;
export type DeliveredSilence = ValueOf<typeof silence>;

/** What a body has besides the event, as it was when the message was added. */
export interface ProblemDeliveryDetails {
  readonly delivery: ProblemDelivery;
  readonly time: string;
  readonly number?: number | undefined;
  readonly silence?: DeliveredSilence | undefined;
  readonly problem: DeliveredProblem;
}

/** The body of a message, with the archived text of its event byte for byte. */
export function writeProblemDelivery(
  id: string,
  participant: string,
  { delivery, time, number, silence: hiding, problem: about }: ProblemDeliveryDetails,
  eventText: string,
): string {
  const type = problemDeliveryType(delivery);
  const head = JSON.stringify({
    specversion: '1.0',
    id,
    type,
    source: sourceUrn(participant),
    subject: `problem/${about.id}`,
    time,
    datacontenttype: 'application/json',
    dataschema: dataschemaUrn(type),
    data: { ...(number !== undefined && { number }), ...(hiding && { silence: hiding }), problem: about },
  });
  return `${head.slice(0, -'}}'.length)},"event":${eventText}}}`;
}
