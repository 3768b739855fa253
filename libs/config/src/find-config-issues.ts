import { EVENT_TYPES, matchesPattern, PROBLEM_KINDS, type EventType } from '@ssb/events';
import { areRulesKnown, findUnattendedUses, findUnusedSinks } from './alerts/alert-sinks.js';
import { findReachIssues, reachesSink } from './alerts/find-reach-issues.js';
import { findRuleIssues } from './alerts/find-rule-issues.js';
import { openingTypes, ROUTED_TYPES } from './alerts/possible-facts.js';
import { findDisagreementIssues } from './detection/find-disagreement-issues.js';
import { findThresholdIssues } from './detection/find-threshold-issues.js';
import { findSenderIssues } from './find-sender-issues.js';
import { findRoute } from './lookup.js';
import { BREACHED, error, warning, type ConfigIssue } from './config-issue.js';
import { findNearestName } from './nearest-name.js';
import { isUnknown } from './placeholders.js';
import type { OperatorConfig } from './schema.js';

/** The issues of a valid configuration. Values that are unknown on this machine are not compared. */
export function findConfigIssues(config: OperatorConfig, now: Date): ConfigIssue[] {
  return [
    ...findParticipantIssues(config, now),
    ...findProfileIssues(config),
    ...findThresholdIssues(config),
    ...findDisagreementIssues(config),
    ...findPatternIssues(config),
    ...findEffectIssues(config),
    ...findSenderIssues(config),
    ...findCoverageIssues(config),
    ...findRuleIssues(config),
    // An unknown value may match any event.
    ...(areRulesKnown(config)
      ? [...findReachIssues(config), ...findUnusedSinks(config), ...findUnattendedUses(config)]
      : []),
  ];
}

function findParticipantIssues({ participants }: OperatorConfig, now: Date): ConfigIssue[] {
  const firstByCode = new Map<string, number>();
  return participants.flatMap(({ code, alertsSince }, index) => {
    const path = ['participants', index];
    const issues: ConfigIssue[] = [];
    const first = firstByCode.get(code);
    if (first === undefined) firstByCode.set(code, index);
    else
      issues.push(
        error([...path, 'code'], `is ${code}, as participants.${first}; name each participant once`),
      );
    if (alertsSince !== undefined && !isUnknown(alertsSince) && Date.parse(alertsSince) > now.getTime())
      issues.push(
        warning(
          [...path, 'alertsSince'],
          `is ${alertsSince}, in the future; facts published before it are archived without an alert`,
        ),
      );
    return issues;
  });
}

function findProfileIssues({ profiles = {}, participants }: OperatorConfig): ConfigIssue[] {
  const names = Object.keys(profiles);
  const used = new Set(participants.map(({ profile }) => profile));
  return [
    ...participants.flatMap(({ profile }, index) => {
      if (profile === undefined || isUnknown(profile) || names.includes(profile)) return [];
      const nearest = findNearestName(profile, names);
      const help =
        nearest === undefined
          ? `the profiles are ${names.join(', ') || 'none'}`
          : `the nearest profile is ${nearest}`;
      return [
        error(['participants', index, 'profile'], `is ${profile}, which profiles does not name; ${help}`),
      ];
    }),
    ...names
      .filter((name) => !used.has(name))
      .map((name) => warning(['profiles', name], 'is used by no participant')),
  ];
}

function findPatternIssues({ routes, ignore, alerts }: OperatorConfig): ConfigIssue[] {
  const lists = [
    ...routes.map(({ types }, index) => ({ path: ['routes', index, 'types'], types })),
    { path: ['ignore'], types: ignore },
    ...alerts.rules.map(({ types = [] }, index) => ({ path: ['alerts', 'rules', index, 'types'], types })),
  ];
  return lists.flatMap(({ path, types }) =>
    types.flatMap((pattern, index) =>
      isUnknown(pattern) || EVENT_TYPES.some((type) => matchesPattern(pattern, type))
        ? []
        : [error([...path, index], `is ${pattern}, which matches no event type; ${suggestType(pattern)}`)],
    ),
  );
}

/** Routes whose patterns match types, but that no event reaches. */
function findEffectIssues({ routes }: OperatorConfig): ConfigIssue[] {
  const matchedBy = (types: readonly string[]): EventType[] =>
    ROUTED_TYPES.filter((type) => types.some((pattern) => matchesPattern(pattern, type)));
  // The type of an unknown pattern is not known, and a pattern without a type is an error of its own.
  const isDecided = (types: readonly string[]): boolean =>
    EVENT_TYPES.some((type) => types.some((pattern) => matchesPattern(pattern, type))) &&
    !types.some(isUnknown);
  return routes.flatMap(({ types }, index) => {
    if (!isDecided(types)) return [];
    const path = ['routes', index, 'types'];
    const matched = matchedBy(types);
    if (matched.length === 0)
      return [error(path, 'match only heartbeats, which travel on every channel without a route')];
    const takers = matched.map((type) =>
      routes.findIndex((each) => each.types.some((pattern) => matchesPattern(pattern, type))),
    );
    if (takers.includes(index)) return [];
    const earlier = [...new Set(takers)].map((taker) => `routes.${taker}`).join(' and ');
    return [
      error(path, `have no effect, because all go to ${earlier} first; move this route up or remove it`),
    ];
  });
}

function suggestType(pattern: string): string {
  const nearest = pattern.includes('*') ? undefined : findNearestName(pattern, EVENT_TYPES);
  if (nearest !== undefined) return `the nearest type is ${nearest}`;
  return `the types are ${ROUTED_TYPES.join(', ')}`;
}

/** Types whose events open a problem. `findReachIssues` checks their sinks. */
const OPENING_TYPES: ReadonlySet<EventType> = new Set(PROBLEM_KINDS.flatMap(openingTypes));

/** Types without a route or a sink. Heartbeats need neither. */
function findCoverageIssues(config: OperatorConfig): ConfigIssue[] {
  const [routes, rules] = [['routes'], ['alerts', 'rules']];
  // An unknown pattern may match any type.
  const routesKnown = !config.routes.some(({ types }) => types.some(isUnknown));
  const rulesKnown = areRulesKnown(config);
  return ROUTED_TYPES.flatMap((type) => {
    const issues: ConfigIssue[] = [];
    if (type === BREACHED) {
      const effect = 'so a margin breach alerts no person';
      if (routesKnown && findRoute(config, type) === undefined)
        issues.push(error(routes, `have no route for ${type}, ${effect}; add the type to a route`));
      if (rulesKnown && !reachesSink(config, type))
        issues.push(error(rules, `give ${type} no sink, ${effect}; add a rule with at least one sink`));
      return issues;
    }
    if (config.ignore.some((pattern) => isUnknown(pattern) || matchesPattern(pattern, type))) return [];
    const help = 'if that is intended, list the type under ignore';
    if (routesKnown && findRoute(config, type) === undefined)
      issues.push(warning(routes, `have no route for ${type}, so it is not published; ${help}`));
    if (rulesKnown && !OPENING_TYPES.has(type) && !reachesSink(config, type))
      issues.push(warning(rules, `give ${type} no sink, so it is only archived; ${help}`));
    return issues;
  });
}
