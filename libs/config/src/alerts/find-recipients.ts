import {
  ALL_PARTICIPANTS,
  matchesPattern,
  type EventType,
  type ProblemKind,
  type Severity,
} from '@ssb/events';
import { compareDecimals, type Decimal } from '@ssb/market/decimal';
import { HEARTBEAT_TYPE } from '../lookup.js';
import type { OperatorConfig } from '../schema.js';
import type { AlertRule } from './alerts-schema.js';

/** What the rules read of an event. */
export interface AlertFacts {
  readonly type: EventType;
  /** `*`: the event concerns every participant, so it matches each `participants`. */
  readonly participant: string;
  /** Of a resolving event the worst severity that its problem had. */
  readonly severity: Severity;
  /**
   * The kind of an event with effect `lasts`, even when a newer one came first. An event with effect `ends` has it only when it resolves a
   * problem: a statement that was not overdue matches no `problems`.
   */
  readonly problem?: ProblemKind | undefined;
  /** As `amountOf` returns it. An event without an amount matches no `amounts`. */
  readonly amount?: Decimal | undefined;
}

export interface Recipients {
  /** Names of the sinks that receive the event, each once. */
  readonly sinks: readonly string[];
}

/** The matchers of a rule, in the order in which they are compared. */
export const MATCHERS = ['types', 'participants', 'severities', 'problems', 'amounts'] as const;
export type Matcher = (typeof MATCHERS)[number];

/** The matchers of a rule or a silence. An absent one matches every event. */
export type Matchers = Pick<AlertRule, Matcher>;

/** The sinks of all rules that match an event. Heartbeats go to no sink. */
export function findRecipients(config: Pick<OperatorConfig, 'alerts'>, facts: AlertFacts): Recipients {
  return { sinks: [...new Set(findMatchingRules(config, facts).flatMap(({ sinks }) => sinks))] };
}

/** The rules that match an event, in their order. None matches a heartbeat. */
export function findMatchingRules(
  { alerts }: Pick<OperatorConfig, 'alerts'>,
  facts: AlertFacts,
): readonly AlertRule[] {
  if (facts.type === HEARTBEAT_TYPE) return [];
  return alerts.rules.filter((rule) => findMismatch(rule, facts) === undefined);
}

/** The first matcher that an event does not match; undefined when all match. */
export function findMismatch(rule: Matchers, facts: AlertFacts): Matcher | undefined {
  return MATCHERS.find((matcher) => rule[matcher] !== undefined && !MATCHES[matcher](rule, facts));
}

const MATCHES: Readonly<Record<Matcher, (rule: Matchers, facts: AlertFacts) => boolean>> = {
  types: ({ types = [] }, { type }) => types.some((pattern) => matchesPattern(pattern, type)),
  participants: ({ participants = [] }, { participant }) =>
    participant === ALL_PARTICIPANTS || participants.includes(participant),
  severities: ({ severities = [] }, { severity }) => severities.includes(severity),
  problems: ({ problems = [] }, { problem }) => problem !== undefined && problems.includes(problem),
  amounts: ({ amounts: { atLeast, below } = {} }, { amount }) =>
    amount !== undefined &&
    (atLeast === undefined || compareDecimals(amount, atLeast as Decimal) >= 0) &&
    (below === undefined || compareDecimals(amount, below as Decimal) < 0),
};
