import type { PendingDelivery } from '../../src/deliveries/outbox/pending-delivery.js';

/** A delivery whose text is an event with its type, subject and participant. */
export function pendingDelivery(change: Partial<PendingDelivery> = {}): PendingDelivery {
  const { eventId: id = 'e1', type = 'settlementbus.margin.breached.v1' } = change;
  const { subject = 'WPGENCO/prudential', participant = 'WPGENCO' } = change;
  const factTime = '2026-03-02T08:00:00+08:00';
  return {
    eventId: id,
    aboutEventId: null,
    details: null,
    grouped: null,
    sink: 'treasury',
    kind: 'alert',
    severity: 'critical',
    problemId: 'd0c8a1f2-7a53-4c0b-8f39-5d1f0c1c2a77',
    problemState: 'open',
    problem: null,
    replayed: false,
    resent: false,
    urgent: true,
    type,
    subject,
    participant,
    sequence: '00000000000000000001',
    channel: 'prudential.channels.bridge.apps.participant.iam.market',
    messageId: 'message-1',
    sender: 'did:ethr:0x1111111111111111111111111111111111111111',
    signature: `0x${'ab'.repeat(65)}`,
    origin: 'did:ethr:0x2222222222222222222222222222222222222222',
    factTime,
    detectedAt: '2026-03-02T00:00:01.250Z',
    archivedAt: new Date('2026-03-02T00:00:02Z'),
    marks: [],
    attempts: 0,
    text: JSON.stringify({
      id,
      type,
      subject,
      participant,
      time: factTime,
      data: { tradingMargin: '-60000.5' },
    }),
    ...change,
  };
}
