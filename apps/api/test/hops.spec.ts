import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@ssb/dev/free-ports';
import { startScriptedServer, type Reply, type ScriptedServer } from '@ssb/testing';
import type { Status } from '../src/status/status-dto.js';
import { RunningApi } from './support/running-api.js';

const [STATUS_TOKEN, OPERATE_TOKEN] = [randomUUID(), randomUUID()];
const HEALTHY = { status: 'ok', version: '1.2.3', checks: {}, faults: [], certificates: [] };
const LETTER = {
  id: 'one/two',
  verified: true,
  reason: 'no such channel',
  deadLetteredAt: '2026-03-02T00:00:00Z',
};
const BACKFILL = {
  participant: 'WPGENCO',
  from: '2026-01-01',
  to: '2026-01-31',
  dryRun: false,
  state: 'running',
  stepsDone: 1,
  events: 3,
  types: [{ type: 'settlementbus.invoice.issued.v1', events: 3 }],
  failureCount: 0,
  failures: [],
};
const json = (body: unknown, status = 200): Reply => ({ status, body: JSON.stringify(body) });

let api: RunningApi;
let folder: string;
let poller: ScriptedServer;
/** Polls another participant. */
let otherPoller: ScriptedServer;
let publisher: ScriptedServer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hops-'));
  const [tokenFile, operateFile] = [join(folder, 'status'), join(folder, 'operate')];
  await writeFile(tokenFile, STATUS_TOKEN, { mode: 0o600 });
  await writeFile(operateFile, OPERATE_TOKEN, { mode: 0o600 });
  poller = await startScriptedServer();
  otherPoller = await startScriptedServer();
  publisher = await startScriptedServer();
  const closed = `http://127.0.0.1:${await freePort()}`;
  api = await RunningApi.start({
    POLLER_URLS: `${poller.url},${otherPoller.url}`,
    // The first replica is not there.
    PUBLISHER_URLS: `${closed},${publisher.url}`,
    SUBSCRIBER_URLS: closed,
    HOPS_TOKEN_FILE: tokenFile,
    HOPS_OPERATE_TOKEN_FILE: operateFile,
  });
});
afterAll(async () => {
  await api.close();
  await poller.stop();
  await otherPoller.stop();
  await publisher.stop();
  await rm(folder, { recursive: true });
});
beforeEach(() => {
  poller.received.length = 0;
  otherPoller.respond = () => json({ ...HEALTHY, items: [], participants: [] });
  publisher.received.length = 0;
});

/** Steps and results of the audit log of this kind, the newest first. */
async function audited(kind: string): Promise<unknown[]> {
  const { items } = (await api.get(`/v1/audit?kind=${kind}`)).json<{ items: Record<string, unknown>[] }>();
  return items.map(({ step, author, result }) => [step, author, result]);
}

describe('the status', () => {
  it('shows apps that respond, respond with an error, send garbage, and do not respond', async () => {
    poller.respond = ({ url }) =>
      url === '/health'
        ? json(
            { ...HEALTHY, status: 'error', checks: { redis: { status: 'down', message: 'timeout' } } },
            503,
          )
        : json({
            participants: [
              {
                participant: 'WPGENCO',
                leaseHolder: 'one',
                interfaces: [{ interface: 'prudential', budgets: [{ seconds: 60, requests: 50, used: 8 }] }],
              },
            ],
          });
    otherPoller.respond = poller.respond;
    publisher.respond = ({ url }) => (url === '/health' ? { body: '<html>' } : json({ queue: 1 }));
    await api.tables.admin.query(
      `INSERT INTO heartbeat VALUES ('WPGENCO', 'first', clock_timestamp() - interval '90 s', clock_timestamp(), '{}')`,
    );
    await api.tables.admin.query(
      `INSERT INTO sink_state (sink, failing_since, failures, last_outcome) VALUES ('pager', clock_timestamp(), 2, 'unreachable: 10.0.0.1 refused')`,
    );
    const status = (await api.get('/v1/status')).json<Status>();
    expect(status).toMatchObject({
      state: 'failing',
      summary: expect.stringMatching(
        /^The poller 1 is not ready \(redis: timeout\): .*further findings\)\.$/,
      ),
      polling: [
        { participant: 'WPGENCO', interfaces: [{ budgets: [{ seconds: 60, requests: 50, left: 42 }] }] },
      ],
      archive: {
        replicas: [],
        heartbeats: [{ participant: 'WPGENCO', channel: 'first', ageSeconds: expect.any(Number) }],
        sinks: [{ sink: 'pager', lastOutcome: 'unreachable', pending: 0, parked: 0 }],
        quarantine: { messages: 0 },
      },
    });
    expect(JSON.stringify(status)).not.toContain('10.0.0.1');
    expect(status.hops.map(({ name, state, detail }) => [name, state, detail])).toEqual([
      ['poller 1', 'error', undefined],
      ['poller 2', 'error', undefined],
      ['bus-publisher 1', 'unreachable', 'The bus-publisher 1 does not respond (ECONNREFUSED).'],
      ['bus-publisher 2', 'unreachable', 'The bus-publisher 2 sends a response that cannot be read.'],
      ['gateway', 'not-configured', 'GATEWAY_URLS is not set.'],
      ['subscriber', 'unreachable', 'The subscriber does not respond (ECONNREFUSED).'],
    ]);
    expect(poller.received.map(({ headers }) => headers.authorization)).toEqual([
      `Bearer ${STATUS_TOKEN}`,
      `Bearer ${STATUS_TOKEN}`,
    ]);
  });

  it('is not for those who see some participants only', async () => {
    expect((await api.get('/v1/status', { token: api.limited })).status).toBe(403);
    expect((await api.get('/v1/dead-letters', { token: api.limited })).status).toBe(403);
    expect((await api.post('/v1/backfills', {}, { token: api.limited })).status).toBe(403);
  });
});

