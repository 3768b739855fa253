import { rejectedEntry } from '../../../test/support/archive-entries.js';
import { quarantineFaults } from './quarantine-faults.js';

it('reports messages of trusted sources by participant, channel and gateway, and no others', () => {
  const trustedSource = { sender: 'did:ethr:0x1', participant: 'WPGENCO' };
  const alerts = quarantineFaults([
    rejectedEntry({ reason: 'schema', detail: '/data/total is missing', trustedSource }),
    rejectedEntry({ reason: 'origin-not-allowed', detail: 'not trusted', trustedSource }),
    rejectedEntry({ fqcn: 'other', trustedSource: { sender: 'did:ethr:0x2', participant: '*' } }),
    rejectedEntry({}),
  ]);
  expect(alerts).toEqual([
    {
      topic: {
        app: 'subscriber',
        reason: 'message-quarantined',
        participant: 'WPGENCO',
        channel: 'prudential.channels.bridge.apps.participant.iam.market',
        sender: 'did:ethr:0x1',
      },
      count: 2,
      detail: 'origin-not-allowed: not trusted',
    },
    {
      topic: {
        app: 'subscriber',
        reason: 'message-quarantined',
        participant: '*',
        channel: 'other',
        sender: 'did:ethr:0x2',
      },
      count: 1,
      detail: 'signer-mismatch: the payload was signed by another address',
    },
  ]);
});
