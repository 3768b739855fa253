import { decideRequest, type ProblemRequest } from './decide-request.js';
import type { Problem } from './problem.js';

const AT = new Date('2026-03-02T00:00:02.000Z');

const PROBLEM: Problem = {
  problemId: 'p',
  kind: 'margin',
  key: 'WPGENCO/prudential',
  participant: 'WPGENCO',
  state: 'open',
  severity: 'critical',
  worstSeverity: 'critical',
  level: 'BREACHED',
  worstLevel: 'BREACHED',
  closedByPerson: false,
  since: '2026-03-02T08:00:00+08:00',
  openedAt: AT,
  changedAt: AT,
  worsened: 0,
  figures: {},
  worstFigures: {},
  worstMeasure: undefined,
  eventId: 'e1',
  archiveOffset: 1,
  acknowledged: undefined,
  endedAt: undefined,
  closed: undefined,
  changes: 1,
};

const request = (kind: ProblemRequest['kind'], comment?: string): ProblemRequest => ({
  requestId: 1,
  kind,
  author: 'jane',
  comment,
  at: new Date('2026-03-02T00:00:05.000Z'),
});

const ACKNOWLEDGED: Problem = {
  ...PROBLEM,
  state: 'acknowledged',
  acknowledged: { at: AT, by: 'john', comment: undefined },
};

it('an open problem is acknowledged, with or without a comment', () => {
  const { at } = request('acknowledge');
  expect(decideRequest(PROBLEM, request('acknowledge', 'seen'))).toMatchObject({
    outcome: 'done',
    problem: { state: 'acknowledged', acknowledged: { at, by: 'jane', comment: 'seen' }, changes: 2 },
  });
  expect(decideRequest(PROBLEM, request('acknowledge')).outcome).toBe('done');
});

it.each([
  ['open', PROBLEM],
  ['acknowledged', ACKNOWLEDGED],
])('an %s problem is closed with a comment', (_, problem) => {
  const { at } = request('close');
  expect(decideRequest(problem, request('close', 'no longer relevant'))).toMatchObject({
    outcome: 'done',
    problem: { state: 'closed', endedAt: at, closed: { by: 'jane', comment: 'no longer relevant' } },
  });
});

const END = '2026-03-02T00:00:02.000Z';

it.each<[string, Problem | undefined, ProblemRequest, RegExp]>([
  ['an unknown problem', undefined, request('acknowledge'), /no problem with this id/],
  ['acknowledging twice', ACKNOWLEDGED, request('acknowledge'), /^john acknowledged the problem at 2026/],
  ['closing without a comment', PROBLEM, request('close'), /with a comment/],
  ['closing with an empty comment', PROBLEM, request('close', ' '), /with a comment/],
  [
    'a resolved one',
    { ...PROBLEM, state: 'resolved', endedAt: AT },
    request('acknowledge'),
    new RegExp(`resolved the problem at ${END}`),
  ],
  [
    'a closed one',
    { ...PROBLEM, state: 'closed', endedAt: AT, closed: { by: 'john', comment: 'x' } },
    request('close', 'y'),
    new RegExp(`^john closed the problem at ${END}`),
  ],
])('%s is refused with the reason', (_, problem, given, reason) => {
  expect(decideRequest(problem, given)).toEqual({
    outcome: 'refused',
    reason: expect.stringMatching(reason),
  });
});
