import type { ProblemRow } from '../../api/operations.js';
import { describeAbout, showParticipant, titleOf } from './problem-titles.js';

const problem = (
  kind: ProblemRow['kind'],
  key: string,
  rest: Partial<ProblemRow> = {},
): Parameters<typeof titleOf>[0] => ({ kind, key, participant: 'ALPHA', figures: {}, ...rest });

it.each<[Parameters<typeof titleOf>[0], string, string]>([
  [
    problem('margin', 'ALPHA/prudential', { level: 'WARNING', worstLevel: 'BREACHED' }),
    'Trading margin below the warning threshold',
    '',
  ],
  [
    problem('margin', 'ALPHA/prudential', { worstLevel: 'BREACHED', endedAt: '2026-11-30T10:00:00Z' }),
    'Trading margin below the breach threshold',
    '',
  ],
  [
    problem('statement-overdue', 'ALPHA/WEM/2026-09-06/ADJ1'),
    'Settlement statement overdue',
    'WEM from Sun 6 Sep 2026, ADJ1',
  ],
  [
    problem('invoice-discrepancy', 'ALPHA/WEM/2026-09-06/INITIAL/invoice/INV-7/discrepancy', {
      figures: { id: 'INV-7', count: '2' },
    }),
    'Invoice amounts do not agree',
    'WEM from Sun 6 Sep 2026, INITIAL, invoice INV-7',
  ],
  [
    problem('breach-forecast', 'ALPHA/margin-forecast/trend'),
    'Breach of the trading margin forecast',
    'by the trend',
  ],
  [
    problem('operator-unreachable', 'ALPHA/market/prudential'),
    'Operator not reachable',
    'prudential interface',
  ],
  [
    problem('bridge-fault', '*/bridge/subscriber/sink-failing/treasury', { participant: '*' }),
    'Fault of the bridge: sink failing',
    'subscriber, treasury',
  ],
])('names a problem', (given, title, about) => {
  expect([titleOf(given), describeAbout(given)]).toEqual([title, about]);
});

it('says that a fault concerns all participants', () => {
  expect([showParticipant('*'), showParticipant('ALPHA')]).toEqual(['all participants', 'ALPHA']);
});

it('leaves out the identity of a sender where it says nothing to a reader', () => {
  const fault = problem('bridge-fault', 'ALPHA/bridge/subscriber/message-quarantined/a.b/did:ethr:0x1');
  expect(describeAbout(fault)).toBe('subscriber, a.b, did:ethr:0x1');
  expect(describeAbout(fault, false)).toBe('subscriber, a.b');
});
