import { RECORD_KINDS, type RecordKind } from '@ssb/market-admin';
import { waitFor } from '@ssb/testing';
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http';
import { request } from 'undici';
import { type RunningReporting, runReporting } from './support/running-reporting.js';
import * as record from './support/records.js';

/** The operator's door: many records at once, what is in, and which right each needs. */

let reporting: RunningReporting;

beforeAll(async () => {
  reporting = await runReporting();
});

afterAll(() => reporting.close());

const RECORDS = '/operator/v1/records';
const FAULTS = '/operator/v1/faults';

interface Ask {
  method?: 'GET' | 'POST' | 'DELETE';
  scope?: string;
  type?: string;
  body?: string | Buffer;
}

async function ask(path: string, { method = 'GET', scope, type, body }: Ask = {}) {
  const token = await reporting.tokens.sign(scope ?? 'MARKETRECORDS|OPERATOR|CR MARKETFAULTS|OPERATOR|CRD');
  const answer = await request(`${reporting.operatorUrl}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(type !== undefined && { 'content-type': type }) },
    ...(body !== undefined && { body }),
  });
  const text = await answer.body.text();
  return {
    status: answer.statusCode,
    type: String(answer.headers['content-type']).split(';')[0],
    text,
    json: JSON.parse(text),
  };
}

const bulk = (body: string | Buffer, type = 'application/x-ndjson') =>
  ask(RECORDS, { method: 'POST', type, body });
const line = (kind: RecordKind, load: string) => `{"kind":"${kind}","record":${load}}\n`;
const statementLine = (runId: number) => line('statements', record.statementLoad(runId));
const statementsOf = async (): Promise<unknown[]> => {
  const { records } = (await ask('/operator/v1/statements?limit=100')).json as Listed;
  return records.map(({ key }) => key['run_id']);
};

/** A bulk load of which only the header was sent. */
async function beginBulk(): Promise<ClientRequest> {
  const authorization = `Bearer ${await reporting.tokens.sign('MARKETRECORDS|OPERATOR|C')}`;
  const headers = { authorization, 'content-type': 'application/x-ndjson', 'transfer-encoding': 'chunked' };
  const begun = httpRequest(`${reporting.operatorUrl}${RECORDS}`, { method: 'POST', headers });
  begun.on('error', () => undefined).flushHeaders();
  return begun;
}

async function loadsUnderWay(): Promise<number> {
  const { body } = await request(`${reporting.operatorUrl}/metrics`);
  return Number(/^reporting_bulk_loads (\d+)$/m.exec(await body.text())?.[1]);
}

interface Listed {
  records: { sequence: string; key: Record<string, unknown> }[];
  next?: string;
}

describe('JSON lines', () => {
  it('are loaded together, under either name of theirs, and change nothing the second time', async () => {
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

  it('are loaded all or none: a fault tells its line and its path', async () => {
    const answer = await bulk(`${statementLine(50)}\n${statementLine(0)}{\n`);
    expect(answer).toMatchObject({ status: 422, type: 'application/problem+json' });
    expect(answer.json.issues).toEqual([
      { line: 3, path: 'record.statement.runId', message: expect.any(String) },
      { line: 4, path: '', message: expect.stringContaining('not JSON') },
    ]);
    expect(await statementsOf()).not.toContain(50);
  });

  it('are loaded all or none: a conflict tells its line', async () => {
    await bulk(statementLine(60));
    const answer = await bulk(`${statementLine(61)}\n${statementLine(60).replace('.12345678', '.12345679')}`);
    expect([answer.status, answer.json.line]).toEqual([409, 3]);
    expect(await statementsOf()).not.toContain(61);
  });

  it('may be none', async () => {
    const answer = await bulk('\n');
    expect([answer.status, answer.json]).toEqual([200, { loaded: 0, alreadyThere: 0 }]);
  });

  it('must be UTF-8', async () => {
    expect((await bulk(Buffer.from([0x22, 0xff, 0x22]))).status).toBe(400);
  });

  it('are at most so many bytes, and a record by itself fewer', async () => {
    const blank = (bytes: number) => Buffer.alloc(bytes, 0x20);
    const tooLong = await bulk(blank(64 * 1024 * 1024 + 1));
    expect([tooLong.status, tooLong.json.maxBytes]).toEqual([413, 64 * 1024 * 1024]);
    const single = { method: 'POST', type: 'application/json' } as const;
    const tooLarge = await ask('/operator/v1/statements', { ...single, body: blank(10 * 1024 * 1024 + 1) });
    expect([tooLarge.status, tooLarge.json.maxBytes]).toEqual([413, 10 * 1024 * 1024]);
  });

  it('are two loads at a time: a third is told so before its lines are read, and taken once one has ended', async () => {
    const [ended, aborted] = [await beginBulk(), await beginBulk()];
    await waitFor('two loads', async () => (await loadsUnderWay()) === 2);
    expect(await bulk(statementLine(70))).toMatchObject({ status: 503, type: 'application/problem+json' });
    expect((await ask('/operator/v1/statements')).status).toBe(200);
    const answered = once(ended, 'response');
    ended.end(statementLine(71));
    expect(((await answered)[0] as IncomingMessage).resume().statusCode).toBe(201);
    expect((await bulk(statementLine(70))).status).toBe(201);
    aborted.destroy();
    await waitFor('the end of the loads', async () => (await loadsUnderWay()) === 0);
  });

  it.each([
    [RECORDS, 'application/json', ['application/x-ndjson', 'application/jsonl']],
    ['/operator/v1/statements', 'application/x-ndjson', ['application/json']],
    ['/operator/v1/statements', undefined, ['application/json']],
    [FAULTS, 'text/plain', ['application/json']],
  ])('%s as %s is 415 and told what is allowed', async (path, type, allowed) => {
    const answer = await ask(path, { method: 'POST', body: '{}', ...(type !== undefined && { type }) });
    expect(answer).toMatchObject({ status: 415, type: 'application/problem+json', json: { allowed } });
  });
});

describe('what is in', () => {
  beforeAll(async () => {
    const days = ['2026-04-01', '2026-04-02', '2026-04-03'];
    await bulk(
      days
        .map((day) => line('prudential', record.prudentialLoad(`${day}T10:00:00`, '1.10')))
        .concat(
          line(
            'prudential',
            record.prudentialLoad('2026-04-04T10:00:00', '2.20').replaceAll('WPGENCO', 'OTHER'),
          ),
        )
        .join(''),
    );
  });

  it('is listed page by page, in the order of loading', async () => {
    const first = (await ask('/operator/v1/prudential?participant=WPGENCO&limit=2')).json as Listed;
    const second = (await ask(`/operator/v1/prudential?participant=WPGENCO&limit=2&after=${first.next}`))
      .json as Listed;
    const times = [...first.records, ...second.records].map(({ key }) => key['calculated_at']);
    expect(times).toEqual(['2026-04-01T10:00:00', '2026-04-02T10:00:00', '2026-04-03T10:00:00']);
    expect(second).not.toHaveProperty('next');
  });

  it('is shown with every digit', async () => {
    const { records } = (await ask('/operator/v1/prudential?participant=OTHER')).json;
    const one = await ask(`/operator/v1/prudential/${records[0].sequence}`);
    expect(one.type).toContain('application/json');
    expect(one.text).toContain('"document":{"participantCode":"OTHER"');
    expect(one.text).toContain('"tradingMargin":2.20');
  });

  it.each(RECORD_KINDS)('may be listed: %s', async (kind) => {
    expect((await ask(`/operator/v1/${kind}`)).status).toBe(200);
  });

  it.each([
    ['a kind that there is not', '/operator/v1/rumours', 404],
    ['the bulk address', RECORDS, 404],
    ['a sequence that there is not', '/operator/v1/prudential/999999999999', 404],
    ['a sequence that is none', '/operator/v1/prudential/first', 404],
    ['zero', '/operator/v1/prudential/0', 404],
    ['an address that cannot be decoded', '/operator/v1/%zz', 404],
  ])('answers problem+json to %s', async (_what, path, status) => {
    expect(await ask(path)).toMatchObject({ status, type: 'application/problem+json' });
  });

  it.each([
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
  ])('names the parameter that is wrong: ?%s', async (query, parameter) => {
    const answer = await ask(`/operator/v1/prudential?${query}`);
    expect(answer).toMatchObject({ status: 400, type: 'application/problem+json', json: { parameter } });
  });
});

describe('who may do what (document 001, Scopes 8)', () => {
  const post = { method: 'POST', type: 'application/json' } as const;
  const lines = { method: 'POST', type: 'application/x-ndjson', body: '' } as const;
  const fault = '{"kind":"latency","ms":1,"times":1}';
  it.each<[string, string, string, Ask, number]>([
    ['R lists', 'MARKETRECORDS|OPERATOR|R', '/operator/v1/statements', {}, 200],
    ['R loads nothing', 'MARKETRECORDS|OPERATOR|R', '/operator/v1/statements', { ...post, body: '{}' }, 403],
    ['R loads no lines', 'MARKETRECORDS|OPERATOR|R', RECORDS, lines, 403],
    ['C loads', 'MARKETRECORDS|OPERATOR|C', RECORDS, lines, 200],
    ['C lists nothing', 'MARKETRECORDS|OPERATOR|C', '/operator/v1/statements', {}, 403],
    ['C of records makes no fault', 'MARKETRECORDS|OPERATOR|CRUD', FAULTS, { ...post, body: fault }, 403],
    ['C makes fault', 'MARKETFAULTS|OPERATOR|C', FAULTS, { ...post, body: fault }, 201],
    ['R sees fault', 'MARKETFAULTS|OPERATOR|R', FAULTS, {}, 200],
    ['R makes no fault', 'MARKETFAULTS|OPERATOR|R', FAULTS, { ...post, body: fault }, 403],
    ['R ends no fault', 'MARKETFAULTS|OPERATOR|R', FAULTS, { method: 'DELETE' }, 403],
    ['R ends not even one', 'MARKETFAULTS|OPERATOR|R', `${FAULTS}/1`, { method: 'DELETE' }, 403],
    ['D ends fault', 'MARKETFAULTS|OPERATOR|D', FAULTS, { method: 'DELETE' }, 200],
    ['a participant sees nothing', 'MARKETRECORDS|WPGENCO|CRUD', '/operator/v1/statements', {}, 403],
    ['another spelling helps nobody', 'SETTLEMENT|OPERATOR|R', '/%6Fperator/v1/statements', {}, 403],
  ])('%s', async (_what, scope, path, how, status) => {
    expect((await ask(path, { ...how, scope })).status).toBe(status);
  });
});

describe('switches for fault', () => {
  const set = (json: string) => ask(FAULTS, { method: 'POST', type: 'application/json', body: json });

  it('are shown until they are switched off', async () => {
    const one = (await set('{"kind":"error","status":503,"forSeconds":600}')).json;
    const two = (await set('{"kind":"latency","ms":5,"times":9,"participant":"WPGENCO"}')).json;
    expect(two).toMatchObject({ fault: { kind: 'latency', times: 9 }, applied: 0 });
    expect(Date.parse(one.endsAt)).toBeGreaterThan(Date.now());
    expect((await ask(FAULTS)).json).toEqual({ faults: [one, two] });
    expect((await ask(`${FAULTS}/${one.id}`, { method: 'DELETE' })).json).toEqual({ cleared: 1 });
    expect((await ask(`${FAULTS}/${one.id}`, { method: 'DELETE' })).json).toEqual({ cleared: 0 });
    expect((await ask(FAULTS, { method: 'DELETE' })).json).toEqual({ cleared: 1 });
    expect((await ask(FAULTS)).json).toEqual({ faults: [] });
  });

  it.each([
    ['no bound', '{"kind":"latency","ms":5}', '', 'forSeconds'],
    ['too long', '{"kind":"latency","ms":5,"forSeconds":3601}', 'forSeconds', '1 to 3600'],
    ['too often', '{"kind":"latency","ms":5,"times":10001}', 'times', '1 to 10000'],
    ['too late', '{"kind":"latency","ms":60001,"times":1}', 'ms', '1 to 60000'],
    ['no such kind', '{"kind":"boredom","times":1}', 'kind', 'latency, rate-limit, error'],
    ['another status', '{"kind":"error","status":502,"times":1}', 'status', '500 or 503'],
    ['a property too many', '{"kind":"error","status":500,"times":1,"ms":1}', 'ms', 'should not exist'],
    ['a path that is none', '{"kind":"latency","ms":5,"times":1,"path":"prudential"}', 'path', '/api/v2/'],
    ['a clock that is right', '{"kind":"clock-skew","seconds":0,"times":1}', 'seconds', 'not be equal to 0'],
    ['no words about Retry-After', '{"kind":"rate-limit","times":1}', 'retryAfter', 'boolean'],
  ])('say what is allowed: %s', async (_what, json, path, words) => {
    const answer = await set(json);
    expect(answer).toMatchObject({ status: 422, type: 'application/problem+json' });
    expect(answer.json.issues).toEqual([{ path, message: expect.stringContaining(words) }]);
  });

  it('are a hundred at most', async () => {
    for (let count = 0; count < 100; count += 1) await set('{"kind":"latency","ms":1,"forSeconds":60}');
    expect((await set('{"kind":"latency","ms":1,"forSeconds":60}')).status).toBe(409);
    await ask(FAULTS, { method: 'DELETE' });
  });
});
