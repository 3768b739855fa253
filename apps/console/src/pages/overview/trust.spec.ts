import type { Status } from '../../api/operations.js';
import { describeOperator, readPolls, trustOfEvents, trustOfStatus, type Trust } from './trust.js';

const status = (more: Partial<Status> = {}): Status => ({
  at: '2026-12-01T00:00:00Z',
  state: 'ok',
  summary: '',
  findings: [],
  hops: [],
  polling: [
    {
      participant: 'A',
      interfaces: [
        { interface: 'prudential', budgets: [], lastSuccessAt: '2026-12-01T00:00:00Z' },
        { interface: 'settlement', budgets: [], failingSince: '2026-11-30T23:00:00Z' },
      ],
    },
  ],
  archive: {
    replicas: [],
    heartbeats: ['2026-12-01T00:00:00.100Z', '2026-11-30T23:59:00Z'].map((at) => ({
      participant: 'A',
      channel: at,
      at,
      ageSeconds: 0,
    })),
    watermarks: [],
    openProblems: { critical: 0, warning: 0, info: 0, unacknowledgedCritical: 0 },
    sinks: [],
    quarantine: { messages: 3, trusted: 1 },
    unreadEvents: 0,
  },
  ...more,
});

it('reads the status', () => {
  expect(trustOfStatus(status())).toEqual({
    unreachable: ['A settlement'],
    unread: [],
    readAt: '2026-12-01T00:00:00Z',
    heartbeatAt: '2026-11-30T23:59:00Z',
    withoutHeartbeat: [],
    quarantine: { messages: 3, trusted: 1 },
  });
});

it('names what was never read, and who has no heartbeat', () => {
  const polling = [
    { participant: 'A', interfaces: [{ interface: 'prudential' as const, budgets: [] }] },
    { participant: 'B', interfaces: [] },
  ];
  expect(trustOfStatus(status({ polling }))).toMatchObject({
    unreachable: [],
    unread: ['A prudential'],
    withoutHeartbeat: ['B'],
    readAt: undefined,
  });
});

it('knows nothing about heartbeats and the quarantine while the database does not respond', () => {
  const withoutArchive = status();
  Reflect.deleteProperty(withoutArchive, 'archive');
  expect(trustOfStatus(withoutArchive)).toMatchObject({
    heartbeatAt: undefined,
    withoutHeartbeat: [],
    quarantine: 'unknown',
  });
});

it('reads problems and heartbeats of some participants, each on its own', () => {
  const problem = { participant: 'A', figures: { interface: 'prudential' } } as never;
  const heartbeats = [
    {
      participant: 'A',
      at: '2026-12-01T00:00:00Z',
      read: [{ name: 'settlement', at: '2026-12-01T00:00:00Z' }],
    },
    {
      participant: 'B',
      at: '2026-11-30T00:00:00Z',
      read: [
        { name: 'settlement', at: '2026-11-29T23:59:58Z' },
        { name: 'prudential', at: '2026-11-29T23:59:59Z' },
      ],
    },
    { participant: 'C', read: [] },
  ];
  expect(trustOfEvents([problem], heartbeats)).toEqual({
    unreachable: ['A prudential'],
    unread: ['C prudential', 'C settlement'],
    readAt: '2026-11-29T23:59:58Z',
    heartbeatAt: '2026-11-30T00:00:00Z',
    withoutHeartbeat: ['C'],
    quarantine: 'hidden',
  });
});

it('takes an interface as read once a heartbeat names a successful poll', () => {
  const polls = { prudential: { intervalMs: 1, lastSuccess: '2026-12-01T00:00:00Z' }, settlement: {} };
  expect(readPolls({ data: { polls } })).toEqual([{ name: 'prudential', at: '2026-12-01T00:00:00Z' }]);
  expect(readPolls({})).toEqual([]);
});

const recent: Trust = {
  unreachable: [],
  unread: [],
  readAt: '2026-12-01T00:00:00Z',
  heartbeatAt: '2026-12-01T00:00:00Z',
  withoutHeartbeat: [],
  quarantine: 'hidden',
};

it.each<[string, Partial<Trust>, string, string]>([
  ['recent reads and heartbeats', {}, 'good', 'operator reachable'],
  ['no report of a poller', { readAt: undefined }, 'warning', 'operator: not known'],
  ['no heartbeat', { heartbeatAt: undefined }, 'warning', 'operator: not known'],
  ['an old heartbeat', { heartbeatAt: '2026-11-30T23:56:00Z' }, 'warning', 'operator: not known'],
  ['an old read', { readAt: '2026-11-30T23:56:00Z' }, 'warning', 'operator: not known'],
  ['no database', { heartbeatAt: undefined, quarantine: 'unknown' }, 'good', 'operator reachable'],
  ['an unread interface', { unread: ['A settlement'] }, 'warning', 'operator not read yet: A settlement'],
  ['an outage', { unreachable: ['A settlement'] }, 'critical', 'operator unreachable: A settlement'],
])('judges the operator with %s', (_, more, tone, text) => {
  expect(describeOperator({ ...recent, ...more }, Date.parse('2026-12-01T00:01:30Z'))).toEqual({
    tone,
    text,
  });
});

it('does not know the operator while no poller responds', () => {
  const trust = trustOfStatus(status({ polling: [] }));
  expect(describeOperator(trust, Date.parse('2026-12-01T00:00:00Z')).text).toBe('operator: not known');
});
