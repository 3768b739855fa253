import { EVENT_TYPES, matchesPattern } from '@ssb/events';
import { error, warning, type ConfigIssue } from '../config-issue.js';
import { findNearestName } from '../nearest-name.js';
import { isUnknown } from '../placeholders.js';
import type { OperatorConfig } from '../schema.js';
import { areRulesKnown } from './alert-sinks.js';
import { AMOUNTS } from './amount-of.js';
import { acceptsSomeAmount } from './amount-ranges.js';
import { isCritical } from './find-withholding.js';
import { isAlwaysMuted } from './is-muted.js';
import { WITHHOLDING_KEYS, type AlertRule, type WithholdingKey } from './rule-schema.js';
import { findMismatch, MATCHERS, type AlertFacts, type Matcher } from './find-recipients.js';
import { findMarginSeverity, listFacts, ROUTED_TYPES } from './possible-facts.js';

/** Rules that name unknown participants, are muted at any time or match no event, and severities without effect. */
export function findRuleIssues(config: OperatorConfig): ConfigIssue[] {
  return [
    ...findUnknownParticipants(config),
    ...findEndlessMutes(config),
    ...(areRulesKnown(config) ? findIneffectiveRules(config) : []),
    ...findIneffectiveSeverities(config),
  ];
}

function findUnknownParticipants({ alerts, participants }: OperatorConfig): ConfigIssue[] {
  const codes = participants.map(({ code }) => code);
  if (codes.some(isUnknown)) return [];
  return alerts.rules.flatMap((rule, index) =>
    (rule.participants ?? []).flatMap((code, entry) => {
      if (isUnknown(code) || codes.includes(code)) return [];
      const nearest = findNearestName(code, codes);
      const help = nearest === undefined ? `they are ${codes.join(', ')}` : `the nearest is ${nearest}`;
      return [
        error(
          ['alerts', 'rules', index, 'participants', entry],
          `is ${code}, which participants does not name; ${help}`,
        ),
      ];
    }),
  );
}

/** Windows with values that are unknown on this machine are left out. */
function findEndlessMutes({ alerts }: OperatorConfig): ConfigIssue[] {
  return alerts.rules.flatMap(({ mute = [] }, index) => {
    const known = mute.filter(
      ({ days = [], from = '', to = '', timeZone }) => ![...days, from, to, timeZone].some(isUnknown),
    );
    if (!isAlwaysMuted(known)) return [];
    const message =
      'covers every minute of the week, so it would never end; leave out a part, or remove the rule';
    return [error(['alerts', 'rules', index, 'mute'], message)];
  });
}

const REMINDING_KEYS = ['remindEvery', 'remindAcknowledgedEvery', 'escalate'] as const;

/** Rules that match no event, remind of none or withhold none, whatever its severity. Patterns without a type and unknown participants are issues of their own. */
function findIneffectiveRules(config: OperatorConfig): ConfigIssue[] {
  const facts = ROUTED_TYPES.flatMap(listFacts);
  return config.alerts.rules.flatMap((rule, index) => {
    const types = rule.types ?? ['*'];
    if (!EVENT_TYPES.some((type) => types.some((pattern) => matchesPattern(pattern, type)))) return [];
    let left = facts;
    for (const matcher of MATCHERS) {
      const path = ['alerts', 'rules', index, matcher];
      const matched = left.filter((each) => accepts(rule, matcher, each));
      if (matched.length === 0) return [error(path, explainNoMatch(matcher, left))];
      left = matched;
    }
    const ineffective = WITHHOLDING_KEYS.find(
      (each) => rule[each] !== undefined && !withholdsSome(rule, each, left),
    );
    if (ineffective !== undefined)
      return [error(['alerts', 'rules', index, ineffective], explainNotWithheld(ineffective))];
    const noDigest = explainNoDigest(config, rule);
    if (noDigest !== undefined) return [error(['alerts', 'rules', index, 'group'], noDigest)];
    const key = REMINDING_KEYS.find((each) => rule[each] !== undefined);
    if (key === undefined || left.some(({ problem, severity }) => problem && severity !== 'info')) return [];
    const message =
      'applies to problems of severity warning or critical, and the rule matches none; remove it, or change the matchers';
    return [error(['alerts', 'rules', index, key], message)];
  });
}

const KINDS_WITHOUT_NOTICES: readonly string[] = ['alertmanager', 'pagerduty'];

/** Whether a key withholds some of the events that a rule matches. A critical event that changes no problem is a notice. */
function withholdsSome(
  { withholdCritical = [] }: AlertRule,
  key: WithholdingKey,
  matched: readonly AlertFacts[],
): boolean {
  return matched.some(({ severity, type }) =>
    isCritical(severity, type) ? withholdCritical.includes(key) : key !== 'group' || severity === 'info',
  );
}

function explainNotWithheld(key: WithholdingKey): string {
  return key === 'group'
    ? 'applies to notices of severity info, and with withholdCritical: [group] to critical ones, and the rule matches none; remove it, or change the matchers'
    : `withholds no critical event, and the rule matches no other; add withholdCritical: [${key}], or remove it`;
}

/** Why a sink of a rule with `group` cannot show the digest. */
function explainNoDigest({ alerts }: OperatorConfig, { group, sinks }: AlertRule): string | undefined {
  if (group === undefined) return undefined;
  const sink = alerts.sinks.find(
    ({ name, kind }) => sinks.includes(name) && KINDS_WITHOUT_NOTICES.includes(kind),
  );
  if (sink === undefined) return undefined;
  return `is for sinks that show notices, and ${sink.name} is of kind ${sink.kind}, which shows problems only; give it a rule without group`;
}

function accepts(rule: AlertRule, matcher: Matcher, facts: AlertFacts): boolean {
  if (matcher === 'amounts') return acceptsSomeAmount(rule.amounts, facts.type);
  return findMismatch({ [matcher]: rule[matcher] }, facts) === undefined;
}

function explainNoMatch(matcher: Matcher, left: readonly AlertFacts[]): string {
  if (matcher === 'types') return 'match only heartbeats, which go to no sink';
  return `match none of the events that the rule leaves: ${describe(matcher, left)}; change or remove the rule`;
}

function describe(matcher: Matcher, facts: readonly AlertFacts[]): string {
  const list = (values: readonly (string | undefined)[]): string =>
    [...new Set(values.filter((value) => value !== undefined))].join(', ');
  if (matcher === 'severities') return 'they have no problem, so their severity is info';
  if (matcher === 'problems') {
    const kinds = list(facts.map(({ problem }) => problem));
    return kinds === '' ? 'they open and resolve no problem' : `their problem kinds are ${kinds}`;
  }
  return facts.some(({ type }) => AMOUNTS[type] !== undefined)
    ? 'their amounts have no sign, so they are 0 or more'
    : 'they have no amount';
}

/** The poller writes `margin.severity` into its events, and the severity of an event wins. */
function findIneffectiveSeverities(config: OperatorConfig): ConfigIssue[] {
  const margin = config.alerts.severities?.margin ?? {};
  return (['warning', 'breach'] as const).flatMap((key) => {
    const level = key === 'breach' ? 'breached' : key;
    const other = config.participants.find(
      ({ code }) => margin[key] !== undefined && findMarginSeverity(config, code, level) !== margin[key],
    );
    if (other === undefined) return [];
    return [
      warning(
        ['alerts', 'severities', 'margin', key],
        `is ${margin[key]}, but the events about ${other.code} name the severity ${findMarginSeverity(config, other.code, level)} themselves; set margin.severity.${level} of the participant or under defaults`,
      ),
    ];
  });
}
