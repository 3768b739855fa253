import { WebhookReceiver } from '../webhook/webhook-receiver.js';
import { DeliveryTracker } from './delivery-tracker.js';

it('expects the subjects that the simulator logs', () => {
  const type = 'settlementbus.statement.published.v1';
  const receiver = new WebhookReceiver(`whsec_${Buffer.alloc(24).toString('base64')}`);
  const tracker = new DeliveryTracker([{ type, subject: '{participant}/WEM/{today-14}/INITIAL' }], receiver);
  expect(tracker.buildResult(1).missing).toHaveLength(1);
  tracker.record('simulator', { step: 'expected', expect: [[type, 'WPGENCO/WEM/2026-11-17/INITIAL']] });
  expect(tracker.buildResult(1).missing).toMatchObject([{ type, subject: 'WPGENCO/WEM/2026-11-17/INITIAL' }]);
});

it('waits for missing events no longer than its timeout', async () => {
  const type = 'settlementbus.margin.breached.v1';
  const receiver = new WebhookReceiver(`whsec_${Buffer.alloc(24).toString('base64')}`);
  const tracker = new DeliveryTracker([{ type, subject: 'UNKNOWN/prudential' }], receiver);
  await tracker.waitUntilComplete(1);
  expect(tracker.buildResult(1)).toMatchObject({ ok: false, missing: [{ subject: 'UNKNOWN/prudential' }] });
});
