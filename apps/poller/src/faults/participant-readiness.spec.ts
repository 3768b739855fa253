import type { AlertReason } from '@ssb/events';
import { explainUnready, type HeldParticipant, type InterfaceState } from './participant-readiness.js';

const interfaceWith = (lastPollSucceeded: boolean, ...reasons: AlertReason[]): InterfaceState => ({
  lastPollSucceeded,
  faults: new Map(reasons.map((reason) => [reason, 'detail'])),
});
const WORKING = interfaceWith(true);
const participant = (code: string, ...interfaces: InterfaceState[]): HeldParticipant => ({
  code,
  interfaces,
});
const REFUSED = interfaceWith(false, 'token-refused');

it.each<[string, HeldParticipant[], string | undefined]>([
  ['a standby', [], undefined],
  ['no poll yet', [participant('A', interfaceWith(false), interfaceWith(false))], undefined],
  ['both interfaces refused', [participant('A', REFUSED, REFUSED)], 'A: token-refused: detail'],
  ['one interface works', [participant('A', REFUSED, WORKING)], undefined],
  [
    'different faults',
    [participant('A', interfaceWith(false, 'operator-response-unusable', 'poll-overdue'), REFUSED)],
    'A: poll-overdue: detail',
  ],
  [
    'only unusable responses',
    [participant('A', interfaceWith(false, 'operator-response-unusable'), REFUSED)],
    undefined,
  ],
  [
    'an expired certificate that the operator accepts',
    [participant('A', interfaceWith(true, 'certificate-expired'), REFUSED)],
    undefined,
  ],
  [
    'one of two participants works',
    [participant('A', REFUSED, REFUSED), participant('B', WORKING, WORKING)],
    undefined,
  ],
  [
    'no participant works',
    [participant('A', REFUSED, REFUSED), participant('B', REFUSED, interfaceWith(false, 'poll-overdue'))],
    'A: token-refused: detail; B: token-refused: detail',
  ],
])('explains why a poller is not ready: %s', (_, held, expected) => {
  expect(explainUnready(held)).toBe(expected);
});