describe('dead letters', () => {
  it('are listed in pages, also as CSV', async () => {
    publisher.respond = () => json({ items: [LETTER], next: 'two' });
    const page = await api.get('/v1/dead-letters?limit=1&cursor=one');
    expect(page.json()).toEqual({ items: [LETTER], next: 'two' });
    expect(publisher.received[0]?.url).toBe('/dead-letters?limit=1&cursor=one');
    const csv = await api.get('/v1/dead-letters', { headers: { accept: 'text/csv' } });
    expect(csv.body).toContain('one/two,true,,,,no such channel');
  });

  it('are 502 and 503 when the app sends nothing that can be used', async () => {
    publisher.respond = () => ({ body: 'x'.repeat(3 * 1024 * 1024) });
    const response = await api.get('/v1/dead-letters');
    expect([response.status, response.json()['detail']]).toEqual([
      503,
      'The bus-publisher sends a response of more than 2097152 bytes. Try again later.',
    ]);
    publisher.respond = () => json({ detail: 'Redis does not respond.' }, 503);
    expect(await api.get('/v1/dead-letters')).toMatchObject({
      status: 502,
      body: expect.stringContaining('status 503: Redis does not respond. Try again later.'),
    });
  });

  it('are retried by operators, with author and result in the audit log', async () => {
    publisher.respond = () => json({ id: 'one/two', outcome: 'queued' });
    const path = `/v1/dead-letters/${encodeURIComponent('one/two')}/retry`;
    expect((await api.post(path, {}, { token: api.viewer })).status).toBe(403);
    expect((await api.post(path, { comment: 'fixed' })).json()).toEqual({ id: 'one/two', outcome: 'queued' });
    const [request] = publisher.received;
    expect([request?.url, request?.headers.authorization, request?.body]).toEqual([
      '/dead-letters/one%2Ftwo/retry',
      `Bearer ${OPERATE_TOKEN}`,
      '{"unverified":false}',
    ]);
    expect(await audited('retry-dead-letter')).toEqual([
      ['done', 'olivia', { outcome: 'queued' }],
      ['requested', 'olivia', undefined],
    ]);
  });

  it('that the app refuses to remove, or perhaps has removed, are recorded so', async () => {
    publisher.respond = () => json({ detail: 'There is no dead letter of this id.' }, 404);
    expect((await api.post('/v1/dead-letters/one/remove', {})).status).toBe(404);
    publisher.respond = () => json({}, 500);
    const unknown = await api.post('/v1/dead-letters/one/remove', {});
    expect([unknown.status, unknown.json()['detail']]).toEqual([
      502,
      expect.stringMatching(/It may have carried the action out: look at GET \/v1\/dead-letters/),
    ]);
    publisher.respond = () => json({}, 401);
    expect((await api.post('/v1/dead-letters/one/remove', {})).json()['detail']).toContain(
      'HOPS_OPERATE_TOKEN_FILE',
    );
    expect((await audited('remove-dead-letter')).map((row) => (row as unknown[])[0])).toEqual([
      'refused',
      'requested',
      'unknown',
      'requested',
      'refused',
      'requested',
    ]);
  });

  it('of ids, cursors and participants that cannot exist do not exist, or are refused', async () => {
    expect((await api.post('/v1/dead-letters/%00/retry', {})).status).toBe(404);
    for (const participant of ['\0', '\ud800'])
      expect((await api.post('/v1/backfills', { participant, from: '2026-01-01' })).status).toBe(422);
    expect((await api.get(`/v1/dead-letters?cursor=${'x'.repeat(256)}`)).status).toBe(422);
    expect([publisher.received.length, poller.received.length]).toEqual([0, 0]);
  });

  it('are retried page by page', async () => {
    publisher.respond = () =>
      json({ items: [{ id: 'one', outcome: 'refused', reason: 'no route' }], next: 'two' });
    const response = await api.post('/v1/dead-letters/retry', { limit: 1, cursor: 'one' });
    expect(response.json()).toEqual({
      items: [{ id: 'one', outcome: 'refused', reason: 'no route' }],
      next: 'two',
    });
    expect(publisher.received[0]?.body).toBe('{"limit":1,"cursor":"one"}');
    expect((await api.post('/v1/dead-letters/retry', { limit: 101 })).status).toBe(422);
  });
});

