import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { startScriptedServer, waitFor, type Reply, type ScriptedServer } from '@ssb/testing';
import { archiveEvent, uuidOf } from '@ssb/testing/archived-events';
import type { DifferencesPage } from '../src/settlement/differences-dto.js';
import { RunningApi, type RequestOptions } from './support/running-api.js';

const OPERATE_TOKEN = randomUUID();
/** Of a response of the poller, which really sends 1 MiB. */
const PART_BYTES = 1_000;
const [FIRST, SECOND] = ['2026-03-01T00:00:00', '2026-03-02T00:00:00'];

const variable = (tradingDay: string, name: string, pOrC: string, value: string) => ({
  tradingDay,
  variable: name,
  pOrC,
  gstApplicable: 'Y',
  value,
});
const sale = (value: string) => variable(FIRST, 'SALE', 'P', value);

/** A full record of this many variables, with all 23 digits. */
const record = (count: number) => {
  const variables = Array.from({ length: count }, (_, index) => ({
    gstApplicable: 'N',
    pOrC: index % 2 === 0 ? 'C' : 'P',
    value: `${123456789012345n + BigInt(index)}.00000001`,
    variable: `V${index}`,
  }));
  const text = JSON.stringify({ tradingDays: [{ tradingDay: SECOND, variables }] });
  return { text, sha256: createHash('sha256').update(text).digest('hex') };
};
const LARGE = record(2_500);
const GONE = record(3);

let api: RunningApi;
let poller: ScriptedServer;
let folder: string;
let records: Map<string, Buffer>;

const json = (body: unknown, status = 200): Reply => ({ status, body: JSON.stringify(body) });

function sendRecord(address: string): Reply {
  const url = new URL(address, 'http://localhost');
  const content = records.get(url.pathname.replace('/records/', ''));
  if (content === undefined) return json({ title: 'Not found', status: 404, detail: 'no record' }, 404);
  const offset = Number(url.searchParams.get('offset'));
  const part = content.subarray(offset, offset + PART_BYTES);
  return json({ bytes: content.length, content: part.toString('base64') });
}

let detected = 0;
async function publish(
  name: string,
  variables: readonly object[] | { readonly sha256: string },
  { type = 'statement.published', participant = 'WPGENCO', ...data }: Record<string, unknown> = {},
): Promise<string> {
  detected += 1;
  const summary = {
    count: 1,
    payments: 1,
    charges: 0,
    bytes: 1,
    source: { method: 'GET', path: '/api/v2/x' },
  };
  return archiveEvent(api.tables.admin, String(type), {
    event: {
      id: uuidOf(name),
      participant,
      detectedat: new Date(Date.UTC(2026, 2, 20) + detected).toISOString(),
    },
    data: {
      runId: 4_000 + detected,
      ...('sha256' in variables
        ? { variables: undefined, variablesSummary: { ...summary, ...variables } }
        : { variables }),
      ...data,
    },
  });
}

const differences = async (id: string, query = '', options: RequestOptions = {}) =>
  api.get(`/v1/statements/${id}/differences${query}`, options);
const pageOf = async (id: string, query = ''): Promise<DifferencesPage> =>
  (await differences(id, query)).json<DifferencesPage>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'differences-'));
  const operateFile = join(folder, 'operate');
  await writeFile(operateFile, OPERATE_TOKEN, { mode: 0o600 });
  poller = await startScriptedServer();
  api = await RunningApi.start({ POLLER_URLS: poller.url, HOPS_OPERATE_TOKEN_FILE: operateFile });
  await publish('initial', [sale('123456789012345.12345678'), variable(SECOND, 'FEE', 'C', '10.50')]);
  await publish(
    'revised',
    [
      sale('123456789012345.12345679'),
      variable(SECOND, 'FEE', 'C', '7'),
      { ...variable(FIRST, 'NEW', 'P', '0.25'), gstApplicable: 'N' },
    ],
    { type: 'statement.revised' },
  );
  await publish('adjusted', { sha256: LARGE.sha256 }, { designation: 'ADJ1' });
  await publish('gone', { sha256: GONE.sha256 }, { designation: 'ADJ2' });
  const period = { periodFrom: '2026-03-08T00:00:00' };
  await publish('next week', [sale('1')], period);
  await publish('of alpha', [sale('1')], { participant: 'ALPHA' });
});
afterAll(async () => {
  await api.close();
  await poller.stop();
  await rm(folder, { recursive: true });
});
beforeEach(() => {
  records = new Map([[LARGE.sha256, gzipSync(LARGE.text)]]);
  poller.received.length = 0;
  poller.respond = ({ url }) => sendRecord(url ?? '');
});

