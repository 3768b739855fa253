import {
  ALERT_REASON_NAMES,
  ALL_PARTICIPANTS,
  EVENT_TYPES,
  matchesPattern,
  problemKindOf,
  PROBLEM_KINDS,
  type AlertReason,
} from '@ssb/events';
import { z } from 'zod';
import { tryParseDuration } from '../duration.js';
import { findNearestName } from '../nearest-name.js';
import type { OperatorConfig } from '../schema.js';
import { eachOnce, oneOf, strict, typePattern } from '../schema-values.js';
import { findMismatch, type AlertFacts } from './find-recipients.js';
import { severity } from './rule-schema.js';

const MAX_ENTRIES = 100;

const list = <T extends string>(entry: z.ZodType<T>, noun: string) =>
  z.array(entry).min(1).max(MAX_ENTRIES).superRefine(eachOnce(noun)).optional();

/** What a silence covers: an event that each given matcher matches. */
export const silenceMatchers = strict({
  types: list(typePattern, 'type'),
  participants: list(z.string().min(1).max(60), 'participant'),
  severities: list(severity, 'severity'),
  problems: list(oneOf('problem kind', PROBLEM_KINDS), 'problem kind'),
  /** Of faults of the bridge. */
  reasons: list(oneOf('reason', ALERT_REASON_NAMES), 'reason'),
}).refine((matchers) => Object.values(matchers).some((each) => each !== undefined), {
  error: 'must have types, participants, severities, problems or reasons, so that not everything is silenced',
});

export type SilenceMatchers = z.output<typeof silenceMatchers>;

export interface SilenceFacts extends AlertFacts {
  /** Of a fault of the bridge. */
  readonly reason?: AlertReason | undefined;
}

/**
 * Whether a silence covers an event. It covers faults of the bridge only if it names them, and what concerns all participants only if it names
 * no participant.
 */
export function isSilenced({ reasons, ...matchers }: SilenceMatchers, facts: SilenceFacts): boolean {
  const isOfBridge = problemKindOf(facts.type) === 'bridge-fault';
  const namesFaults = reasons !== undefined || matchers.problems?.includes('bridge-fault') === true;
  if (isOfBridge && !namesFaults) return false;
  if (reasons !== undefined && (facts.reason === undefined || !reasons.includes(facts.reason))) return false;
  if (facts.participant === ALL_PARTICIPANTS && matchers.participants !== undefined) return false;
  return findMismatch(matchers, facts) === undefined;
}

/** A name in the matchers that nothing has, in one sentence; undefined when each is known. */
export function findSilenceIssue(
  { participants }: Pick<OperatorConfig, 'participants'>,
  matchers: SilenceMatchers,
): string | undefined {
  const codes = participants.map(({ code }) => code);
  const participant = matchers.participants?.find((code) => !codes.includes(code));
  if (participant !== undefined)
    return `CONFIG_FILE of the subscriber has no participant ${participant}. Give the code of one that it has.`;
  const type = matchers.types?.find((pattern) => !EVENT_TYPES.some((each) => matchesPattern(pattern, each)));
  if (type === undefined) return undefined;
  const nearest = findNearestName(type, EVENT_TYPES);
  return `${type} matches no event type. ${nearest === undefined ? `The types: ${EVENT_TYPES.join(', ')}` : `The nearest type is ${nearest}`}.`;
}

/** The longest silence that people may request, in milliseconds. */
export function maxSilenceMs({ alerts }: Pick<OperatorConfig, 'alerts'>): number {
  return tryParseDuration(alerts.maxSilence ?? DEFAULT_MAX_SILENCE) ?? 0;
}

export const DEFAULT_MAX_SILENCE = '7d';
