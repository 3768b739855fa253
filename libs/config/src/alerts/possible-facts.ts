import {
  ALERT_REASON_NAMES,
  alertSeverity,
  ALL_PARTICIPANTS,
  describeProblemKind,
  EVENT_TYPES,
  problemKindOf,
  SEVERITIES,
  type EventType,
  type ProblemKind,
  type Severity,
} from '@ssb/events';
import { DETECTION_DEFAULTS } from '../detection/detection-schema.js';
import { findParticipant, findProfile, HEARTBEAT_TYPE } from '../lookup.js';
import type { OperatorConfig } from '../schema.js';
import type { AlertFacts } from './find-recipients.js';
import { severityOf } from './severity-of.js';

/** Types that rules apply to. Heartbeats go to no sink. */
export const ROUTED_TYPES = EVENT_TYPES.filter((type) => type !== HEARTBEAT_TYPE);

/** The types whose events open a problem. An event that only lowers or resolves one is not among them. */
export function openingTypes(kind: ProblemKind): EventType[] {
  const { opens, resolves } = describeProblemKind(kind);
  return opens.filter((type) => !resolves.includes(type));
}

/** What an event of a type can be, apart from its amount: with a problem each severity, without one `info`. */
export function listFacts(type: EventType): AlertFacts[] {
  const kind = problemKindOf(type);
  const withProblem = kind === undefined ? [] : SEVERITIES.map((severity) => ({ severity, problem: kind }));
  // An event with effect `ends` may find no problem.
  const alone =
    kind !== undefined && openingTypes(kind).includes(type) ? [] : [{ severity: 'info' as const }];
  return [...withProblem, ...alone].map((each) => ({ type, participant: ALL_PARTICIPANTS, ...each }));
}

/** The events of a type that open problems of a participant, with the severities of this configuration and without amounts. */
export function listOpeningFacts(config: OperatorConfig, type: EventType, participant: string): AlertFacts[] {
  const problem = problemKindOf(type);
  if (problem === undefined) return [];
  const severities = listSeverities(config, type, problem, participant);
  return severities.map((severity) => ({ type, participant, severity, problem }));
}

/** The severities that the apps of this configuration give the problem. */
function listSeverities(
  config: OperatorConfig,
  type: EventType,
  problem: ProblemKind,
  participant: string,
): Severity[] {
  if (problem === 'bridge-fault') return [...new Set(ALERT_REASON_NAMES.map(alertSeverity))];
  if (problem !== 'margin') return [severityOf(config, { kind: problem })];
  return [
    findMarginSeverity(
      config,
      participant,
      type === 'settlementbus.margin.breached.v1' ? 'breached' : 'warning',
    ),
  ];
}

/** The worst severity that this configuration gives the problem of a type; `info` for a type without a problem. */
export function findWorstSeverity(config: OperatorConfig, type: EventType, participant: string): Severity {
  const problem = problemKindOf(type);
  if (problem === undefined) return 'info';
  const types = openingTypes(problem).includes(type) ? [type] : openingTypes(problem);
  const severities = types.flatMap((each) => listSeverities(config, each, problem, participant));
  return SEVERITIES.findLast((severity) => severities.includes(severity)) ?? 'info';
}

/** The severity that the poller writes into the margin events of a participant. */
export function findMarginSeverity(
  config: OperatorConfig,
  participant: string,
  level: 'warning' | 'breached',
): Severity {
  const own = findParticipant(config, participant);
  const sources = [own?.margin, findProfile(config, own?.profile).margin, config.defaults?.margin];
  return (
    sources.map((margin) => margin?.severity?.[level]).find((each) => each !== undefined) ??
    DETECTION_DEFAULTS.margin.severity[level]
  );
}