const REVISION = {
  count: 3,
  totals: {
    payment: {
      before: '123456789012345.12345678',
      after: '123456789012345.37345679',
      difference: '0.25000001',
    },
    charge: { before: '10.50', after: '7', difference: '-3.50' },
    net: {
      before: '123456789012334.62345678',
      after: '123456789012338.37345679',
      difference: '3.75000001',
    },
  },
  items: [
    {
      ...{ tradingDay: '2026-03-02', variable: 'FEE', pOrC: 'C', gstApplicable: 'Y' },
      ...{ before: '10.50', after: '7', difference: '-3.50', share: '93.33' },
    },
    {
      ...{ tradingDay: '2026-03-01', variable: 'NEW', pOrC: 'P', gstApplicable: 'N' },
      ...{ after: '0.25', difference: '0.25', share: '6.67' },
    },
    {
      ...{ tradingDay: '2026-03-01', variable: 'SALE', pOrC: 'P', gstApplicable: 'Y' },
      ...{ before: '123456789012345.12345678', after: '123456789012345.12345679' },
      ...{ difference: '0.00000001', share: '0.00' },
    },
  ],
};

it('a revision is compared with the version before, with every digit and exact sums', async () => {
  const page = await pageOf(uuidOf('revised'));
  expect(page).toMatchObject({
    ...REVISION,
    before: { eventId: uuidOf('initial'), designation: 'INITIAL', publishedAt: expect.any(String) },
    after: { eventId: uuidOf('revised'), designation: 'INITIAL' },
  });
  expect(page).not.toHaveProperty('next');
  // The run stands for its newest version.
  expect(await pageOf(page.after.statementId)).toEqual(page);
  const reversed = await pageOf(uuidOf('initial'), `?against=${uuidOf('revised').slice(0, 8)}`);
  expect(reversed.totals.net.difference).toBe('-3.75000001');
});

it('CSV has every digit', async () => {
  const { body } = await differences(uuidOf('revised'), '', { headers: { accept: 'text/csv' } });
  expect(body.split('\r\n')).toEqual([
    'tradingDay,variable,pOrC,gstApplicable,before,after,difference,share',
    '2026-03-02,FEE,C,Y,10.50,7,-3.50,93.33',
    '2026-03-01,NEW,P,N,,0.25,0.25,6.67',
    '2026-03-01,SALE,P,Y,123456789012345.12345678,123456789012345.12345679,0.00000001,0.00',
    '',
  ]);
});

it('a run without an earlier version is compared with the run before, complete although its event has a summary', async () => {
  const pages: DifferencesPage[] = [];
  let next: string | undefined = '';
  while (next !== undefined) {
    const page: DifferencesPage = await pageOf(uuidOf('adjusted'), `?limit=1000${next && `&cursor=${next}`}`);
    pages.push(page);
    ({ next } = page);
  }
  expect(pages.map(({ items }) => items.length)).toEqual([1_000, 1_000, 503]);
  const [first] = pages;
  expect(first).toMatchObject({
    count: 2_503,
    before: { eventId: uuidOf('revised'), designation: 'INITIAL' },
    after: { eventId: uuidOf('adjusted'), designation: 'ADJ1' },
  });
  const sum = (pOrC: string): bigint =>
    pages
      .flatMap(({ items }) => items)
      .filter((each) => each.pOrC === pOrC)
      .reduce((total, { difference }) => total + toUnits(difference), 0n);
  expect(sum('P')).toBe(toUnits(first?.totals.payment.difference));
  expect(sum('C')).toBe(toUnits(first?.totals.charge.difference));
  // 1,250 charges of 123456789012345.00000001 and more, in place of 7.
  expect(first?.totals.charge).toEqual({
    before: '7',
    after: '154320986266992500.00001250',
    difference: '154320986266992493.00001250',
  });
  // Only the first page reads the record, in parts.
  expect(poller.received.length).toBe(Math.ceil(gzipSync(LARGE.text).length / PART_BYTES));
  expect(new Set(poller.received.map(({ headers }) => headers.authorization))).toEqual(
    new Set([`Bearer ${OPERATE_TOKEN}`]),
  );
});

/** In units of the eighth digit after the point. */
function toUnits(amount = ''): bigint {
  const [whole = '', fraction = ''] = amount.split('.');
  return BigInt(whole + fraction.padEnd(8, '0'));
}

it('a page that follows stays with its versions when a newer one is published', async () => {
  const { next } = await pageOf((await pageOf(uuidOf('revised'))).after.statementId, '?limit=1');
  const id = await publish('newest', [sale('2')], { type: 'statement.revised' });
  const second = await pageOf(uuidOf('initial'), `?limit=1&cursor=${next}`);
  expect(second.items).toEqual([REVISION.items[1]]);
  expect(second.after.eventId).toBe(uuidOf('revised'));
  await api.tables.admin.query('DELETE FROM archive WHERE event_id = $1', [id]);
});

