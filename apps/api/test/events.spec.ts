import { archiveEvent, uuidOf } from './support/archived-events.js';
import { RunningApi } from './support/running-api.js';

let api: RunningApi;

beforeAll(async () => {
  api = await RunningApi.start();
});
afterAll(() => api.close());

it('lists archived events, the newest facts first, in pages', async () => {
  for (const [name, hour] of [
    ['one', '08'],
    ['two', '10'],
    ['three', '09'],
  ] as const)
    await archiveEvent(api.tables.admin, 'position.calculated', {
      event: { id: uuidOf(name), time: `2026-03-02T${hour}:00:00.000001+08:00` },
    });
  const first = (await api.get('/v1/events?limit=2')).json<{ items: { id: string }[]; next: string }>();
  expect(first.items.map(({ id }) => id)).toEqual([uuidOf('two'), uuidOf('three')]);
  const second = (await api.get(`/v1/events?limit=2&cursor=${first.next}`)).json<typeof first>();
  expect(second).toMatchObject({ items: [{ id: uuidOf('one') }] });
  expect(second.next).toBeUndefined();
});
