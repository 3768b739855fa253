import { ALERT_REASON_NAMES } from '@ssb/events';
import {
  MAX_ALERTS_PER_HOUR,
  MAX_ALERTS_PER_REASON,
  renewAllowance,
  takeAllowance,
  type ReportAllowance,
  type CountedTopic,
} from './report-allowance.js';

/** Offers the alerts one after the other. @returns how many are sent */
function send(start: ReportAllowance, topics: readonly CountedTopic[]) {
  let allowance = start;
  let sent = 0;
  for (const topic of topics) {
    const next = takeAllowance(allowance, topic);
    if (next === undefined) continue;
    allowance = next;
    sent += 1;
  }
  return { allowance, sent };
}

it('sends the first alert of each reason although the limit of the hour is reached', () => {
  let allowance = renewAllowance(undefined, new Date());
  const sent = ALERT_REASON_NAMES.map((reason) => {
    const next = send(allowance, Array<CountedTopic>(MAX_ALERTS_PER_REASON + 1).fill({ reason }));
    allowance = next.allowance;
    return next.sent;
  });
  const full = MAX_ALERTS_PER_HOUR / MAX_ALERTS_PER_REASON;
  expect(sent.slice(0, full)).toEqual(Array(full).fill(MAX_ALERTS_PER_REASON));
  expect(sent.slice(full)).toEqual(Array(ALERT_REASON_NAMES.length - full).fill(1));
});

it.each(['calculation-in-future', 'operator-response-unusable'] as const)(
  'sends the first alert of each participant about a calculation, and counts only the further ones: %s',
  (reason) => {
    const topicOf = (participant: string) =>
      ({ reason, interface: 'prudential', document: 'a', participant }) as const;
    const participants = Array.from({ length: 2 * MAX_ALERTS_PER_HOUR }, (_, n) => `P${n}`);
    const first = send(renewAllowance(undefined, new Date()), participants.map(topicOf));
    expect(first.sent).toBe(participants.length);
    const further = send(first.allowance, participants.map(topicOf));
    expect(further.sent).toBe(MAX_ALERTS_PER_REASON);
    // Another reason has its whole share.
    const others = send(
      further.allowance,
      Array<CountedTopic>(MAX_ALERTS_PER_HOUR).fill({ reason: 'dead-letter' }),
    );
    expect(others.sent).toBe(MAX_ALERTS_PER_REASON);
  },
);

it('limits the documents of one reason and interface across participants', () => {
  const topics = Array.from({ length: 60 }, (_, n) => ({
    reason: 'operator-response-unusable' as const,
    interface: 'settlement',
    participant: `P${n % 6}`,
    document: `statement ${n}`,
  }));
  expect(send(renewAllowance(undefined, new Date()), topics).sent).toBe(MAX_ALERTS_PER_REASON);
});

it('counts the alerts of each interface by themselves', () => {
  const topic = { reason: 'operator-response-unusable', interface: 'settlement' } as const;
  const topics = Array<CountedTopic>(MAX_ALERTS_PER_REASON).fill(topic);
  const { allowance } = send(renewAllowance(undefined, new Date()), topics);
  expect(takeAllowance(allowance, topic)).toBeUndefined();
  expect(takeAllowance(allowance, { ...topic, interface: 'prudential' })).toBeDefined();
});