it('a poller that does not respond holds up no other comparison', async () => {
  let respond = (): void => undefined;
  const held = new Promise<Reply>((resolve) => {
    respond = () => resolve(json({ title: 'Not found', status: 404, detail: 'no record' }, 404));
  });
  poller.respond = () => held;
  const slow = differences(uuidOf('gone'), `?against=${uuidOf('initial')}`);
  await waitFor('the poller has the request', () => poller.received.length > 0);
  const period = { periodFrom: '2026-03-15T00:00:00' };
  await publish('quick', [sale('1')], period);
  await publish('quick revised', [sale('2')], { ...period, type: 'statement.revised' });
  expect((await pageOf(uuidOf('quick revised'))).count).toBe(1);
  respond();
  expect((await slow).status).toBe(409);
});

it('the oldest of many versions is compared too', async () => {
  const period = { periodFrom: '2026-03-22T00:00:00' };
  for (let count = 0; count <= 1_001; count += 1)
    await publish(`version ${count}`, [sale(String(count))], { ...period, type: 'statement.revised' });
  expect(await pageOf(uuidOf('version 1'))).toMatchObject({
    before: { eventId: uuidOf('version 0') },
    after: { eventId: uuidOf('version 1') },
  });
});

describe('what cannot be compared', () => {
  it('is named: nothing before, a record that is gone, damaged, or that no poller sends', async () => {
    const nothing = await differences(uuidOf('next week'));
    expect([nothing.status, nothing.body]).toEqual([409, expect.stringContaining('no earlier version')]);
    const gone = await differences(uuidOf('gone'), `?against=${uuidOf('initial')}`);
    expect([gone.status, gone.body]).toEqual([
      409,
      expect.stringMatching(/full record \(SHA-256 [0-9a-f]{64}\) is no longer kept.*: \/api\/v2\/x/),
    ]);
    records.set(GONE.sha256, gzipSync(LARGE.text));
    const damaged = await differences(uuidOf('gone'), `?against=${uuidOf('initial')}`);
    expect([damaged.status, damaged.body]).toEqual([502, expect.stringContaining('damaged')]);
    poller.respond = () => json({ title: 'Forbidden', status: 403 }, 403);
    const refused = await differences(uuidOf('gone'), `?against=${uuidOf('initial')}`);
    expect([refused.status, refused.body]).toEqual([
      502,
      expect.stringContaining('MANAGEMENT_OPERATE_TOKEN_FILE'),
    ]);
    poller.respond = () =>
      json({ title: 'Not found', status: 404, detail: `Cannot GET /records/${GONE.sha256}` }, 404);
    const earlier = await differences(uuidOf('gone'), `?against=${uuidOf('initial')}`);
    expect([earlier.status, earlier.body]).toEqual([502, expect.stringContaining('update it')]);
    // Later ones are not held up.
    expect((await differences(uuidOf('revised'))).status).toBe(200);
  });

  it.each([
    ['a statement of another period', () => `against=${uuidOf('next week')}`],
    ['a statement of another participant', () => `against=${uuidOf('of alpha')}`],
    ['an id that nothing has', () => `against=${randomUUID()}`],
    ['the same version', () => `against=${uuidOf('revised')}`],
    ['too few characters', () => 'against=abc'],
    ['a cursor of another form', () => 'cursor=1'],
    ['a cursor of another participant', () => `cursor=${uuidOf('revised')}_${uuidOf('of alpha')}_1`],
    ['a cursor of another run', () => `cursor=${uuidOf('next week')}_${uuidOf('initial')}_1`],
    ['a limit beyond 1,000', () => 'limit=1001'],
  ])('is refused: %s', async (_, query) => {
    const response = await differences(uuidOf('revised'), `?${query()}`);
    const [name = ''] = query().split('=');
    expect([response.status, response.body]).toEqual([422, expect.stringContaining(`"path":"${name}"`)]);
  });

  it('of another participant is as what does not exist', async () => {
    const respond = async (id: string, query = '') => {
      const { status, body } = await differences(id, query, { token: api.limited });
      return [status, body];
    };
    expect(await respond(uuidOf('of alpha'))).toEqual(await respond(randomUUID()));
    const against = (id: string) => respond(uuidOf('revised'), `?against=${id}`);
    expect(await against(uuidOf('of alpha'))).toEqual(await against(randomUUID()));
    expect((await respond(uuidOf('revised')))[0]).toBe(200);
  });
});
