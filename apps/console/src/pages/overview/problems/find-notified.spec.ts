import type { ProblemDelivery } from '../../../api/operations.js';
import { findNotified } from './find-notified.js';

const delivery = (sink: string, more: Partial<ProblemDelivery> = {}): ProblemDelivery => ({
  eventId: '',
  sink,
  state: 'pending',
  kind: 'alert',
  severity: 'critical',
  addedAt: '',
  attempts: 0,
  ...more,
});

it('names each sink with its last acceptance', () => {
  const deliveries = [
    delivery('pager', { state: 'delivered', acceptedAt: '03:00' }),
    delivery('mail', { state: 'delivered', acceptedAt: '02:00' }),
    delivery('pager', { state: 'delivered', acceptedAt: '01:00' }),
  ];
  expect(findNotified(deliveries)).toEqual({
    notified: [
      { sink: 'pager', at: '03:00' },
      { sink: 'mail', at: '02:00' },
    ],
    waiting: [],
  });
});

it('says of a sink what has not arrived since it last accepted something', () => {
  const deliveries = [
    delivery('mail', { state: 'withheld', withheld: 'silenced' }),
    delivery('pager', { nextAttemptAt: '04:00' }),
    delivery('pager', { state: 'delivered', acceptedAt: '01:00' }),
    delivery('pager', { state: 'parked' }),
  ];
  expect(findNotified(deliveries)).toEqual({
    notified: [{ sink: 'pager', at: '01:00' }],
    waiting: [
      { sink: 'mail', why: 'silenced' },
      { sink: 'pager', why: 'not accepted yet', nextAttemptAt: '04:00' },
    ],
  });
});

it.each(['resolved', 'notice'])('does not count a delivery of kind %s', (kind) => {
  const deliveries = [delivery('mail', { kind, state: 'delivered', acceptedAt: '02:00' })];
  expect(findNotified(deliveries)).toEqual({ notified: [], waiting: [] });
});
