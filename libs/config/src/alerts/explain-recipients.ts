import { HEARTBEAT_TYPE } from '../lookup.js';
import type { OperatorConfig } from '../schema.js';
import type { AlertRule } from './alerts-schema.js';
import { findMismatch, findRecipients, type AlertFacts, type Matcher } from './find-recipients.js';

/** Why a rule does not match an event. */
export interface Mismatch {
  readonly matcher: Matcher;
  /** What the rule allows: one of the entries, and of `amounts` all. */
  readonly allowed: readonly string[];
  /** What the event has. */
  readonly actual: string;
}

export interface ExplainedRule {
  /** The name of the rule, or its place such as `rules.0`. */
  readonly name: string;
  readonly sinks: readonly string[];
  /** The first matcher that did not match; undefined when the rule matches. */
  readonly mismatch?: Mismatch;
}

/** Which rules and sinks an event reaches, and why others are not reached. */
export interface Explanation {
  readonly rules: readonly ExplainedRule[];
  readonly sinks: readonly string[];
  /** The other sinks, each with the reason in one sentence. */
  readonly others: readonly { readonly sink: string; readonly reason: string }[];
}

/** Compares an event with every rule, as `findRecipients` does. */
export function explainRecipients(config: Pick<OperatorConfig, 'alerts'>, facts: AlertFacts): Explanation {
  const rules = config.alerts.rules.map((rule, index): ExplainedRule => {
    const matcher = findMismatch(rule, facts);
    return {
      name: rule.name ?? `rules.${index}`,
      sinks: rule.sinks,
      ...(matcher && { mismatch: { matcher, allowed: allow(rule, matcher), actual: read(facts, matcher) } }),
    };
  });
  const { sinks } = findRecipients(config, facts);
  return {
    rules,
    sinks,
    others: config.alerts.sinks
      .filter(({ name }) => !sinks.includes(name))
      .map(({ name }) => ({ sink: name, reason: explainSink(name, rules, facts) })),
  };
}

function explainSink(sink: string, rules: readonly ExplainedRule[], { type }: AlertFacts): string {
  if (type === HEARTBEAT_TYPE) return 'heartbeats go to no sink';
  const naming = rules.filter(({ sinks }) => sinks.includes(sink));
  if (naming.length === 0) return 'no rule names it';
  return naming.map(({ name, mismatch }) => `${mismatch?.matcher ?? ''} of ${name} do not match`).join('; ');
}

function allow({ amounts, ...lists }: AlertRule, matcher: Matcher): readonly string[] {
  if (matcher !== 'amounts') return lists[matcher] ?? [];
  const { atLeast, below } = amounts ?? {};
  return [
    ...(atLeast === undefined ? [] : [`at least ${atLeast}`]),
    ...(below === undefined ? [] : [`below ${below}`]),
  ];
}

function read({ type, participant, severity, problem, amount }: AlertFacts, matcher: Matcher): string {
  switch (matcher) {
    case 'types':
      return type;
    case 'participants':
      return participant;
    case 'severities':
      return severity;
    case 'problems':
      return problem ?? 'none';
    case 'amounts':
      return amount ?? 'none';
  }
}
