import { WebhookSink } from '../webhook/webhook-receiver.js';
import { Arrivals } from './delivery-tracker.js';

it('expects what the simulator logs, whose days count from its own start', () => {
  const type = 'settlementbus.statement.published.v1';
  const sink = new WebhookSink(`whsec_${Buffer.alloc(24).toString('base64')}`);
  const arrivals = new Arrivals([{ type, subject: '{participant}/WEM/{today-14}/INITIAL' }], sink);
  expect(arrivals.result(1).missing).toHaveLength(1);
  arrivals.note('simulator', { step: 'expected', expect: [[type, 'WPGENCO/WEM/2026-11-17/INITIAL']] });
  expect(arrivals.result(1).missing).toMatchObject([{ type, subject: 'WPGENCO/WEM/2026-11-17/INITIAL' }]);
});
