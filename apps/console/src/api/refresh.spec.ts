import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { isLong, refreshAll, refreshQueries } from './refresh.js';

it('lets a reading end that has begun, and repeats it once', async () => {
  const client = new QueryClient();
  const ends: (() => void)[] = [];
  const signals: AbortSignal[] = [];
  const observer = new QueryObserver(client, {
    queryKey: ['/v1/problems'],
    queryFn: ({ signal }) => {
      signals.push(signal);
      return new Promise<number>((resolve) => ends.push(() => resolve(ends.length)));
    },
  });
  const stop = observer.subscribe(() => undefined);
  const refreshes = [1, 2, 3].map(() => refreshQueries(client, { wants: (path) => path === '/v1/problems' }));
  expect(ends).toHaveLength(1);
  ends[0]?.();
  while (ends.length < 2) await new Promise((resolve) => setTimeout(resolve));
  ends[1]?.();
  await Promise.all(refreshes);
  expect([ends.length, signals.map(({ aborted }) => aborted)]).toEqual([2, [false, false]]);
  stop();
  client.clear();
});

it('leaves out requests, long listings, and what the API does not say', async () => {
  const client = new QueryClient();
  const pages = Array.from({ length: 4 }, () => ({ items: [] }));
  client.setQueryData(['/v1/problems'], {});
  client.setQueryData(['/v1/requests/{id}'], {});
  client.setQueryData(['verification'], {});
  client.setQueryData(['/v1/deliveries', 'pages'], { pages });
  const listInvalid = (): unknown[] =>
    client
      .getQueryCache()
      .findAll({ predicate: ({ state }) => state.isInvalidated })
      .map(({ queryKey: [path] }) => path);
  await refreshAll(client);
  expect(listInvalid()).toEqual(['/v1/problems']);
  await refreshAll(client, true);
  expect(listInvalid()).toEqual(['/v1/problems', '/v1/deliveries']);
  client.clear();
});

it('knows listings of many pages', () => {
  const state = (data: unknown): boolean => isLong({ state: { data } });
  expect([
    state(undefined),
    state({ pages: [1, 2, 3] }),
    state({ pages: [1, 2, 3, 4] }),
    state({ rows: [], pageCount: 4 }),
  ]).toEqual([false, false, true, true]);
});