describe('open items', () => {
  const item = (participant: string, kind: string, since?: string) => ({
    ...{ participant, kind, market: 'WEM', periodFrom: '2026-03-01T00:00:00', designation: 'INITIAL' },
    ...(since !== undefined && { since }),
  });
  const unknown = (name: string) => ({ participant: 'XGAS', kind: 'unknown', interface: name });
  const listOf = (...items: readonly { readonly participant: string }[]) =>
    json({ participants: ['WPGENCO', 'XGAS'], items, furtherItems: 0 });
  const kindsOf = async (query = '', caller?: { token: string }): Promise<unknown[]> =>
    (await api.get(`/v1/open-items${query}`, caller))
      .json<{ items: { kind: string }[] }>()
      .items.map(({ kind }) => kind);

  it('of all pollers are listed once, the longest missing first, also as CSV and in pages', async () => {
    const statement = item('WPGENCO', 'statement', '2026-03-11T16:00:00.000Z');
    const invoice = item('XGAS', 'invoice', '2026-03-10T16:00:00.000Z');
    poller.respond = () => listOf(statement);
    otherPoller.respond = () => listOf(invoice, statement);
    expect(await kindsOf()).toEqual(['invoice', 'statement']);
    expect(await kindsOf('?kind=invoice&market=WEM')).toEqual(['invoice']);
    expect(await kindsOf('?market=STEM')).toEqual([]);
    const first = (await api.get('/v1/open-items?limit=1')).json<{ next: string }>();
    expect(await kindsOf(`?cursor=${first.next}`)).toEqual(['statement']);
    expect((await api.get('/v1/open-items?cursor=other')).status).toBe(422);
    expect((await api.get('/v1/open-items?kind=other')).status).toBe(422);
    const csv = await api.get('/v1/open-items?kind=statement', { headers: { accept: 'text/csv' } });
    expect(csv.body).toBe(
      'participant,kind,interface,market,periodFrom,designation,period,invoiceNumber,expectedOn,since,overdueSince,checkedAt,detail\r\n' +
        'WPGENCO,statement,,WEM,2026-03-01,INITIAL,,,,2026-03-11T16:00:00.000Z,,,\r\n',
    );
  });

  it('that are unknown are shown with every filter that they may belong to', async () => {
    poller.respond = otherPoller.respond = () => listOf(unknown('settlement'), unknown('prudential'));
    expect(await kindsOf()).toEqual(['unknown', 'unknown']);
    expect(await kindsOf('?market=STEM')).toEqual(['unknown']);
    expect(await kindsOf('?kind=document')).toEqual(['unknown']);
    expect(await kindsOf('?kind=calculation')).toEqual(['unknown']);
  });

  it('of other participants are not shown', async () => {
    poller.respond = otherPoller.respond = () =>
      listOf(item('XGAS', 'statement'), item('WPGENCO', 'invoice'));
    expect(await kindsOf('', { token: api.limited })).toEqual(['invoice']);
    expect(poller.received.at(-1)?.url).toBe('/open-items?participant=WPGENCO');
    expect(await kindsOf('?participant=XGAS', { token: api.limited })).toEqual([]);
  });

  it('are complete while one replica is down, and an error when some may be missing', async () => {
    poller.respond = () => json({}, 500);
    otherPoller.respond = () => listOf(item('WPGENCO', 'invoice'));
    expect(await kindsOf()).toEqual(['invoice']);
    otherPoller.respond = () => json({ participants: ['XGAS'], items: [], furtherItems: 0 });
    expect(await api.get('/v1/open-items')).toMatchObject({
      status: 502,
      body: expect.stringContaining('The poller 1 responds with status 500'),
    });
    poller.respond = () => json({ participants: ['WPGENCO', 'XGAS'], items: [], furtherItems: 1 });
    expect((await api.get('/v1/open-items')).status).toBe(422);
  });
});

