import { z } from 'zod';
import { duration, eachOnce, strict } from '../schema-values.js';
import { ruleSchema, severity } from './rule-schema.js';
import { sinkSchema } from './sink-schema.js';
import { address } from './sink-shapes.js';

const MAX_RULES = 200;
const MAX_AUDIT_SINKS = 20;

/** The severity of the problems of each kind whose events name none. */
const severities = strict(
  {
    margin: strict({ warning: severity.optional(), breach: severity.optional() }).optional(),
    'credit-support': severity.optional(),
    'breach-forecast': severity.optional(),
    'statement-overdue': severity.optional(),
    disagreement: severity.optional(),
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
  /** Address of the console, for links in messages to people. */
  consoleUrl: address(false, false).optional(),
  /** Sinks that learn of each critical problem that a silence hides. */
  audit: z.array(z.string().min(1)).max(MAX_AUDIT_SINKS).superRefine(eachOnce('sink')).optional(),
  /** The longest silence. Default: 7d. */
  maxSilence: duration('1m', '90d').optional(),
  sinks: z.array(sinkSchema),
  rules: z.array(ruleSchema).max(MAX_RULES),
}).superRefine(({ sinks, rules, audit }, context) => {
  const names = sinks.map(({ name }) => name);
  if (new Set(names).size < names.length)
    context.addIssue({ code: 'custom', path: ['sinks'], message: 'must have different names' });
  const firstByName = new Map<string, number>();
  const checkSinks = (used: readonly string[], ...path: PropertyKey[]): void => {
    for (const name of used) {
      if (names.includes(name)) continue;
      const message = `names an unknown sink ${name}; the sinks are ${names.join(', ') || 'none'}`;
      context.addIssue({ code: 'custom', path, message });
    }
  };
  checkSinks(audit ?? [], 'audit');
  rules.forEach(({ name: ruleName, sinks: ruleSinks, escalate }, index) => {
    checkSinks(ruleSinks, 'rules', index, 'sinks');
    checkSinks(escalate?.sinks ?? [], 'rules', index, 'escalate', 'sinks');
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
export type { AlertRule } from './rule-schema.js';
