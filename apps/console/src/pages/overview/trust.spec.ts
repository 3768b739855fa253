import type { Status } from '../../api/operations.js';
import { trustOfEvents, trustOfStatus } from './trust.js';

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
        { interface: 'prudential', budgets: [] },
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
    heartbeatAt: '2026-11-30T23:59:00Z',
    quarantined: 3,
    quarantinedTrusted: 1,
  });
});

it('does not call an operator reachable that nobody polls', () => {
  expect(trustOfStatus(status({ polling: [] })).unreachable).toBeUndefined();
});

it('reads problems and heartbeats of some participants', () => {
  const problem = { participant: 'A', figures: { interface: 'prudential' } } as never;
  expect(trustOfEvents([problem], undefined)).toEqual({
    unreachable: ['A prudential'],
    heartbeatAt: undefined,
    quarantined: undefined,
    quarantinedTrusted: 0,
  });
});
