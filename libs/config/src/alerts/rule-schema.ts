import { PROBLEM_KINDS, SEVERITIES } from '@ssb/events';
import { compareDecimals, type Decimal } from '@ssb/market/decimal';
import { z } from 'zod';
import { isUnknown } from '../placeholders.js';
import { duration, eachOnce, oneOf, participantCode, strict, text, typePattern } from '../schema-values.js';
import { muteWindow } from './mute-schema.js';

/** Entries of one list of a rule. */
const MAX_ENTRIES = 200;
const MAX_NAME_LENGTH = 60;
const MAX_WINDOWS = 20;

const AMOUNT = 'must be an amount such as "-1000000.00", in quotes so that no digit is lost';
const amount = text({
  form: /^-?(0|[1-9]\d{0,22})(\.\d{1,8})?$/,
  must: AMOUNT,
  mustBeText: AMOUNT,
});

export const severity = oneOf('severity', SEVERITIES);

const list = <T extends string>(entry: z.ZodType<T>, noun: string) =>
  z.array(entry).min(1).max(MAX_ENTRIES).superRefine(eachOnce(noun));

const amounts = strict({
  /** The amount is this or more. */
  atLeast: amount.optional(),
  /** The amount is less than this. */
  below: amount.optional(),
}).superRefine(({ atLeast, below }, context) => {
  if (atLeast === undefined && below === undefined)
    context.addIssue({ code: 'custom', message: 'must have atLeast, below or both' });
  if (atLeast === undefined || below === undefined || isUnknown(atLeast) || isUnknown(below)) return;
  // The form of an amount is an issue of its own.
  if (!amount.safeParse(atLeast).success || !amount.safeParse(below).success) return;
  if (compareDecimals(atLeast as Decimal, below as Decimal) < 0) return;
  context.addIssue({
    code: 'custom',
    path: ['below'],
    message: `is ${below}, not above atLeast ${atLeast}, so no amount matches; it must lie above atLeast`,
  });
});

const sinkNames = list(z.string().min(1), 'sink');
/** Shorter ones would wake the subscriber for little. */
const pause = duration('1m', '30d');

/** The keys of a rule that withhold deliveries. */
export const WITHHOLDING_KEYS = ['mute', 'minInterval', 'group'] as const;
export type WithholdingKey = (typeof WITHHOLDING_KEYS)[number];

export const ruleSchema = strict(
  {
    /** Names the rule in explanations. */
    name: z.string().min(1).max(MAX_NAME_LENGTH).optional(),
    types: list(typePattern, 'type').optional(),
    participants: list(participantCode, 'participant').optional(),
    severities: list(severity, 'severity').optional(),
    /** Kinds of problems: matches the events that open, change or resolve one. */
    problems: list(oneOf('problem kind', PROBLEM_KINDS), 'problem kind').optional(),
    amounts: amounts.optional(),
    sinks: sinkNames,
    /** Pause between the messages about an open problem that nobody has acknowledged. */
    remindEvery: pause.optional(),
    /** The same for an acknowledged problem. Default: no reminder. */
    remindAcknowledgedEvery: pause.optional(),
    /** Who learns of a problem that nobody has acknowledged, or that none of `sinks` has accepted. */
    escalate: strict({ after: pause, sinks: sinkNames }).optional(),
    /** When the rule sends nothing. */
    mute: z.array(muteWindow).min(1).max(MAX_WINDOWS).optional(),
    /** Shortest time between two events of one subject for one sink. */
    minInterval: duration('1s', '30d').optional(),
    /** Notices of a sink are sent together, this long after the first of them. */
    group: pause.optional(),
    /** The keys that withhold critical events as well. */
    withholdCritical: list(oneOf('way to withhold', WITHHOLDING_KEYS), 'way to withhold').optional(),
  },
  {
    alert:
      'is not a key any more: a problem of severity warning or critical is an alert, every other event a notice; remove the key, and set alerts.severities where another severity is wanted',
  },
).superRefine((rule, context) => {
  rule.withholdCritical?.forEach((key, index) => {
    if (rule[key] !== undefined) return;
    const message = `is ${key}, which the rule does not have; add ${key}, or remove it here`;
    context.addIssue({ code: 'custom', path: ['withholdCritical', index], message });
  });
});

export type AlertRule = z.output<typeof ruleSchema>;
