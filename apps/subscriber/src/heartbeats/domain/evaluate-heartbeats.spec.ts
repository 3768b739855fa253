import { evaluateHeartbeats, type ReadingContext } from './evaluate-heartbeats.js';
import { evaluatePolls } from './evaluate-polls.js';
import type { PollAge, ReceivedHeartbeat } from './heartbeat.js';

const NOW = new Date('2026-03-02T01:00:00.000Z');
const ago = (seconds: number): Date => new Date(NOW.getTime() - seconds * 1_000);
const LIMITS = { timeoutMs: 180_000, clockToleranceMs: 30_000 };
const CONTEXT: ReadingContext = { now: NOW, readingSince: ago(600), connected: true };
const RECENT: PollAge = { intervalMs: 15_000, ageMs: 10_000 };

interface Options {
  /** Age by its own time, seconds. */
  readonly age?: number;
  readonly receivedAgo?: number;
  readonly prudential?: PollAge;
  readonly settlement?: PollAge;
}

function heartbeat(participant: string, channel: string, options: Options = {}): ReceivedHeartbeat {
  const { age = 10, receivedAgo = age, prudential = RECENT, settlement = RECENT } = options;
  const polls = { prudential, settlement };
  return { participant, channel, at: ago(age), receivedAt: ago(receivedAgo), polls };
}

describe('evaluateHeartbeats', () => {
  const evaluate = (
    heartbeats: ReceivedHeartbeat[],
    context: Partial<ReadingContext> = {},
    participants = ['ALPHA'],
    channels = ['margin'],
  ) => evaluateHeartbeats(participants, channels, heartbeats, { ...CONTEXT, ...context }, LIMITS);
  const statuses = (...given: Parameters<typeof evaluate>) => evaluate(...given).map(({ status }) => status);

  it.each([
    ['alive', 'after a heartbeat within the timeout', { age: 180 }],
    ['missing', 'after a longer silence', { age: 181 }],
    [
      'alive',
      'when the clock of the poller is behind by less than the tolerance',
      { age: 209, receivedAgo: 1 },
    ],
    ['missing', 'when a heartbeat arrived late', { age: 211, receivedAgo: 1 }],
  ])('is %s %s', (status, _, options) => {
    expect(statuses([heartbeat('ALPHA', 'margin', options)])).toEqual([status]);
  });

  it('raises nothing before the replica has read for the timeout', () => {
    expect(statuses([], { readingSince: ago(180) })).toEqual(['awaited']);
    expect(statuses([heartbeat('ALPHA', 'margin', { age: 500 })], { readingSince: ago(1) })).toEqual([
      'awaited',
    ]);
    expect(statuses([], { readingSince: ago(181) })).toEqual(['missing']);
  });

  const detail = (...given: Parameters<typeof evaluate>) =>
    evaluate(...given).find(({ status }) => status === 'missing')?.detail;

  it('names the last hop that works', () => {
    expect(detail([], { connected: false })).toMatch(
      /interrupted; the last hop that works is the subscriber\.$/,
    );
    expect(detail([])).toMatch(/nothing arrives.* last hop that works is the subscriber's gateway\.$/);
    expect(detail([heartbeat('ALPHA', 'margin', { age: 400, receivedAgo: 1 })])).toMatch(
      /late, the newest is 400 s old/,
    );
    const otherChannel = [heartbeat('ALPHA', 'settlement')];
    expect(detail(otherChannel, {}, ['ALPHA'], ['margin', 'settlement'])).toMatch(/^Other channels receive/);
    const otherParticipant = [heartbeat('BETA', 'margin')];
    expect(detail(otherParticipant, {}, ['ALPHA', 'BETA'])).toMatch(
      /check the poller of this participant\.$/,
    );
    const elsewhere = [heartbeat('BETA', 'settlement')];
    expect(detail(elsewhere)).toMatch(
      /check the poller of this participant and the rights of this channel\.$/,
    );
  });

  it('evaluates each participant and channel', () => {
    const heartbeats = [heartbeat('ALPHA', 'margin'), heartbeat('BETA', 'settlement')];
    const verdicts = evaluate(heartbeats, {}, ['ALPHA', 'BETA'], ['margin', 'settlement']);
    expect(verdicts.map(({ participant, channel, status }) => [participant, channel, status])).toEqual([
      ['ALPHA', 'margin', 'alive'],
      ['ALPHA', 'settlement', 'missing'],
      ['BETA', 'margin', 'missing'],
      ['BETA', 'settlement', 'alive'],
    ]);
  });
});

describe('evaluatePolls', () => {
  const evaluate = (heartbeats: ReceivedHeartbeat[], absentFor?: number) =>
    evaluatePolls(heartbeats, new Map(absentFor === undefined ? [] : [['prudential', ago(absentFor)]]));

  it('is old after three intervals without a successful poll, and names the interface', () => {
    const old = { intervalMs: 15_000, ageMs: 45_001 };
    expect(evaluate([heartbeat('ALPHA', 'margin', { settlement: old })])).toEqual({
      status: 'old',
      detail: 'settlement: the last successful poll was 45 s before the heartbeat.',
    });
    const current = { intervalMs: 15_000, ageMs: 45_000 };
    expect(evaluate([heartbeat('ALPHA', 'margin', { settlement: current })]).status).toBe('current');
  });

  it('waits three intervals for the first successful poll', () => {
    const first = [heartbeat('ALPHA', 'margin', { age: 0, prudential: { intervalMs: 15_000 } })];
    expect(evaluate(first).status).toBe('awaited');
    expect(evaluate(first, 45).status).toBe('awaited');
    expect(evaluate(first, 46)).toMatchObject({
      status: 'old',
      detail: expect.stringMatching(/^prudential/),
    });
  });

  it('lets short intervals have thirty seconds, and does not count the time since the heartbeat', () => {
    const short = (age: number, ageMs?: number) =>
      evaluate([heartbeat('ALPHA', 'margin', { age, prudential: { intervalMs: 250, ageMs } })], 100).status;
    expect(short(0, 30_000)).toBe('current');
    expect(short(0, 30_001)).toBe('old');
    // The first heartbeat, a minute later: the next one shows whether a poll has succeeded.
    expect(short(100)).toBe('awaited');
    expect(short(60)).toBe('old');
  });

  it('uses the newest heartbeat, and decides nothing without one', () => {
    const old = heartbeat('ALPHA', 'margin', { age: 60, prudential: { intervalMs: 15_000, ageMs: 90_000 } });
    expect(evaluate([old, heartbeat('ALPHA', 'settlement', { age: 5 })]).status).toBe('current');
    expect(evaluate([]).status).toBe('awaited');
  });
});
