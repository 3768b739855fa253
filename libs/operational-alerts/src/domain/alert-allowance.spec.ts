import { ALERT_REASON_NAMES } from '@ssb/events';
import {
  MAX_ALERTS_PER_HOUR,
  MAX_ALERTS_PER_REASON,
  renewAllowance,
  takeAllowance,
} from './alert-allowance.js';

it('sends the first alert of each reason although the limit of the hour is reached', () => {
  let allowance = renewAllowance(undefined, new Date());
  const sent = ALERT_REASON_NAMES.map((reason) => {
    let count = 0;
    for (let n = 0; n <= MAX_ALERTS_PER_REASON; n += 1) {
      const next = takeAllowance(allowance, { reason });
      if (next === undefined) continue;
      allowance = next;
      count += 1;
    }
    return count;
  });
  const full = MAX_ALERTS_PER_HOUR / MAX_ALERTS_PER_REASON;
  expect(sent.slice(0, full)).toEqual(Array(full).fill(MAX_ALERTS_PER_REASON));
  expect(sent.slice(full)).toEqual(Array(ALERT_REASON_NAMES.length - full).fill(1));
});

it('sends the first alert about a document of each participant, and counts it', () => {
  const topic = { reason: 'calculation-in-future', interface: 'prudential', document: 'a' } as const;
  let allowance = renewAllowance(undefined, new Date());
  const sent = Array.from({ length: 2 * MAX_ALERTS_PER_HOUR }, (_, n) => {
    const next = takeAllowance(allowance, { ...topic, participant: `P${n}` });
    allowance = next ?? allowance;
    return next !== undefined;
  });
  expect(new Set(sent)).toEqual(new Set([true]));
  expect(takeAllowance(allowance, { ...topic, participant: 'P0' })).toBeUndefined();
});

it('counts the alerts of each interface by themselves', () => {
  const topic = { reason: 'operator-answer-unusable', interface: 'settlement' } as const;
  let allowance = renewAllowance(undefined, new Date());
  for (let n = 0; n < MAX_ALERTS_PER_REASON; n += 1) allowance = takeAllowance(allowance, topic) ?? allowance;
  expect(takeAllowance(allowance, topic)).toBeUndefined();
  expect(takeAllowance(allowance, { ...topic, interface: 'prudential' })).toBeDefined();
});
