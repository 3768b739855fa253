import { isUrgent, type EventType, type Severity } from '@ssb/events';
import { tryParseDuration } from '../duration.js';
import { isMuted } from './is-muted.js';
import type { AlertRule, WithholdingKey } from './rule-schema.js';

/** Why rules withhold a message. */
export type RuleWithholding = 'muted' | 'min-interval' | 'grouped';

export interface WithholdingFacts {
  readonly at: Date;
  /** A rule withholds a critical message only by the keys that `withholdCritical` names. */
  readonly isCritical: boolean;
  /** Only a notice is grouped. */
  readonly isNotice?: boolean;
  /** Since the last delivery of the subject to the sink that was not withheld; undefined without one. */
  readonly sinceLastMs?: number | undefined;
}

/** A message of severity critical, or about an urgent event of any severity. */
export function isCritical(severity: Severity, type: EventType): boolean {
  return severity === 'critical' || isUrgent(type);
}

/** Whether the first delivery of an event is a notice. The end of a problem of severity info is one too: nobody got an alert of it. */
export function isNotice(kind: string, severity: Severity): boolean {
  return kind === 'notice' || (kind === 'resolved' && severity === 'info');
}

/**
 * Why a message is withheld from a sink.
 * @param rules those that name the sink and match. The sink gets the message when one of them does not withhold it, or when there is none. It gets it in
 *   a digest when one of the others groups it.
 */
export function findWithholding(
  rules: readonly AlertRule[],
  facts: WithholdingFacts,
): RuleWithholding | undefined {
  const reasons = rules.map((rule) => withholdingOf(rule, facts));
  if (reasons.includes(undefined)) return undefined;
  return reasons.includes('grouped') ? 'grouped' : reasons[0];
}

function withholdingOf(
  { mute = [], minInterval, group, withholdCritical = [] }: AlertRule,
  { at, isCritical: critical, isNotice = false, sinceLastMs }: WithholdingFacts,
): RuleWithholding | undefined {
  const applies = (key: WithholdingKey): boolean => !critical || withholdCritical.includes(key);
  if (applies('mute') && isMuted(mute, at)) return 'muted';
  const intervalMs = minInterval === undefined ? 0 : (tryParseDuration(minInterval) ?? 0);
  const isTooSoon = sinceLastMs !== undefined && sinceLastMs < intervalMs;
  if (applies('minInterval') && isTooSoon) return 'min-interval';
  return group !== undefined && isNotice && applies('group') ? 'grouped' : undefined;
}
