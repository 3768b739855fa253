import type { FaultReporter } from '@ssb/faults';
import { pendingDelivery } from '../../test/support/pending-delivery.js';
import type { ConfigInUse } from '../configuration/config-in-use.js';
import { StoredEventVerifier } from './stored-event-verifier.js';

it.each([
  ['', undefined],
  [' in the digest d1', 'd1'],
])('the fault of an event that fails verification names it%s', (what, digestId) => {
  const raised: unknown[] = [];
  const verifier = new StoredEventVerifier(
    { current: () => ({ participants: [{ code: 'WPGENCO' }] }) } as unknown as ConfigInUse,
    {} as never,
    { raise: (fault: unknown) => raised.push(fault) } as unknown as FaultReporter,
  );
  verifier.onUnverified(pendingDelivery({ channel: 'c' }), 'forged', digestId);
  expect(raised).toEqual([
    {
      reason: 'archive-authentication-failed',
      participant: 'WPGENCO',
      channel: 'c',
      detail: `The archived settlementbus.margin.breached.v1 e1${what} was not delivered: forged`,
    },
  ]);
});
