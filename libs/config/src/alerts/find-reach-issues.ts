import { isUrgent, matchesPattern, PROBLEM_KINDS, type EventType, type ProblemKind } from '@ssb/events';
import { BREACHED, error, warning, type ConfigIssue } from '../config-issue.js';
import { isUnknown } from '../placeholders.js';
import type { OperatorConfig } from '../schema.js';
import { listAttendedSinks } from './alert-sinks.js';
import type { AlertRule } from './rule-schema.js';
import { acceptEveryAmount, acceptsSomeAmount } from './amount-ranges.js';
import { findMismatch, type AlertFacts } from './find-recipients.js';
import { findMarginSeverity, listFacts, listOpeningFacts, openingTypes } from './possible-facts.js';

/** Whether an event of the type can reach a sink. */
export function reachesSink(config: OperatorConfig, type: EventType): boolean {
  return config.alerts.rules.some(
    (rule) =>
      acceptsSomeAmount(rule.amounts, type) &&
      listFacts(type).some((facts) => findMismatch({ ...rule, amounts: undefined }, facts) === undefined),
  );
}

/** Problems that reach no person: an error, unless the deployment is unattended or the problem has the severity `info`. */
export function findReachIssues(config: OperatorConfig): ConfigIssue[] {
  const unreached = listUnreached(config);
  const { unattended = false } = config.alerts;
  const report = (isAlert: boolean): ConfigIssue[] =>
    [...groupByParticipants(unreached.filter((each) => each.isAlert === isAlert))].map(([who, problems]) => {
      const what = `let no person receive problems of ${who}: ${problems.join(', ')}`;
      if (!isAlert)
        return warning(
          RULES,
          `${what}; their severity is info; if that is intended, list their types under ignore`,
        );
      return unattended
        ? warning(RULES, `${what}; alerts.unattended permits it`)
        : error(
            RULES,
            `${what}; the log reaches nobody, so add a sink of another kind than log to a rule that matches them, or set alerts.unattended: true where no person is to be alerted`,
          );
    });
  return [...report(true), ...report(false)];
}

const RULES = ['alerts', 'rules'];

interface Unreached {
  /** The kind, with what distinguishes those of its problems that reach no person. */
  readonly problem: string;
  readonly participants: readonly string[];
  readonly isAlert: boolean;
}

interface Missed {
  readonly facts: AlertFacts;
  /** Other amounts of the same event reach a person. */
  readonly isPartial: boolean;
}

function listUnreached(config: OperatorConfig): Unreached[] {
  const attended = new Set(listAttendedSinks(config));
  const rules = config.alerts.rules.filter(({ sinks }) => sinks.some((name) => attended.has(name)));
  return groupAlike(config).flatMap((participants) => {
    const [first = ''] = participants;
    const ownRules = rules.filter((rule) => rule.participants?.includes(first) ?? true);
    return PROBLEM_KINDS.flatMap((kind) => {
      const all = checkedTypes(config, kind).flatMap((type) => listOpeningFacts(config, type, first));
      const missed = all.flatMap((facts) => findMissed(ownRules, facts));
      return [true, false].flatMap((isAlert) => {
        const some = missed.filter(({ facts }) => needsPerson(facts) === isAlert);
        return some.length === 0
          ? []
          : [{ problem: describe(kind, some, all.length), participants, isAlert }];
      });
    });
  });
}

/** Whether an event reaches a person by these rules, whatever its amount. */
function findMissed(rules: readonly AlertRule[], facts: AlertFacts): Missed[] {
  const matching = rules.filter((rule) => findMismatch({ ...rule, amounts: undefined }, facts) === undefined);
  const amounts = matching.map((rule) => rule.amounts);
  if (acceptEveryAmount(amounts, facts.type)) return [];
  return [{ facts, isPartial: amounts.some((each) => acceptsSomeAmount(each, facts.type)) }];
}

/** An urgent event must reach a person, whatever its severity. */
const needsPerson = ({ type, severity }: AlertFacts): boolean => severity !== 'info' || isUrgent(type);

/** A margin breach without any sink is an issue of its own. */
function checkedTypes(config: OperatorConfig, kind: ProblemKind): EventType[] {
  return openingTypes(kind).filter((type) => {
    if (type === BREACHED) return reachesSink(config, type);
    return (
      isUrgent(type) || !config.ignore.some((pattern) => isUnknown(pattern) || matchesPattern(pattern, type))
    );
  });
}

/** Participants whose problems go to the same sinks. */
function groupAlike(config: OperatorConfig): string[][] {
  const groups = new Map<string, string[]>();
  for (const { code } of config.participants) {
    if (isUnknown(code)) continue;
    const key = JSON.stringify([
      config.alerts.rules.map(({ participants }) => participants?.includes(code)),
      findMarginSeverity(config, code, 'warning'),
      findMarginSeverity(config, code, 'breached'),
    ]);
    groups.set(key, [...(groups.get(key) ?? []), code]);
  }
  return [...groups.values()];
}

function describe(kind: ProblemKind, missed: readonly Missed[], possible: number): string {
  const isPartial = missed.some((each) => each.isPartial);
  if (missed.length === possible && !isPartial) return kind;
  const severities = [...new Set(missed.map(({ facts }) => facts.severity))].join(', ');
  return `${kind} (${severities}${isPartial ? ', some amounts' : ''})`;
}

const MAX_NAMED = 3;

/** The problems by the participants that they concern. */
function groupByParticipants(unreached: readonly Unreached[]): Map<string, string[]> {
  const participantsOf = new Map<string, string[]>();
  for (const { problem, participants } of unreached)
    participantsOf.set(problem, [...(participantsOf.get(problem) ?? []), ...participants]);
  const groups = new Map<string, string[]>();
  for (const [problem, codes] of participantsOf) {
    const further = codes.length - MAX_NAMED;
    const who = `${codes.slice(0, MAX_NAMED).join(', ')}${further > 0 ? ` and ${further} more` : ''}`;
    groups.set(who, [...(groups.get(who) ?? []), problem]);
  }
  return groups;
}
