import { PROBLEM_KINDS, type ProblemKind, type ProblemSignal, type Severity } from '@ssb/events';
import { decideTransition, type ArchivedSignal } from './decide-transition.js';
import type { Problem } from './problem.js';

const AT = new Date('2026-03-02T00:00:02.000Z');
let count = 0;

interface EventChange extends Partial<ProblemSignal>, Pick<Partial<ArchivedSignal>, 'isBacklog' | 'isStale'> {
  /** Of the event or its kind. */
  readonly is?: Severity;
  /** The trading margin. */
  readonly margin?: string;
}

function event({ is = 'warning', margin, isBacklog, isStale, ...signal }: EventChange = {}): ArchivedSignal {
  count += 1;
  return {
    signal: {
      kind: 'margin',
      key: 'WPGENCO/prudential',
      effect: 'lasts',
      figures: margin === undefined ? {} : { tradingMargin: margin },
      ...(margin !== undefined && { measure: { value: margin, worse: 'lower' } }),
      closedByPerson: false,
      ...signal,
    },
    severity: is,
    eventId: `event-${count}`,
    participant: 'WPGENCO',
    time: '2026-03-02T08:00:00+08:00',
    archivedAt: AT,
    archiveOffset: count,
    isBacklog: isBacklog ?? false,
    isStale: isStale ?? false,
  };
}

/** The problem after these events. */
function after(...events: readonly EventChange[]): Problem {
  let problem: Problem | undefined;
  for (const change of events) problem = decideTransition(problem, event(change))?.problem ?? problem;
  if (problem === undefined) throw new Error('no event opened a problem');
  return problem;
}

const acknowledged = (problem: Problem): Problem => ({
  ...problem,
  state: 'acknowledged',
  acknowledged: { at: AT, by: 'jane', comment: undefined },
});

it.each(PROBLEM_KINDS)(
  '%s: the first event opens it, and one that ends it resolves it',
  (kind: ProblemKind) => {
    const opened = decideTransition(undefined, event({ kind }));
    expect(opened).toMatchObject({
      change: 'opened',
      problem: { kind, state: 'open', worsened: 0, endedAt: undefined },
    });
    const end = event({ kind, effect: 'ends' });
    expect(decideTransition(opened?.problem, end)).toMatchObject({
      change: 'resolved',
      problem: { problemId: opened?.problem.problemId, state: 'resolved', endedAt: AT, eventId: end.eventId },
    });
  },
);

it.each<[string, EventChange]>([
  ['an event that ends it', { effect: 'ends' }],
  ['backlog', { isBacklog: true }],
  ['a stale event', { isStale: true }],
])('without a problem, %s changes nothing', (_, change) => {
  expect(decideTransition(undefined, event(change))).toBeUndefined();
});

it('of a kind that stays closed, an event opens no other problem once a person has closed one', () => {
  expect(decideTransition(undefined, event({ kind: 'disagreement' }), true)).toBeUndefined();
});

it.each<[string, EventChange]>([
  ['a deeper figure', { margin: '-999', isStale: true }],
  ['its end', { effect: 'ends', isStale: true }],
])('of a stale event, %s changes nothing', (_, change) => {
  expect(decideTransition(after({ margin: '1' }), event(change))).toBeUndefined();
});

const BREACH = { level: 'BREACHED', is: 'critical', margin: '-100.00' } as const;
const WARNING = { level: 'WARNING', is: 'warning', margin: '50' } as const;

it.each<[string, EventChange, EventChange, string]>([
  ['a higher level', WARNING, BREACH, 'worsened'],
  ['a higher severity', WARNING, { ...WARNING, is: 'critical' }, 'worsened'],
  [
    'a figure deeper by the last of 23 digits',
    { ...BREACH, margin: '-12345678901234567890.123' },
    { ...BREACH, margin: '-12345678901234567890.124' },
    'worsened',
  ],
  ['the same figure with more zeros', BREACH, { ...BREACH, margin: '-100' }, 'updated'],
  ['a figure that is longer, but less deep', BREACH, { ...BREACH, margin: '-99.999' }, 'updated'],
  ['a lower level', BREACH, WARNING, 'lowered'],
  ['a lower level with a deeper figure', BREACH, { ...WARNING, margin: '-101' }, 'lowered'],
  ['a lower severity', BREACH, { ...BREACH, is: 'warning' }, 'lowered'],
  ['a lower severity with a deeper figure', BREACH, { ...BREACH, is: 'warning', margin: '-101' }, 'worsened'],
  ['backlog with a higher level', WARNING, { ...BREACH, isBacklog: true }, 'worsened'],
  ['backlog that ends it', WARNING, { effect: 'ends', isBacklog: true }, 'resolved'],
])('%s', (_, first, second, change) => {
  expect(decideTransition(after(first), event(second))?.change).toBe(change);
});

it('a higher count is worse where the kind says so', () => {
  const counted = (value: string): EventChange => ({
    kind: 'bridge-fault',
    measure: { value, worse: 'higher' },
  });
  const problem = after(counted('9'));
  expect(decideTransition(problem, event(counted('10')))?.change).toBe('worsened');
  expect(decideTransition(problem, event(counted('9')))?.change).toBe('updated');
});

it('the worst severity, level and figures stay when it becomes better', () => {
  const problem = after(WARNING, BREACH, { ...BREACH, margin: '-100.5' }, WARNING);
  expect(problem).toMatchObject({
    severity: 'warning',
    worstSeverity: 'critical',
    level: 'WARNING',
    worstLevel: 'BREACHED',
    figures: { tradingMargin: '50' },
    worstFigures: { tradingMargin: '-100.5' },
    worsened: 2,
    changes: 4,
  });
  const resolved = decideTransition(problem, event({ effect: 'ends', margin: '900' }))?.problem;
  expect(resolved).toMatchObject({
    worstSeverity: 'critical',
    level: 'WARNING',
    figures: { tradingMargin: '900' },
    worstFigures: { tradingMargin: '-100.5' },
  });
});

it.each<[string, EventChange, EventChange, Problem['state']]>([
  ['a higher level', WARNING, BREACH, 'open'],
  ['a higher severity', WARNING, { ...WARNING, is: 'critical' }, 'open'],
  ['a deeper figure', BREACH, { ...BREACH, margin: '-101' }, 'acknowledged'],
  ['a lower level', BREACH, WARNING, 'acknowledged'],
  ['the same again', BREACH, BREACH, 'acknowledged'],
])('acknowledged, then %s', (_, first, second, state) => {
  const problem = decideTransition(acknowledged(after(first)), event(second))?.problem;
  expect(problem?.state).toBe(state);
  expect(problem?.acknowledged?.by).toBe(state === 'open' ? undefined : 'jane');
});

it('the id follows from kind, key and the opening event', () => {
  const opening = event();
  const idOf = (change: Partial<ProblemSignal>, eventId = opening.eventId) =>
    decideTransition(undefined, { ...opening, eventId, signal: { ...opening.signal, ...change } })?.problem
      .problemId;
  expect(idOf({})).toBe(idOf({ figures: { tradingMargin: '1' } }));
  expect(
    new Set([idOf({}), idOf({ key: 'other' }), idOf({ kind: 'position-stale' }), idOf({}, 'other')]).size,
  ).toBe(4);
  expect(idOf({})).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});
