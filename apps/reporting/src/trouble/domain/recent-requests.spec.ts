import { RecentRequests } from './recent-requests.js';

it('forgets the participant that has not asked for longest, and nobody while there is room', () => {
  const requests = new RecentRequests(2);
  requests.keep('A', [1]);
  requests.keep('B', [2]);
  requests.keep('A', [1, 3]);
  expect([requests.of('A'), requests.of('B'), requests.of('C')]).toEqual([[1, 3], [2], []]);
  requests.keep('C', [4]);
  expect([requests.of('A'), requests.of('B'), requests.of('C')]).toEqual([[1, 3], [], [4]]);
});
