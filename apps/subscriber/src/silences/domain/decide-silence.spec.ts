import type { OperatorConfig } from '@ssb/config';
import { decideSilence, findEndIssue, type NewSilence } from './decide-silence.js';
import type { Silence } from './silence.js';

const now = new Date('2026-03-02T08:00:00Z');
const after = (hours: number): Date => new Date(now.getTime() + hours * 3_600_000);
const config = {
  alerts: { sinks: [], rules: [], maxSilence: '2d' },
  participants: [{ code: 'WPGENCO' }],
} as unknown as OperatorConfig;

const HOUR: NewSilence = {
  matchers: { participants: ['WPGENCO'] },
  startsAt: undefined,
  endsAt: undefined,
  seconds: 3_600,
  comment: 'maintenance',
};
const decide = (change: Partial<NewSilence>, open = 0) =>
  decideSilence({ ...HOUR, ...change }, { config, now, open });

it.each([
  ['starts now and lasts', {}, now, after(1)],
  ['cannot start in the past', { startsAt: after(-5) }, now, after(1)],
  ['starts later', { startsAt: after(5) }, after(5), after(6)],
  ['may have the longest length', { endsAt: after(48), seconds: undefined }, now, after(48)],
])('a silence %s', (_, change, startsAt, endsAt) => {
  expect(decide(change)).toEqual({ outcome: 'done', startsAt, endsAt, comment: 'maintenance' });
});

it.each([
  ['without a comment', { comment: undefined }, /^Say in the comment/],
  [
    'an unknown participant',
    { matchers: { participants: ['X'] } },
    /has no participant X\. Give the code of one that it has\.$/,
  ],
  [
    'an end that is over',
    { endsAt: after(-1), seconds: undefined },
    /^The silence would end at 2026-03-02T07:00:00\.000Z, which is over/,
  ],
  [
    'an end before the start',
    { startsAt: after(5), endsAt: after(4), seconds: undefined },
    /, not after its start at /,
  ],
  [
    'one that is too long',
    { seconds: 48 * 3_600 + 1 },
    /^The silence would last 2d 1s; alerts\.maxSilence allows 2d\./,
  ],
  ['one in the far future', { startsAt: after(91 * 24) }, /in more than 90 days/],
])('refuses %s', (_, change, reason) => {
  expect(decide(change)).toEqual({ outcome: 'refused', reason: expect.stringMatching(reason) as string });
});

it('refuses more silences than batches of events can be compared with', () => {
  expect(decide({}, 99)).toMatchObject({ outcome: 'done' });
  expect(decide({}, 100)).toMatchObject({ outcome: 'refused' });
});

it('only a silence that is not over can be ended', () => {
  const silence = { endsAt: after(1), ended: undefined } as Silence;
  expect(findEndIssue(silence, now)).toBeUndefined();
  expect(findEndIssue(undefined, now)).toMatch(/^There is no silence with this number\./);
  expect(findEndIssue({ ...silence, endsAt: now }, now)).toBe(
    'The silence ended at 2026-03-02T08:00:00.000Z.',
  );
});
