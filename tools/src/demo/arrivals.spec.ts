import { expect, it } from '@jest/globals';
import { scenarioFile } from '../system/scenario.js';
import { WebhookSink } from '../sink/webhook-sink.js';
import { Arrivals } from './arrivals.js';
import { readExpectations } from './expectations.js';

it('counts the days of the play from where the market began it, also when midnight passed while everything started', () => {
  const expectedOf = (began: Date) => readExpectations(scenarioFile('demo'), 'WPGENCO', began);
  const arrivals = new Arrivals(expectedOf, new WebhookSink(`whsec_${Buffer.alloc(24).toString('base64')}`));
  // One second past midnight of 1 December in Perth.
  arrivals.note('simulator', { step: 'started', time: '2026-11-30T16:00:01.000Z' });
  expect(arrivals.result(1).missing[0]).toMatchObject({ subject: 'WPGENCO/WEM/2026-11-17/INITIAL' });
});
