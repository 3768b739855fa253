import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { archiveEvent, uuidOf, type ArchivedEventOptions } from './support/archived-events.js';
import { RunningApi } from './support/running-api.js';

interface Row {
  readonly id: string;
  readonly type: string;
  readonly participant: string;
  readonly subject: string;
  readonly severity: string;
  readonly time: string;
}
type Page = { items: Row[]; next?: string };

let api: RunningApi;

/** Facts of three participants, a minute apart, in another order than they were archived. */
const EVENTS: readonly [type: string, participant: string, subject: string, severity: 'info' | 'critical'][] =
  [
    ['position.calculated', 'WPGENCO', 'WPGENCO/position', 'info'],
    ['position.calculated', 'BETA', 'BETA/position', 'info'],
    ['margin.breached', 'WPGENCO', 'WPGENCO/prudential', 'critical'],
    ['margin.breached', 'BETA', 'BETA/prudential', 'critical'],
    ['margin.restored', 'BETA', 'BETA/prudential', 'info'],
    ['invoice.issued', 'WPGENCO', 'WPGENCO/WEM/2026-03-01/INITIAL/invoice/1', 'info'],
    ['invoice.issued', 'BETA', 'BETA/WEM/2026-03-01/INITIAL/invoice/2', 'info'],
    ['invoice.issued', 'WPGENCOX', 'WPGENCOX/WEM/2026-03-01/INITIAL/invoice/3', 'info'],
    ['bridge.heartbeat', 'WPGENCO', 'WPGENCO/heartbeat/c', 'info'],
  ];
const archived: Row[] = [];

beforeAll(async () => {
  api = await RunningApi.start();
  for (const [index, [type, participant, subject, severity]] of EVENTS.entries()) {
    const minute = String((index * 5) % EVENTS.length).padStart(2, '0');
    const event = {
      id: uuidOf(subject + type),
      participant,
      subject,
      time: `2026-03-02T08:${minute}:00.000001+08:00`,
    };
    const options: ArchivedEventOptions = { event, severity };
    await archiveEvent(api.tables.admin, type, options);
    archived.push({ ...event, type: `settlementbus.${type}.v1`, severity });
  }
  archived.sort((one, other) => other.time.localeCompare(one.time));
});
afterAll(() => api.close());

const isNotHeartbeat = ({ type }: Row): boolean => !type.includes('heartbeat');
const idsOf = (rows: readonly Row[]): readonly string[] => rows.map(({ id }) => id);

/** All pages. */
async function list(query: string, token = api.viewer): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let cursor: string | undefined = ''; cursor !== undefined;) {
    const response = await api.get(`/v1/events?limit=2&${query}${cursor && `&cursor=${cursor}`}`, { token });
    expect(response.status).toBe(200);
    const page: Page = response.json<Page>();
    ids.push(...idsOf(page.items));
    cursor = page.next;
  }
  return ids;
}

it.each<[string, (row: Row) => boolean]>([
  ['', isNotHeartbeat],
  ['type=*', isNotHeartbeat],
  ['type=bridge.heartbeat', ({ type }) => type.includes('heartbeat')],
  ['type=margin.*', ({ type }) => type.includes('margin')],
  ['type=margin.breached&type=settlementbus.invoice.issued.v1', ({ type }) => /breached|issued/.test(type)],
  ['type=margin.*&severity=info', (row) => row.type.includes('margin') && row.severity === 'info'],
  ['severity=critical', ({ severity }) => severity === 'critical'],
  ['severity=info', (row) => isNotHeartbeat(row) && row.severity === 'info'],
  ['participant=WPGENCO&participant=BETA', (row) => isNotHeartbeat(row) && row.participant !== 'WPGENCOX'],
  ['participant=BETA&type=margin.*', (row) => row.participant === 'BETA' && row.type.includes('margin')],
  ['subject=WPGENCO', (row) => isNotHeartbeat(row) && row.subject.startsWith('WPGENCO')],
  ['subject=WPGENCO/', (row) => isNotHeartbeat(row) && row.subject.startsWith('WPGENCO/')],
  ['subject=BETA/WEM/2026', ({ subject }) => subject.startsWith('BETA/WEM/2026')],
  ['subject=WPGENCO/h&type=bridge.heartbeat', ({ subject }) => subject.startsWith('WPGENCO/h')],
  [
    'subject=BETA/p&severity=info&participant=BETA',
    (row) => row.subject.startsWith('BETA/p') && row.severity === 'info',
  ],
  ['subject=100%25_', () => false],
  [
    'since=2026-03-02T00:03Z&until=2026-03-02T00:06Z',
    (row) => isNotHeartbeat(row) && /08:0[345]/.test(row.time),
  ],
])('lists the events of ?%s, the newest facts first, in pages', async (query, isListed) => {
  expect(await list(query)).toEqual(idsOf(archived.filter(isListed)));
  const visible = archived.filter((row) => row.participant === 'WPGENCO' && isListed(row));
  expect(await list(query, api.limited)).toEqual(idsOf(visible));
});

it('gives a page as CSV', async () => {
  const response = await api.get('/v1/events?severity=critical', { headers: { accept: 'text/csv' } });
  const expected = archived.filter(({ severity }) => severity === 'critical');
  expect(parse(response.body, { columns: true })).toMatchObject(expected);
});

it.each([
  ['type=margin.broken', 'type must be an event type or a pattern, such as margin.breached or margin.*'],
  ['participant=', 'participant must be the code of a participant'],
  ['participant=A%00', 'participant must be the code of a participant'],
  ['subject=%00', 'subject must have 1 to 512 characters'],
  ['severity=bad', 'severity must be one of info, warning, critical'],
  ['cursor=%00', 'cursor must be `next` of a page'],
  ['limit=101', 'limit must be a whole number from 1 to 100'],
  ['since=yesterday', 'since must be an ISO 8601 date-time'],
])('refuses ?%s', async (query, detail) => {
  const response = await api.get(`/v1/events?${query}`);
  expect(response.status).toBe(422);
  expect(response.json()['detail']).toContain(detail);
});

it('responds about an event of another participant as about one that does not exist', async () => {
  const foreign = uuidOf('BETA/prudentialmargin.breached');
  const get = async (path: string) => {
    const { status, body } = await api.get(path, { token: api.limited });
    return { status, body };
  };
  const unknownCursor = await get(`/v1/events?cursor=${uuidOf('none')}`);
  expect(unknownCursor.status).toBe(422);
  expect(await get(`/v1/events?cursor=${foreign}`)).toEqual(unknownCursor);
  expect(await get('/v1/events?participant=BETA')).toEqual({ status: 200, body: '{"items":[]}' });
});

it('serves the public JSON Schemas to everyone', async () => {
  const file = new URL(
    '../../../../libs/events/schemas/settlementbus.margin.breached.v1.json',
    import.meta.url,
  );
  const committed: unknown = JSON.parse(readFileSync(file, 'utf8'));
  for (const name of ['margin.breached', 'settlementbus.margin.breached.v1']) {
    const response = await api.send('GET', `/schemas/${name}`, {});
    expect([response.status, response.type]).toEqual([200, 'application/schema+json; charset=utf-8']);
    expect(response.json()).toEqual(committed);
  }
  const unknown = await api.send('GET', '/schemas/margin.breachd', {});
  expect(unknown.status).toBe(404);
  expect(unknown.json()['detail']).toBe('No event type has this name. The nearest type is margin.breached.');
});
