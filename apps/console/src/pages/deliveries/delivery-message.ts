import type { DeliveryRow } from '../../api/operations.js';
import type { Tone } from '../../ui/badge.js';
import { describeSubject } from '../events/describe-subject.js';

const SEVERITIES = ['info', 'warning', 'critical'] as const;

/** How bad the news of a message is. That a problem has ended is good news, whatever its severity was. */
export function toneOf({ kind, severity }: Pick<DeliveryRow, 'kind' | 'severity'>): Tone {
  return kind === 'resolved' ? 'good' : (SEVERITIES.find((each) => each === severity) ?? 'muted');
}

/** A digest of a version, of which a person has no use. */
const DIGEST = /\/?[0-9a-f]{32,}/g;

/** Whom and what a message is about, beside its type. */
export function describeWhat({ participant, subject }: Pick<DeliveryRow, 'participant' | 'subject'>): string {
  const about = describeSubject(subject, participant).replaceAll(DIGEST, '');
  return [participant === '*' ? 'several participants' : participant, about]
    .filter((part) => part !== '')
    .join(', ');
}
