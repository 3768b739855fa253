import { LeaseShare, shareOf } from './lease-share.js';

it.each([
  [100, 1, 100],
  [100, 3, 34],
  [2, 3, 1],
  [1, 2, 1],
  [0, 2, 0],
  // Redis has not responded.
  [5, 0, 5],
])('of %i participants, one of %i replicas may hold %i', (participants, replicas, expected) => {
  expect(shareOf(participants, replicas)).toBe(expected);
});

describe('a share', () => {
  let limit: number;
  let share: LeaseShare;
  let timesEmpty: number;
  beforeEach(() => {
    limit = 2;
    timesEmpty = 0;
    share = new LeaseShare(
      () => limit,
      () => (timesEmpty += 1),
    );
  });

  it('lets no more leases be acquired at once than it has', () => {
    expect(['A', 'B', 'C', 'A'].map((code) => share.begin(code))).toEqual([true, true, false, true]);
    share.end('A');
    expect(share.begin('C')).toBe(true);
  });

  it('hands over as many leases as exceed it, and no more', () => {
    for (const code of ['A', 'B']) share.begin(code);
    share.take('C');
    expect(['C', 'A', 'B'].map((code) => share.handOver(code))).toEqual([true, false, false]);
    limit = 1;
    expect(['C', 'A', 'B'].map((code) => share.handOver(code))).toEqual([false, true, false]);
    expect(timesEmpty).toBe(0);
    share.end('B');
    expect(timesEmpty).toBe(1);
  });
});
