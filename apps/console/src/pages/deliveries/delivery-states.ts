import type { DeliveryRow } from '../../api/operations.js';
import { countOf } from '../../format/count.js';

export type DeliveryState = DeliveryRow['state'];

interface StateText {
  readonly label: string;
  readonly tone: 'good' | 'info' | 'warning' | 'critical' | 'muted';
  /** One sentence. */
  readonly explanation: string;
}

type StateFacts = Pick<
  DeliveryRow,
  'state' | 'attempts' | 'lastOutcome' | 'withheld' | 'digestId' | 'replayed'
>;

/** The state of a delivery in words. A pending one whose attempts failed is a failed one for a person. */
export function describeState(delivery: StateFacts): StateText {
  const { state, attempts, withheld } = delivery;
  switch (state) {
    case 'pending':
      return isFailing(delivery)
        ? {
            label: 'failing',
            tone: 'critical',
            explanation: `${countOf(attempts, 'attempt')} failed. It is attempted again without end.`,
          }
        : { label: 'pending', tone: 'info', explanation: 'It waits for its turn.' };
    case 'parked':
      return {
        label: 'parked',
        tone: 'critical',
        explanation:
          'The sink refused it. It blocks no other delivery, and is attempted again every ten minutes.',
      };
    case 'delivered':
      return {
        label: withheld === 'grouped' ? 'delivered in a digest' : 'delivered',
        tone: 'good',
        explanation: 'The sink accepted it.',
      };
    case 'withheld':
      return {
        label: withheld === 'grouped' ? 'in a digest' : 'withheld',
        tone: 'muted',
        explanation: `It is ${explainWithheld(withheld)}.`,
      };
    case 'replaced':
      return {
        label: 'replaced',
        tone: 'muted',
        explanation: 'It was no longer needed: a newer state replaced it, or its problem was handled.',
      };
    case 'skipped':
      return { label: 'skipped', tone: 'muted', explanation: 'A person requested that it is not delivered.' };
  }
}

const WITHHELD: Readonly<Record<string, string>> = {
  muted: 'withheld: a rule mutes it at this time',
  silenced: 'withheld by a silence',
  'min-interval': 'withheld: the last message about this was sent recently',
  grouped: 'sent together with others in a digest',
};

/** Why a delivery is not sent alone. */
export function explainWithheld(withheld: string | undefined): string {
  return (withheld !== undefined && WITHHELD[withheld]) || 'withheld by a rule';
}

interface Attempted {
  readonly state: string;
  readonly attempts: number;
  readonly lastOutcome?: string;
}

/** A sink refused it, or has not accepted the last attempt. One that is resent may have been accepted before. */
export const isFailing = ({ state, attempts, lastOutcome = '' }: Attempted): boolean =>
  state === 'parked' || (state === 'pending' && attempts > 0 && !lastOutcome.startsWith('delivered'));
