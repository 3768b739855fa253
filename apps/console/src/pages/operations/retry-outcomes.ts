import type { RetriedLetter, RetriedPage } from '../../api/operations.js';

const OUTCOMES: Readonly<Record<RetriedLetter['outcome'], string>> = {
  queued: 'is queued again, and leaves the list once it is published',
  'already-queued': 'was queued already',
  'already-published': 'was published already, and has left the list',
  'not-found': 'is no longer a dead letter',
  refused: 'was refused, and stays in the list',
};

export function describeOutcome({ id, outcome, reason }: RetriedLetter): string {
  return `${id} ${OUTCOMES[outcome]}${reason === undefined ? '' : ` (${reason.replace(/\.$/, '')})`}.`;
}

export interface PageOutcome {
  readonly queued: number;
  readonly refused: readonly RetriedLetter[];
  /** Neither queued nor refused: they were queued, published or removed before. */
  readonly others: number;
}

/** What became of a page of dead letters. */
export function summarisePage({ items }: RetriedPage): PageOutcome {
  const count = (outcome: RetriedLetter['outcome']): number =>
    items.filter((letter) => letter.outcome === outcome).length;
  const refused = items.filter(({ outcome }) => outcome === 'refused');
  const queued = count('queued');
  return { queued, refused, others: items.length - queued - refused.length };
}
