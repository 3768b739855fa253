import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import type { EventDetail } from '../src/events/event-detail-dto.js';
import { addDelivery } from './support/added-deliveries.js';
import { archiveEvent, uuidOf, type ArchivedEventOptions } from '@ssb/testing/archived-events';
import { RunningApi } from './support/running-api.js';
import { storeProblem } from './support/stored-problems.js';

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

it('each row has the figures of its event, with every digit, and not its text', async () => {
  const response = await api.get('/v1/events?participant=WPGENCO');
  const { items } = response.json<{ items: (Row & { figures: unknown })[] }>();
  const figures = new Map(items.map((row) => [row.type.split('.').slice(1, -1).join('.'), row.figures]));
  expect(figures.get('margin.breached')).toMatchObject({ tradingMargin: '-60000.5', breach: '100000' });
  expect(figures.get('position.calculated')).toMatchObject({ outstandingAmount: '750000.00000001' });
  expect(figures.get('invoice.issued')).toEqual({
    payableAmount: '-19622.17',
    total: '-19622.17',
    direction: 'receive',
    dueDate: '2026-04-02',
  });
  expect(Object.keys(items[0] ?? {}).join(' ')).toBe(
    'id type participant subject severity time archivedAt marks figures',
  );
});

it('reads the figures of large events, and of one that somebody has changed', async () => {
  const { admin } = api.tables;
  const participant = 'LARGE';
  const padding = 'x'.repeat(700_000);
  const ids: string[] = [];
  for (const index of [1, 2, 3]) {
    const event = {
      id: uuidOf(`large ${index}`),
      participant,
      padding: `${padding}\u0000`,
      time: `2026-03-02T08:0${index}:00+08:00`,
    };
    ids.push(await archiveEvent(admin, 'statement.published', { event }));
  }
  await admin.query("UPDATE archive SET event = 'no event' WHERE event_id = $1", [ids[1] ?? '']);
  const page = (await api.get(`/v1/events?participant=${participant}`)).json<{
    items: { figures: unknown }[];
  }>();
  const figures = { payment: '18250.397825', charge: '412.06' };
  expect(page.items.map((row) => row.figures)).toEqual([figures, {}, figures]);
  await admin.query('DELETE FROM archive WHERE participant = $1', [participant]);
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

it('refuses an id that cannot be decoded or is too long, and repeats no response that the caller has', async () => {
  expect((await api.get('/v1/events/%E0%A4%A')).status).toBe(400);
  expect((await api.get(`/v1/events/${'a'.repeat(256)}`)).status).toBe(414);
  const { headers } = await api.get('/v1/events');
  const etag = headers.get('etag') ?? '';
  expect(await api.get('/v1/events', { headers: { 'if-none-match': etag } })).toMatchObject({
    status: 304,
    body: '',
  });
  expect(await api.send('HEAD', '/v1/events', { token: api.viewer })).toMatchObject({
    status: 200,
    body: '',
  });
});

it('shows an event, how it arrived, and what followed from it', async () => {
  const { admin } = api.tables;
  const problemId = await storeProblem(admin, 'shown');
  const id = uuidOf('event of shown');
  const channel = 'prudential.channels.bridge.apps.participant.iam.market';
  await admin.query(
    `INSERT INTO trusted_key (channel, role, did, participants, trusted_from) VALUES
       ($1, 'origin', 'did:ethr:0x2C7536E3605D9C16a7a3D7b1898e529396a65c23', '{BETA,WPGENCO}', '-infinity'),
       ($1, 'gateway', 'did:ethr:0x2222222222222222222222222222222222222222', '{}', '-infinity')`,
    [channel],
  );
  await addDelivery(admin, { event_id: id, sink: 'treasury', attempts: 1, delivered_at: new Date() });
  await admin.query(
    `INSERT INTO attempt (event_id, sink, number, at, duration_ms, outcome, status, response) VALUES ($1, 'treasury', 1, now(), 12, 'delivered', 200, 'thanks')`,
    [id],
  );
  const attempt = { number: 1, outcome: 'delivered', status: 200 };
  const seen = (
    await api.get(`/v1/events/${id.slice(0, 8).toUpperCase()}`, { token: api.limited })
  ).json<EventDetail>();
  expect(seen).toMatchObject({
    id,
    message: {
      channel,
      topic: 'margin.breached.v1',
      timestampNanos: '1772417731050000000',
      appendedAt: '2026-03-02T02:15:31.050000000Z',
    },
    verdict: {
      signed: true,
      gateway: { trusted: false },
      origin: { trusted: true, participants: ['WPGENCO'] },
      marks: [],
    },
    problems: [{ id: problemId, kind: 'margin', state: 'open', change: 'opened' }],
    deliveries: [{ sink: 'treasury', state: 'delivered', attemptLog: [{ ...attempt, response: 'thanks' }] }],
    figures: { tradingMargin: '-60000.5' },
    moreDeliveries: false,
  });
  expect(JSON.parse(seen.text)).toEqual(seen.event);
  const viewed = (await api.get(`/v1/events/${id}`)).json<EventDetail>();
  expect(viewed.verdict.origin?.participants).toEqual(['BETA', 'WPGENCO']);
  expect(viewed.deliveries[0]?.attemptLog).toEqual([
    { ...attempt, durationMs: 12, at: expect.any(String) as string },
  ]);
});

it('explains the marks of an event of the subscriber itself, which has no message', async () => {
  const id = await archiveEvent(api.tables.admin, 'bridge.alert.raised', {
    event: { id: uuidOf('local event') },
    marks: ['local'],
  });
  const shown = (await api.get(`/v1/events/${id}`)).json<EventDetail>();
  expect(shown.verdict).toEqual({
    signed: false,
    marks: [{ mark: 'local', meaning: expect.stringContaining('no signature') as string }],
  });
  expect(shown.message).toBeUndefined();
});

it('finds an event by the beginning of its id, when it is that of one visible event', async () => {
  const common = 'abcdef00';
  for (const [rest, participant] of [
    ['1', 'WPGENCO'],
    ['2', 'BETA'],
  ] as const)
    await archiveEvent(api.tables.admin, 'position.calculated', {
      event: { id: `${common}-000${rest}-4000-a000-000000000000`, participant },
    });
  const several = await api.get(`/v1/events/${common}`);
  expect(several.status).toBe(409);
  expect(several.json()['detail']).toContain('abcdef00-0001-4000-a000-000000000000, abcdef00-0002-');
  const own = await api.get(`/v1/events/${common}`, { token: api.limited });
  expect(own.json()).toMatchObject({ participant: 'WPGENCO' });
});

it('refuses the beginning of an id that is too short, whatever begins so', async () => {
  const token = api.limited;
  const short = 'abcde';
  const addresses = ['events', 'problems', 'requests', 'silences', 'statements'].map(
    (each) => `${each}/${short}`,
  );
  const gets = [
    ...addresses,
    `events/${short}/evidence`,
    `deliveries/${short}/desk`,
    `deliveries?event=${short}`,
  ];
  const responses = await Promise.all([
    ...[...gets, `events/stream?after=${short}`].map((path) => api.get(`/v1/${path}`, { token })),
    api.get('/v1/events/stream', { token, headers: { 'last-event-id': short } }),
    api.post(`/v1/problems/${short}/acknowledge`, {}, { token }),
    api.post(`/v1/silences/${short}/end`, {}, { token }),
    api.post('/v1/deliveries/resend', { events: [short] }, { token }),
  ]);
  for (const { status, json } of responses)
    expect([status, json()['detail']]).toEqual([
      422,
      expect.stringContaining('give at least the first 6 characters'),
    ]);
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
  const unknown = await get(`/v1/events/${uuidOf('none')}`);
  expect(unknown.status).toBe(404);
  for (const id of [foreign, foreign.slice(0, 8), 'no id', '%00'])
    expect(await get(`/v1/events/${id === '%00' ? id : encodeURI(id)}`)).toEqual(unknown);
  expect(await get('/v1/events?participant=BETA')).toEqual({ status: 200, body: '{"items":[]}' });
});

it('responds about a deleted event as about one that never existed, and shows what referred to it', async () => {
  const database = api.tables.admin;
  const problem = await storeProblem(database, 'ended', {
    state: 'resolved',
    endedAt: '2026-03-02T00:00:00Z',
  });
  const deleted = uuidOf('event of ended');
  await database.query('DELETE FROM archive WHERE event_id = $1', [deleted]);
  expect((await api.get(`/v1/events/${deleted}`)).status).toBe(404);
  for (const path of [`/v1/events?cursor=${deleted}`, `/v1/events/stream?after=${deleted}`])
    expect((await api.get(path)).status).toBe(422);
  const unknown = await api.get(`/v1/events/stream`, { headers: { 'last-event-id': deleted } });
  expect([unknown.status, unknown.body]).toEqual([422, expect.stringContaining('was not deleted')]);
  const detail = await api.get(`/v1/problems/${problem}`);
  expect(detail.json()['changes']).toEqual([expect.objectContaining({ number: 1, eventId: deleted })]);
  expect((await api.get(`/v1/deliveries?event=${deleted}`)).json()).toEqual({ items: [] });
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

it.each([
  ['DELETE', '/v1/events?limit=1', 'GET, HEAD'],
  ['PUT', '/v1/problems/rebuild', 'POST'],
])('%s %s is 405 with the methods of the address', async (method, path, allowed) => {
  const { status, headers } = await api.send(method, path, {});
  expect([status, headers.get('allow')]).toEqual([405, allowed]);
});
