import { PROBLEM_KINDS, SEVERITIES } from '@ssb/events';
import { compareDecimals, type Decimal } from '@ssb/market/decimal';
import { z } from 'zod';
import { isUnknown } from '../placeholders.js';
import { eachOnce, oneOf, participantCode, strict, text, typePattern } from '../schema-values.js';
import { sinkSchema } from './sink-schema.js';

const MAX_RULES = 200;
/** Entries of one matcher of a rule. */
const MAX_ENTRIES = 200;
const MAX_NAME_LENGTH = 60;

const AMOUNT = 'must be an amount such as "-1000000.00", in quotes so that no digit is lost';
const amount = text({
  form: /^-?(0|[1-9]\d{0,22})(\.\d{1,8})?$/,
  must: AMOUNT,
  mustBeText: AMOUNT,
});

const severity = oneOf('severity', SEVERITIES);

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

const rule = strict(
  {
    /** Names the rule in explanations. */
    name: z.string().min(1).max(MAX_NAME_LENGTH).optional(),
    types: list(typePattern, 'type').optional(),
    participants: list(participantCode, 'participant').optional(),
    severities: list(severity, 'severity').optional(),
    /** Kinds of problems: matches the events that open, change or resolve one. */
    problems: list(oneOf('problem kind', PROBLEM_KINDS), 'problem kind').optional(),
    amounts: amounts.optional(),
    sinks: list(z.string().min(1), 'sink'),
  },
  {
    alert:
      'is not a key any more: a problem of severity warning or critical is an alert, every other event a notice; remove the key, and set alerts.severities where another severity is wanted',
  },
);

/** The severity of the problems of each kind whose events name none. */
const severities = strict(
  {
    margin: strict({ warning: severity.optional(), breach: severity.optional() }).optional(),
    'credit-support': severity.optional(),
    'breach-forecast': severity.optional(),
    'statement-overdue': severity.optional(),
    'invoice-overdue': severity.optional(),
    'invoice-discrepancy': severity.optional(),
    'position-stale': severity.optional(),
    'operator-unreachable': severity.optional(),
  },
  { 'bridge-fault': 'cannot be set, because each fault of the bridge names its severity; remove the key' },
);

export const alertsSchema = strict({
  /** True: it is acceptable that no alert reaches a person. For sandboxes and tests. */
  unattended: z.boolean().optional(),
  severities: severities.optional(),
  sinks: z.array(sinkSchema),
  rules: z.array(rule).max(MAX_RULES),
}).superRefine(({ sinks, rules }, context) => {
  const names = sinks.map(({ name }) => name);
  if (new Set(names).size < names.length)
    context.addIssue({ code: 'custom', path: ['sinks'], message: 'must have different names' });
  const firstByName = new Map<string, number>();
  rules.forEach(({ name: ruleName, sinks: ruleSinks }, index) => {
    for (const name of ruleSinks) {
      if (names.includes(name)) continue;
      const message = `names an unknown sink ${name}; the sinks are ${names.join(', ') || 'none'}`;
      context.addIssue({ code: 'custom', path: ['rules', index, 'sinks'], message });
    }
    if (ruleName === undefined) return;
    const first = firstByName.get(ruleName);
    if (first === undefined) firstByName.set(ruleName, index);
    else {
      const message = `is ${ruleName}, as rules.${first}; give each rule a name of its own`;
      context.addIssue({ code: 'custom', path: ['rules', index, 'name'], message });
    }
  });
});

export type AlertsConfig = z.output<typeof alertsSchema>;
export type AlertRule = AlertsConfig['rules'][number];
