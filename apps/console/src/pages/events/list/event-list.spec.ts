import { ApiError } from '../../../api/api-client.js';
import type { EventRow } from '../../../api/operations.js';
import { EventList, type EventPage } from './event-list.js';

/** An event `minute` minutes after a time; its id is the minute. */
function row(minute: number, id = String(minute)): EventRow {
  const time = new Date(Date.UTC(2026, 2, 1) + minute * 60_000).toISOString();
  return {
    id,
    type: 'settlementbus.margin.warning.v1',
    participant: 'ALPHA',
    subject: 'ALPHA/prudential',
    severity: 'info',
    time,
    archivedAt: time,
    marks: [],
    figures: {},
  };
}

/** Pages of two events of a changing archive. */
function createList(archive: EventRow[]) {
  const requests: (string | undefined)[] = [];
  const work: (() => void)[] = [];
  const list = new EventList(
    (cursor) => {
      requests.push(cursor);
      const start = cursor === undefined ? 0 : archive.findIndex(({ id }) => id === cursor) + 1;
      const items = archive.slice(start, start + 2);
      const last = items.at(-1);
      const page: EventPage = {
        items,
        ...(last !== undefined && archive.length > start + 2 && { next: last.id }),
      };
      return Promise.resolve(page);
    },
    (each) => work.push(each),
  );
  const leave = list.subscribe(() => undefined);
  const ids = (): string =>
    list
      .getState()
      .rows.map(({ id }) => id)
      .join(' ');
  const add = (...rows: EventRow[]): void => {
    for (const each of rows) list.add(each);
    for (const each of work.splice(0)) each();
  };
  return { list, requests, ids, add, leave };
}

const archive = [50, 40, 30, 20, 10].map((minute) => row(minute));

it('reads page after page, each once', async () => {
  const { list, requests, ids } = createList(archive);
  await list.readNewest();
  expect(list.getState()).toMatchObject({ hasRead: true, hasMore: true });
  await Promise.all([list.readMore(), list.readMore()]);
  await list.readMore();
  await list.readMore();
  expect(ids()).toBe('50 40 30 20 10');
  expect(requests).toEqual([undefined, '40', '20']);
  expect(list.getState().hasMore).toBe(false);
});

it('adds events of the stream in the order of their time, once', async () => {
  const { list, requests, ids, add } = createList(archive);
  await list.readNewest();
  add(row(60), row(45), row(60), row(50), row(40, 'same time'));
  expect(ids()).toBe('60 50 45 same time 40');
  expect(requests).toHaveLength(1);
});

it('leaves an event to the page that will have it', async () => {
  const changing = [...archive];
  const { list, ids, add } = createList(changing);
  await list.readNewest();
  changing.splice(3, 0, row(25));
  add(row(25));
  expect(ids()).toBe('50 40');
  await list.readMore();
  expect(ids()).toBe('50 40 30 25');
});

it('keeps events that arrive before page one and while a page is read', async () => {
  const { list, ids, add } = createList(archive);
  add(row(60));
  expect(list.getState().hasRead).toBe(false);
  await list.readNewest();
  const reading = list.readMore();
  add(row(70));
  await reading;
  expect(ids()).toBe('70 60 50 40 30 20');
});

it('after a lost connection adds what page one has, and keeps the other pages', async () => {
  const changing = [...archive];
  const { list, ids } = createList(changing);
  await list.readNewest();
  await list.readMore();
  changing.unshift(row(60));
  await list.readNewest();
  expect(ids()).toBe('60 50 40 30 20');
});

it('begins again when events between page one and the list are unknown', async () => {
  const changing = [...archive];
  const { list, ids } = createList(changing);
  await list.readNewest();
  changing.unshift(row(90), row(80), row(70), row(60));
  await list.readNewest();
  expect(ids()).toBe('90 80');
  await list.readMore();
  expect(ids()).toBe('90 80 70 60');
});

it('adds events that arrive while nobody sees it when somebody does', async () => {
  const { list, ids, add, leave } = createList(archive);
  await list.readNewest();
  await list.readMore();
  leave();
  add(row(60), row(35));
  expect(ids()).toBe('50 40 30 20');
  list.subscribe(() => undefined);
  add();
  expect(ids()).toBe('60 50 40 35 30 20');
});

it('begins again with page one, and has what arrived late', async () => {
  const changing = [...archive];
  const { list, ids } = createList(changing);
  await list.readNewest();
  await list.readMore();
  changing.splice(2, 0, row(35));
  const beginning = list.beginAgain();
  expect(list.getState()).toMatchObject({ hasRead: false, rows: [] });
  await beginning;
  await list.readMore();
  expect(ids()).toBe('50 40 35 30');
});

it('reads once more when a reading has begun before', async () => {
  const { list, requests } = createList(archive);
  await Promise.all([list.readNewest(), list.readNewest(), list.readAgain(), list.readAgain()]);
  expect(requests).toEqual([undefined, undefined]);
  expect(list.getState().readAt).toBeGreaterThan(0);
});

it('keeps its rows when a page cannot be read, and reads on only when it is asked again', async () => {
  let isDown = false;
  let requests = 0;
  const list = new EventList(
    () => {
      requests += 1;
      return isDown
        ? Promise.reject(new ApiError(503, 'Unavailable', ''))
        : Promise.resolve({ items: [row(50)], next: '50' });
    },
    (work) => work(),
  );
  await list.readNewest();
  isDown = true;
  await list.readMore();
  await list.readMore();
  expect(requests).toBe(2);
  expect(list.getState()).toMatchObject({ error: { status: 503 }, isReadingMore: false, hasMore: true });
  isDown = false;
  await list.readNewest();
  expect(list.getState()).toMatchObject({ error: undefined, rows: [{ id: '50' }] });
});
