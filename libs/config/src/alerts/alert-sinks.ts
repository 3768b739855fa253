import { warning, type ConfigIssue } from '../config-issue.js';
import { isUnknown } from '../placeholders.js';
import type { OperatorConfig } from '../schema.js';

type Alerts = Pick<OperatorConfig, 'alerts'>;

/** The names of the sinks that reach a person: every kind but the log. */
export function listAttendedSinks({ alerts }: Alerts): string[] {
  return alerts.sinks.filter(({ kind }) => kind !== 'log').map(({ name }) => name);
}

/** Whether every value that the rules compare is known on this machine. */
export function areRulesKnown({ alerts }: Alerts): boolean {
  const { rules, sinks } = alerts;
  const texts = rules.flatMap(({ types = [], participants = [], amounts = {}, ...rule }) => [
    ...[...types, ...participants, ...rule.sinks, ...(rule.escalate?.sinks ?? [])],
    ...Object.values(amounts),
  ]);
  return ![...texts, ...sinks.map(({ name }) => name)].some(isUnknown);
}

/** Escalations and `audit` whose sinks all write to the log. */
export function findUnattendedUses(config: Alerts): ConfigIssue[] {
  const { rules, audit = [] } = config.alerts;
  const persons = new Set(listAttendedSinks(config));
  const uses = [
    ...rules.map(({ escalate }, index) => ({
      path: ['alerts', 'rules', index, 'escalate', 'sinks'],
      sinks: escalate?.sinks ?? [],
    })),
    { path: ['alerts', 'audit'], sinks: audit },
  ];
  return uses
    .filter(({ sinks }) => sinks.length > 0 && !sinks.some((name) => persons.has(name)))
    .map(({ path }) =>
      warning(path, 'names only sinks of kind log, which reach nobody; name a sink of another kind'),
    );
}

/** Sinks that no rule uses. */
export function findUnusedSinks({ alerts }: Alerts): ConfigIssue[] {
  const ofRules = alerts.rules.flatMap(({ sinks, escalate }) => [...sinks, ...(escalate?.sinks ?? [])]);
  const used = new Set([...ofRules, ...(alerts.audit ?? [])]);
  return alerts.sinks.flatMap(({ name }, index) =>
    used.has(name)
      ? []
      : [
          warning(
            ['alerts', 'sinks', index],
            `is the sink ${name}, which no rule uses; add it to a rule, or remove it`,
          ),
        ],
  );
}
