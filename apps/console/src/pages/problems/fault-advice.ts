import { ALERT_REASONS, isAlertReason } from '@ssb/events/problems';
import type { ProblemRow } from '../../api/operations.js';

export const ACKNOWLEDGE = 'Acknowledge the problem when you act on it: reminders and escalations end.';

type Fault = Pick<ProblemRow, 'key' | 'figures' | 'closedByPerson'>;

/** What a fault of the bridge means, and what to do: by its reason. */
export function describeFault({ key, figures, closedByPerson }: Fault): {
  readonly meaning: string;
  readonly steps: readonly string[];
  readonly end: string;
} {
  const reason = reasonOf({ key, figures });
  const known = isAlertReason(reason) ? ALERT_REASONS[reason] : undefined;
  const { action } = figures;
  const step = typeof action === 'string' ? action : (known?.action ?? 'Read the detail.');
  return {
    meaning: `${known?.meaning ?? 'The bridge itself has a fault.'} ${LATER}`,
    steps: [
      'If you do not operate the bridge yourself, pass this to those who do.',
      withoutPaths(step),
      ACKNOWLEDGE,
    ],
    end: closedByPerson
      ? 'It is a single fact, which no event ends: a person closes it once its cause is removed.'
      : 'It ends by itself when the fault is over.',
  };
}

const LATER = 'Facts may arrive late until it is over.';

/** The key is `<participant>/bridge/<app>/<reason>…`. */
export function reasonOf({ key, figures }: Pick<ProblemRow, 'key' | 'figures'>): string {
  const { reason } = figures;
  return typeof reason === 'string' ? reason : (key.split('/')[3] ?? '');
}

/** Texts name pages of the documentation in parentheses, which the console does not have. */
const withoutPaths = (text: string): string => text.replaceAll(/ \(docs\/[^)]*\)/g, '');

/** A page of the console on which a fault is repaired. */
export interface RepairPage {
  readonly to:
    | '/sinks'
    | '/deliveries'
    | '/operations'
    | '/operations/dead-letters'
    | '/operations/quarantine';
  readonly search?: Readonly<Record<string, string>>;
  readonly label: string;
}

const SINKS: RepairPage = { to: '/sinks', label: 'Sinks' };
const QUARANTINE: RepairPage = { to: '/operations/quarantine', label: 'Quarantine' };
const DEAD_LETTERS: RepairPage = { to: '/operations/dead-letters', label: 'Dead letters' };

const PAGES: ReadonlyMap<string, RepairPage> = new Map(
  Object.entries({
    'sink-failing': SINKS,
    'sink-disabled': SINKS,
    'delivery-refused': { to: '/deliveries', search: { state: 'parked' }, label: 'Parked deliveries' },
    'message-quarantined': QUARANTINE,
    'quarantine-full': QUARANTINE,
    'message-not-storable': QUARANTINE,
    'dead-letter': DEAD_LETTERS,
    'job-authentication-failed': DEAD_LETTERS,
  }),
);

/** Where a person looks at what the fault is about. */
export function repairPageOf(problem: Pick<ProblemRow, 'kind' | 'key' | 'figures'>): RepairPage | undefined {
  if (problem.kind !== 'bridge-fault') return undefined;
  return PAGES.get(reasonOf(problem)) ?? { to: '/operations', label: 'State of the bridge' };
}
