import type { Status } from '../../api/operations.js';
import { readPolls, trustOfEvents, trustOfStatus } from './trust.js';

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
    heartbeatAt: '2026-11-30T23:59:00Z',
    withoutHeartbeat: [],
    quarantined: 3,
    quarantinedTrusted: 1,
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
  });
});

it('reads problems and heartbeats of some participants, each on its own', () => {
  const problem = { participant: 'A', figures: { interface: 'prudential' } } as never;
  const heartbeats = [
    { participant: 'A', at: '2026-12-01T00:00:00Z', read: ['settlement'] },
    { participant: 'B', at: '2026-11-30T00:00:00Z', read: ['settlement', 'prudential'] },
    { participant: 'C', read: [] },
  ];
  expect(trustOfEvents([problem], heartbeats)).toEqual({
    unreachable: ['A prudential'],
    unread: ['C prudential', 'C settlement'],
    heartbeatAt: '2026-11-30T00:00:00Z',
    withoutHeartbeat: ['C'],
    quarantined: undefined,
    quarantinedTrusted: 0,
  });
});

it('takes an interface as read once a heartbeat names a successful poll', () => {
  const polls = { prudential: { intervalMs: 1, lastSuccess: '2026-12-01T00:00:00Z' }, settlement: {} };
  expect(readPolls({ data: { polls } })).toEqual(['prudential']);
  expect(readPolls({})).toEqual([]);
});
