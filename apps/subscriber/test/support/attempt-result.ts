import type { AttemptResult } from '../../src/deliveries/outbox/pending-delivery.js';

const AT = new Date('2026-03-02T00:00:02.000Z');

/** The result of a first attempt that the sink accepted, refused with 400 or did not accept with 503. */
export function attemptResult(
  eventId: string,
  subject: string,
  verdict: AttemptResult['verdict'],
): AttemptResult {
  const status = { delivered: 204, refused: 400, failed: 503 }[verdict.kind];
  const isDelivered = verdict.kind === 'delivered';
  return {
    eventId,
    subject,
    attempts: 1,
    outcome: isDelivered ? 'delivered' : 'rejected',
    status,
    response: undefined,
    description: isDelivered ? `delivered, status ${status}` : `rejected with status ${status}`,
    at: AT,
    durationMs: 12,
    verdict,
  };
}