describe('backfills', () => {
  it('are started, listed and cancelled', async () => {
    poller.respond = () => json({ outcome: 'started', backfill: BACKFILL });
    const range = { participant: 'WPGENCO', from: '2026-01-01' };
    expect((await api.post('/v1/backfills', range)).json()).toMatchObject({ outcome: 'started' });
    expect(JSON.parse(poller.received[0]?.body ?? '')).toEqual({ ...range, dryRun: false });
    expect((await api.post('/v1/backfills', { ...range, from: 'today' })).status).toBe(422);
    poller.respond = () => json({ items: [BACKFILL, { ...BACKFILL, participant: 'XGAS' }] });
    const page = (await api.get('/v1/backfills?limit=1')).json();
    expect(page).toEqual({ items: [BACKFILL], next: 'WPGENCO' });
    expect((await api.get('/v1/backfills?cursor=WPGENCO')).json()).toMatchObject({
      items: [{ participant: 'XGAS' }],
    });
    expect((await api.get('/v1/backfills?cursor=OTHER')).status).toBe(422);
    poller.respond = () => json(BACKFILL);
    expect((await api.post('/v1/backfills/WPGENCO/cancel', {})).status).toBe(200);
    expect(await audited('cancel-backfill')).toMatchObject([
      ['done', 'olivia', { events: 3 }],
      ['requested', 'olivia', undefined],
    ]);
  });

  it('of pollers with their own participants are listed together, and changed by the poller that has them', async () => {
    const other = { ...BACKFILL, participant: 'XGAS' };
    poller.respond = () => json({ items: [BACKFILL] });
    otherPoller.respond = () => json({ items: [other, BACKFILL] });
    expect((await api.get('/v1/backfills')).json()).toEqual({ items: [BACKFILL, other] });
    otherPoller.respond = () => json({}, 500);
    expect((await api.get('/v1/backfills')).json()['detail']).toContain(
      'The poller 2 responds with status 500',
    );

    poller.respond = () => json({ detail: 'The participant has no backfill.' }, 404);
    otherPoller.respond = () => json(other);
    expect((await api.post('/v1/backfills/XGAS/cancel', {})).json()).toEqual(other);
    expect((await api.get('/v1/backfills/XGAS')).json()).toEqual(other);
    const event = { id: 'e', type: 't', subject: 's', time: '2026-01-05T00:00:00Z' };
    otherPoller.respond = () => json({ items: [event], next: '1' });
    const events = await api.get('/v1/backfills/XGAS/events?limit=1');
    expect([events.json(), otherPoller.received.at(-1)?.url]).toEqual([
      { items: [event], next: '1' },
      '/backfills/XGAS/events?limit=1',
    ]);
    otherPoller.respond = poller.respond;
    expect((await api.get('/v1/backfills/XGAS')).status).toBe(404);
    poller.respond = () =>
      json({ detail: 'wrong', faults: [{ path: 'participant', message: 'wrong' }] }, 422);
    otherPoller.respond = () => json({ outcome: 'started', backfill: other });
    const range = { participant: 'XGAS', from: '2026-01-01' };
    expect((await api.post('/v1/backfills', range)).json()).toMatchObject({ outcome: 'started' });
    otherPoller.respond = poller.respond;
    expect((await api.post('/v1/backfills', range)).status).toBe(422);
  });

  it('and dead letters of an app of an earlier release are 502', async () => {
    poller.respond = publisher.respond = () => json({ title: 'Not found' }, 404);
    for (const path of ['/v1/backfills', '/v1/dead-letters'])
      expect(await api.get(path)).toMatchObject({
        status: 502,
        body: expect.stringContaining('update it to the release of the API'),
      });
  });

  it('of one participant are not absent because a poller is of an earlier release', async () => {
    poller.respond = ({ url }) => json({ title: 'Not found', detail: `Cannot GET ${url}` }, 404);
    otherPoller.respond = () => json({ ...BACKFILL, participant: 'XGAS' });
    expect((await api.get('/v1/backfills/XGAS')).json()).toMatchObject({ participant: 'XGAS' });
    otherPoller.respond = () => json({ detail: 'The participant has no backfill.' }, 404);
    expect(await api.get('/v1/backfills/XGAS')).toMatchObject({
      status: 502,
      body: expect.stringContaining('update it to the release of the API'),
    });
  });

  it('of another range that runs is 409', async () => {
    poller.respond = () => json({ detail: 'The backfill of WPGENCO is not complete.' }, 409);
    const response = await api.post('/v1/backfills', { participant: 'WPGENCO', from: '2026-01-01' });
    expect([response.status, response.json()['detail']]).toEqual([
      409,
      'The backfill of WPGENCO is not complete.',
    ]);
  });
});
