import { type RecordKind } from '@ssb/market/admin';
import { waitFor } from '@ssb/testing';
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http';
import { request } from 'undici';
import { type RunningReporting, runReporting } from './support/running-reporting.js';
import * as record from './support/records.js';

/** The operator API: bulk loads, lists of records, permissions and faults. */

let reporting: RunningReporting;

beforeAll(async () => {
  reporting = await runReporting();
});

afterAll(() => reporting.close());

const RECORDS = '/operator/v1/records';
const FAULTS = '/operator/v1/faults';

interface RequestOptions {
  method?: 'GET' | 'POST' | 'DELETE';
  scope?: string;
  type?: string;
  coding?: string;
  body?: string | Buffer;
}

async function send(path: string, { method = 'GET', scope, type, coding, body }: RequestOptions = {}) {
  const token = await reporting.tokens.sign(scope ?? 'MARKETRECORDS|OPERATOR|CR MARKETFAULTS|OPERATOR|CRD');
  const response = await request(`${reporting.operatorUrl}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(type !== undefined && { 'content-type': type }),
      ...(coding !== undefined && { 'content-encoding': coding }),
    },
    ...(body !== undefined && { body }),
  });
  const text = await response.body.text();
  return {
    status: response.statusCode,
    type: String(response.headers['content-type']).split(';')[0],
    text,
    json: JSON.parse(text),
  };
}

const bulk = (body: string | Buffer, type = 'application/x-ndjson') =>
  send(RECORDS, { method: 'POST', type, body });
const line = (kind: RecordKind, load: string) => `{"kind":"${kind}","record":${load}}\n`;
const statementLine = (runId: number) => line('statements', record.statementLoad(runId));
const listRunIds = async (): Promise<unknown[]> => {
  const { records } = (await send('/operator/v1/statements?limit=100')).json as Listed;
  return records.map(({ key }) => key['run_id']);
};

/** A bulk load of which only the headers are sent. */
async function beginBulk(): Promise<ClientRequest> {
  const authorization = `Bearer ${await reporting.tokens.sign('MARKETRECORDS|OPERATOR|C')}`;
  const headers = { authorization, 'content-type': 'application/x-ndjson', 'transfer-encoding': 'chunked' };
  const begun = httpRequest(`${reporting.operatorUrl}${RECORDS}`, { method: 'POST', headers });
  begun.on('error', () => undefined).flushHeaders();
  return begun;
}

async function loadsInFlight(): Promise<number> {
  const { body } = await request(`${reporting.managementUrl}/metrics`);
  return Number(/^settlement_bridge_reporting_bulk_loads (\d+)$/m.exec(await body.text())?.[1]);
}

interface Listed {
  records: { sequence: string; key: Record<string, unknown> }[];
  next?: string;
}

describe('JSON lines', () => {
  it('are loaded together, with either media type, and change nothing the second time', async () => {
    const lines =
      statementLine(1) +
      line('invoices', record.invoiceLoad('INV-1', '2026-03-12')) +
      line('timelines', record.timelineLoad(record.cycle('2026-03-01', ['2026-03-12'])));
    const first = await bulk(lines);
    expect([first.status, first.json]).toEqual([201, { loaded: 3, alreadyThere: 0 }]);
    const again = await bulk(lines, 'application/jsonl; charset=utf-8');
    expect([again.status, again.json]).toEqual([200, { loaded: 0, alreadyThere: 3 }]);
    const served = await reporting.get('/api/v2/settlements/WEM/summary/2026-03-01/INITIAL');
    expect(served.body).toBe(`{"data":${record.statement(1)}}`);
  });

  it('are loaded all or none: an invalid field is reported by line and path', async () => {
    const response = await bulk(`${statementLine(50)}\n${statementLine(0)}{\n`);
    expect(response).toMatchObject({ status: 422, type: 'application/problem+json' });
    expect(response.json.issues).toEqual([
      { line: 3, path: 'record.statement.runId', message: expect.any(String) },
      { line: 4, path: '', message: expect.stringContaining('not JSON') },
    ]);
    expect(await listRunIds()).not.toContain(50);
  });

  it('must be UTF-8', async () => {
    expect((await bulk(Buffer.from([0x22, 0xff, 0x22]))).status).toBe(400);
  });

  it('have a maximum size, and a single record a smaller one', async () => {
    const blank = (bytes: number) => Buffer.alloc(bytes, 0x20);
    const tooLong = await bulk(blank(64 * 1024 * 1024 + 1));
    expect([tooLong.status, tooLong.json.maxBytes]).toEqual([413, 64 * 1024 * 1024]);
    const single = { method: 'POST', type: 'application/json' } as const;
    const tooLarge = await send('/operator/v1/statements', { ...single, body: blank(10 * 1024 * 1024 + 1) });
    expect([tooLarge.status, tooLarge.json.maxBytes]).toEqual([413, 10 * 1024 * 1024]);
  });

  it('are at most two loads at a time: a third is refused before its lines are read, and accepted after one has ended', async () => {
    const [ended, aborted] = [await beginBulk(), await beginBulk()];
    await waitFor('two loads', async () => (await loadsInFlight()) === 2);
    expect(await bulk(statementLine(70))).toMatchObject({ status: 503, type: 'application/problem+json' });
    expect((await send('/operator/v1/statements')).status).toBe(200);
    const loaded = once(ended, 'response');
    ended.end(statementLine(71));
    expect(((await loaded)[0] as IncomingMessage).resume().statusCode).toBe(201);
    expect((await bulk(statementLine(70))).status).toBe(201);
    aborted.destroy();
    await waitFor('the end of the loads', async () => (await loadsInFlight()) === 0);
  });

  it('have their media types, and a single record or a fault another one: 415 names them', async () => {
    const [lines, json] = [['application/x-ndjson', 'application/jsonl'], ['application/json']];
    for (const [path, type, allowed] of [
      [RECORDS, 'application/json', lines],
      ['/operator/v1/statements', 'application/x-ndjson', json],
      ['/operator/v1/statements', undefined, json],
      [FAULTS, 'text/plain', json],
    ] as const) {
      const response = await send(path, { method: 'POST', body: '{}', ...(type !== undefined && { type }) });
      expect(response).toMatchObject({ status: 415, type: 'application/problem+json', json: { allowed } });
    }
  });
});

it('lists loaded records page by page, in the order of loading, and refuses an invalid parameter', async () => {
  const PATH = '/operator/v1/prudential';
  const times = ['2026-04-01T10:00:00', '2026-04-02T10:00:00', '2026-04-03T10:00:00'];
  const loads = times.map((time) => record.prudentialLoad(time, '1.10'));
  const other = record.prudentialLoad('2026-04-04T10:00:00', '2.20').replaceAll('WPGENCO', 'OTHER');
  await bulk([...loads, other].map((load) => line('prudential', load)).join(''));
  const first = (await send(`${PATH}?participant=WPGENCO&limit=2`)).json as Listed;
  const second = (await send(`${PATH}?participant=WPGENCO&limit=2&after=${first.next}`)).json as Listed;
  const listed = [...first.records, ...second.records].map(({ key }) => key['calculated_at']);
  expect(listed).toEqual(times);
  expect(second).not.toHaveProperty('next');

  for (const [query, parameter] of [
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=1e1', 'limit'],
    ['limit=1&limit=2', 'limit'],
    ['after=-1', 'after'],
    [`after=${'9'.repeat(19)}`, 'after'],
    ['after=1%27%20OR%201=1', 'after'],
    ['participant=', 'participant'],
    ['participant=%00', 'participant'],
    ['participant=A&participant=B', 'participant'],
    ['page=2', 'page'],
  ]) {
    const response = await send(`${PATH}?${query}`);
    expect(response).toMatchObject({ status: 400, type: 'application/problem+json', json: { parameter } });
  }
});

describe('permissions (document 001, Scopes 8)', () => {
  const STATEMENTS = '/operator/v1/statements';
  const json = (body: string) => ({ method: 'POST', type: 'application/json', body }) as const;
  const lines = { method: 'POST', type: 'application/x-ndjson', body: '' } as const;
  const clear = { method: 'DELETE' } as const;
  const fault = json('{"kind":"latency","ms":1,"times":1}');

  it.each<[string, string, RequestOptions, number]>([
    ['MARKETRECORDS|OPERATOR|R', STATEMENTS, {}, 200],
    ['MARKETRECORDS|OPERATOR|R', STATEMENTS, json('{}'), 403],
    ['MARKETRECORDS|OPERATOR|R', RECORDS, lines, 403],
    ['MARKETRECORDS|OPERATOR|C', RECORDS, lines, 200],
    ['MARKETRECORDS|OPERATOR|C', STATEMENTS, {}, 403],
    ['MARKETRECORDS|OPERATOR|CRUD', FAULTS, fault, 403],
    ['MARKETFAULTS|OPERATOR|C', FAULTS, fault, 201],
    ['MARKETFAULTS|OPERATOR|R', FAULTS, {}, 200],
    ['MARKETFAULTS|OPERATOR|R', FAULTS, fault, 403],
    ['MARKETFAULTS|OPERATOR|R', FAULTS, clear, 403],
    ['MARKETFAULTS|OPERATOR|R', `${FAULTS}/1`, clear, 403],
    ['MARKETFAULTS|OPERATOR|D', FAULTS, clear, 200],
    ['MARKETRECORDS|WPGENCO|CRUD', STATEMENTS, {}, 403],
    // An encoded path requires the same permission.
    ['SETTLEMENT|OPERATOR|R', '/%6Fperator/v1/statements', {}, 403],
  ])('%s at %s, %j: %i', async (scope, path, options, status) => {
    expect((await send(path, { ...options, scope })).status).toBe(status);
  });
});

describe('injected faults', () => {
  const set = (json: string) => send(FAULTS, { method: 'POST', type: 'application/json', body: json });

  it('are listed until they are cleared', async () => {
    const one = (await set('{"kind":"error","status":503,"forSeconds":600}')).json;
    const two = (await set('{"kind":"latency","ms":5,"times":9,"participant":"WPGENCO"}')).json;
    expect(two).toMatchObject({ fault: { kind: 'latency', times: 9 }, applied: 0 });
    expect(Date.parse(one.endsAt)).toBeGreaterThan(Date.now());
    expect((await send(FAULTS)).json).toEqual({ faults: [one, two] });
    expect((await send(`${FAULTS}/${one.id}`, { method: 'DELETE' })).json).toEqual({ cleared: 1 });
    expect((await send(`${FAULTS}/${one.id}`, { method: 'DELETE' })).json).toEqual({ cleared: 0 });
    expect((await send(FAULTS, { method: 'DELETE' })).json).toEqual({ cleared: 1 });
    expect((await send(FAULTS)).json).toEqual({ faults: [] });
  });

  it('are at most a hundred', async () => {
    const FAULT = '{"kind":"latency","ms":1,"forSeconds":3600}';
    await Promise.all(Array.from({ length: 100 }, () => set(FAULT)));
    expect((await set(FAULT)).status).toBe(409);
    await send(FAULTS, { method: 'DELETE' });
  });
});
