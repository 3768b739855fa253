import { TokenSource } from '@ssb/net';
import { gzipSync } from 'node:zlib';
import { type Authority, createAuthority } from '@ssb/dev/certificates';
import { type ScriptedServer, startScriptedServer } from '@ssb/testing/in-process';
import {
  CALCULATION,
  INVOICE,
  OUTPUT,
  OUTPUT_DETAILS,
  PRUDENTIAL_SUMMARY,
  STATEMENT,
  TIMELINE,
} from '@ssb/testing/market-records';
import { parseMarketDate, parseMarketDateTime } from '../values/market-time.js';
import { type IssuedMaterial, issueMaterial } from '../../test/issued-material.js';
import { NO_RETRY } from './retry-policy.js';
import { MalformedResponseError, ReportingForbiddenError, ReportingUnavailableError } from './errors.js';
import type { RequestLimiter } from './http/rate-limited-transport.js';
import type { ReportingClientOptions } from './reporting-client-options.js';
import { ReportingClient } from './reporting-client.js';

let market: ScriptedServer;
let tokenService: ScriptedServer;
let tokens: TokenSource;
let client: ReportingClient;
let clock: number;

beforeAll(async () => {
  market = await startScriptedServer();
  tokenService = await startScriptedServer();
});

beforeEach(() => {
  clock = 1_000_000;
  market.received.length = 0;
  tokenService.received.length = 0;
  tokenService.respond = (_, count) => ({ body: `{"access_token":"token-${count}","expires_in":3600}` });
  tokens = new TokenSource({ authUrl: tokenService.url, clientId: 'c', clientSecret: 's', now: () => clock });
  client = open();
});

afterEach(async () => {
  await client.close();
  await tokens.close();
});

afterAll(async () => {
  await market.stop();
  await tokenService.stop();
});

function open(options: Partial<ReportingClientOptions> = {}): ReportingClient {
  return new ReportingClient({
    baseUrl: market.url,
    tokenSource: tokens,
    retry: NO_RETRY,
    now: () => clock,
    ...options,
  });
}

async function reopen(options: Partial<ReportingClientOptions>): Promise<void> {
  await client.close();
  client = open(options);
}

function recordingLimiter(calls: string[]): RequestLimiter {
  return {
    acquire: () => {
      calls.push('acquire');
      return Promise.resolve({ release: () => calls.push('release') });
    },
    pause: (ms) => Promise.resolve(void calls.push(`pause ${ms}`)),
  };
}

const DAY = parseMarketDate('2026-03-05');
const MIDNIGHT = parseMarketDateTime('2026-03-05T00:00:00');

const thrownBy = (promise: Promise<unknown>): Promise<unknown> => promise.catch((error: unknown) => error);

describe('the operations', () => {
  it('1: the prudential range has every calculation with every digit', async () => {
    market.respond = () => ({ body: `{"data":[${CALCULATION},{}]}` });
    const calculations = await client.prudentialRange(DAY, parseMarketDateTime('2026-03-11T00:00:00'));
    expect(calculations?.value.map(({ tradingMargin }) => tradingMargin)).toEqual([
      '123456789012345678.12',
      undefined,
    ]);
    expect(calculations?.unreadable).toEqual([]);
    expect(market.received[0]?.url).toBe('/api/v2/prudential?dateFrom=2026-03-05&dateTo=2026-03-11');
  });

  it('1: a response that a proxy encodes, although no encoding was requested', async () => {
    const body = gzipSync(`{"data":[${CALCULATION}]}`);
    market.respond = () => ({ body, headers: { 'content-encoding': 'gzip' } });
    const day = parseMarketDate('2026-03-02');
    expect((await client.prudentialRange(day, day))?.value).toHaveLength(1);
    expect(market.received[0]?.headers['accept-encoding']).toBe('identity');
  });

  it('1: null in place of an array is an empty list', async () => {
    market.respond = () => ({ body: '{"data":null}' });
    expect(await client.prudentialRange(DAY, DAY)).toEqual({ value: [], unreadable: [], indexes: [] });
  });

  it('1: an unreadable calculation affects no other', async () => {
    const reported: (readonly string[])[] = [];
    await reopen({ onUnknownProperties: (_, paths) => reported.push(paths) });
    const broken = CALCULATION.replace(': 870000', ': "870000"');
    market.respond = () => ({ body: `{"data":[5,${CALCULATION},${broken},{"new":1}]}` });
    const calculations = await client.prudentialRange(DAY, DAY);
    expect(calculations?.value.map(({ tradingLimit }) => tradingLimit)).toEqual(['870000', undefined]);
    expect(calculations?.unreadable).toEqual([
      expect.objectContaining({
        path: 'data[0]',
        issues: [expect.objectContaining({ path: 'data[0]' })],
      }),
      expect.objectContaining({
        path: 'data[2]',
        issues: [{ path: 'data[2].tradingLimit', message: 'expected a number' }],
      }),
    ]);
    expect(calculations?.indexes).toEqual([1, 3]);
    expect(reported).toEqual([['data[3].new']]);
  });

  it.each([
    [
      '1: data is an object',
      (each: ReportingClient) => each.prudentialRange(DAY, DAY),
      '{"data":{}}',
      'data',
    ],
    ['1: no data', (each: ReportingClient) => each.prudentialRange(DAY, DAY), '{}', 'data'],
    ['10: data is a list', (each: ReportingClient) => each.timeline(DAY, DAY), '{"data":[]}', 'data'],
    [
      '10: cycles is a text',
      (each: ReportingClient) => each.timeline(DAY, DAY),
      '{"data":{"cycles":""}}',
      'data.cycles',
    ],
  ])('%s is malformed', async (_, request, body, path) => {
    market.respond = () => ({ body });
    const error = await thrownBy(request(client));
    expect(error).toBeInstanceOf(MalformedResponseError);
    expect(error).toMatchObject({ path });
  });

  // The digits of each record are tested with its resource.
  it.each<[string, string, (each: ReportingClient) => Promise<unknown>, string]>([
    ['2', PRUDENTIAL_SUMMARY, (each) => each.latestPrudentialSummary(), 'prudential/summary/latest'],
    ['3', OUTPUT, (each) => each.prudentialDetail(MIDNIGHT), 'prudential/detail/2026-03-05'],
    ['4', OUTPUT, (each) => each.prudentialEstimation(DAY), 'prudential/estimation/2026-03-05'],
    ['5', STATEMENT, (each) => each.statement('WEM', MIDNIGHT, 'INITIAL'), 'WEM/summary/2026-03-05/INITIAL'],
    [
      '6',
      OUTPUT_DETAILS,
      (each) => each.statementDetail('NSTEM', DAY, 'ADJ3'),
      'NSTEM/detail/2026-03-05/ADJ3',
    ],
    [
      '7',
      OUTPUT_DETAILS,
      (each) => each.statementEstimation(parseMarketDate('2026-03-01'), 'ADJ3', DAY),
      'NSTEM/estimation/2026-03-01/ADJ3/2026-03-05',
    ],
    ['9', INVOICE, (each) => each.invoice('STEM', DAY, 'INITIAL'), 'STEM/invoice/2026-03-05/INITIAL'],
    [
      '10',
      TIMELINE,
      (each) => each.timeline(DAY, parseMarketDate('2026-03-31')),
      'timeline?invoiceDateFrom=2026-03-05&invoiceDateTo=2026-03-31',
    ],
  ])('%s: its request with the bearer token, and its record', async (_, data, request, path) => {
    market.respond = () => ({ body: `{"data":${data}}`, headers: { 'content-type': 'text/plain' } });
    expect(await request(client)).toBeDefined();
    const url = `/api/v2/${path.startsWith('prudential') ? '' : 'settlements/'}${path}`;
    expect(market.received).toMatchObject([
      { method: 'GET', url, headers: { authorization: 'Bearer token-1' } },
    ]);
  });

  it('8: the invoice file, byte for byte', async () => {
    const file = Buffer.from('255044462d312e370a00ff80c3280a2525454f460a', 'hex');
    market.respond = () => ({ body: file, headers: { 'content-type': 'application/pdf; qs=1' } });
    const received = await client.invoiceFile('WEM', DAY, 'INITIAL');
    expect(Buffer.from(received ?? [])).toEqual(file);
    expect(market.received[0]).toMatchObject({
      url: '/api/v2/settlements/WEM/invoiceFile/2026-03-05/INITIAL',
      headers: { accept: 'application/pdf' },
    });
  });

  it.each([
    ['html', '<html>', 'text/html'],
    ['html', '<!doctype html>', 'application/pdf'],
    ['not-pdf', '{}', 'application/pdf'],
    ['empty', '', 'application/pdf'],
    ['truncated', '%PDF-1.7 and its first half', 'application/pdf'],
    ['media-type', '%PDF-1.7 %%EOF', 'application/json'],
  ])('8: a file that is %s is malformed', async (fault, body, type) => {
    market.respond = () => ({ body, headers: { 'content-type': type } });
    const error = await thrownBy(client.invoiceFile('WEM', DAY, 'INITIAL'));
    expect(error).toBeInstanceOf(MalformedResponseError);
    expect(error).toMatchObject({ fault });
  });

  it('8: a file of 10 MB is read, and one that exceeds its limit is not', async () => {
    const body = Buffer.concat([Buffer.from('%PDF-1.7 '), Buffer.alloc(10_485_760), Buffer.from('%%EOF')]);
    market.respond = () => ({ body, headers: { 'content-type': 'application/pdf' } });
    const file = await client.invoiceFile('WEM', DAY, 'INITIAL', body.length);
    expect(file).toHaveLength(body.length);
    const error = await thrownBy(client.invoiceFile('WEM', DAY, 'INITIAL', body.length - 1));
    expect(error).toMatchObject({ name: 'ReportingUnavailableError', cause: { reason: 'too-large' } });
  });

  describe('10: a timeline response', () => {
    const day = parseMarketDate('2026-03-01');

    it('is parsed only when it changed', async () => {
      market.respond = () => ({ body: `{"data":${TIMELINE}}` });
      const timeline = await client.timeline(day, day);
      expect((await client.timeline(day, day))?.value).toBe(timeline?.value);
      market.respond = () => ({ body: '{"data":{"cycles":[]}}' });
      expect((await client.timeline(day, day))?.value).toEqual({ cycles: [] });
    });

    it('reports its unreadable parts every time', async () => {
      market.respond = () => ({ body: `{"data":${TIMELINE.replace('"STEM"', '"GAS"')}}` });
      const timeline = await client.timeline(day, day);
      expect(timeline?.value.cycles?.map(({ marketService }) => marketService)).toEqual(['WEM', 'NSTEM']);
      expect(timeline?.unreadable.map(({ path }) => path)).toEqual(['data.cycles[1]']);
      expect(await client.timeline(day, day)).toEqual(timeline);
    });

    it('reports its unknown properties every time', async () => {
      const reported: (readonly string[])[] = [];
      await reopen({ onUnknownProperties: (_, paths) => reported.push(paths) });
      market.respond = () => ({ body: '{"data":{"cycles":[],"new":1}}' });
      await client.timeline(day, day);
      await client.timeline(day, day);
      expect(reported).toEqual([['data.new'], ['data.new']]);
    });
  });

  it.each([
    ['as a problem', { 'content-type': 'application/problem+json' }, '{"status":404}'],
    [
      'as a problem in JSON',
      { 'content-type': 'application/json; charset=utf-8' },
      '{"title":"Not Found","status":404}',
    ],
    ['as a problem in plain text', { 'content-type': 'text/plain' }, '{"type":"about:blank","status":404}'],
    [
      'as our sandbox sends it',
      { 'content-type': 'application/problem+json' },
      '{"status":404,"reason":"nothing-published"}',
    ],
    ['with an empty body', { 'content-type': 'text/html' }, ''],
  ])('return undefined for a 404 %s', async (_, headers, body) => {
    market.respond = () => ({ status: 404, headers, body });
    expect(await client.latestPrudentialSummary()).toBeUndefined();
  });

  it.each([
    ['a page', 'text/html; charset=utf-8', '<html>'],
    ['a file', 'application/pdf', '%PDF'],
    ['a proxy without a route', 'text/plain', 'default backend - 404'],
    ['a page that says it is JSON', 'application/json', '<html></html>'],
    ['no media type', '', '404 page not found'],
    ['Kong', 'application/json', '{"message":"no Route matched with those values"}'],
    ['Azure API Management', 'application/json', '{"statusCode":404,"message":"Resource not found"}'],
    ['Spring', 'application/json', '{"status":404,"error":"Not Found","path":"/api"}'],
    ['a problem of another status', 'application/problem+json', '{"status":502}'],
    ['a list', 'application/problem+json', '[]'],
    ['our sandbox for an unknown address', 'application/problem+json', '{"reason":"no-such-address"}'],
    [
      'our sandbox for a request that is too large',
      'application/problem+json',
      '{"reason":"response-too-large"}',
    ],
  ])('refuse a 404 of %s', async (_, type, body) => {
    const headers: Record<string, string> = type === '' ? {} : { 'content-type': type };
    market.respond = () => ({ status: 404, headers, body });
    expect(await thrownBy(client.latestPrudentialSummary())).toBeInstanceOf(MalformedResponseError);
  });

  it('accept only a 404 with the members that the settings name', async () => {
    await reopen({ notFoundMembers: ['code', 'detail'] });
    const respond = (body: string): void => {
      market.respond = () => ({
        status: 404,
        headers: { 'content-type': 'application/vnd.market+json' },
        body,
      });
    };
    respond('{"code":17,"detail":"none"}');
    expect(await client.latestPrudentialSummary()).toBeUndefined();
    for (const body of ['', '{"code":17}', '{"title":"Not Found","status":404}']) {
      respond(body);
      expect(await thrownBy(client.latestPrudentialSummary())).toBeInstanceOf(MalformedResponseError);
    }
  });

  it.each([
    ['1', (each: ReportingClient) => each.prudentialRange(DAY, DAY)],
    ['10', (each: ReportingClient) => each.timeline(DAY, DAY)],
  ])('refuse every 404 of list operation %s', async (_, request) => {
    for (const body of ['', '{}', 'default backend - 404']) {
      market.respond = () => ({ status: 404, headers: { 'content-type': 'application/json' }, body });
      expect(await thrownBy(request(client))).toBeInstanceOf(MalformedResponseError);
    }
  });

  it('keep the path of the base URL', async () => {
    await reopen({ baseUrl: `${market.url}/participant/` });
    market.respond = () => ({ status: 404 });
    await client.latestPrudentialSummary();
    expect(market.received[0]?.url).toBe('/participant/api/v2/prudential/summary/latest');
  });
});

describe('a refusal', () => {
  const refuse = { status: 403 };

  it.each([401, 403])('with %i is repeated once with a new token', async (status) => {
    market.respond = ({ headers }) =>
      headers.authorization === 'Bearer token-2' ? { body: `{"data":${PRUDENTIAL_SUMMARY}}` } : { status };
    expect(await client.latestPrudentialSummary()).toBeDefined();
    expect(market.received).toHaveLength(2);
  });

  it('is final when the new token is refused as well', async () => {
    market.respond = () => refuse;
    const error = await thrownBy(client.latestPrudentialSummary());
    expect(error).toBeInstanceOf(ReportingForbiddenError);
    expect(error).toMatchObject({ status: 403, operation: 'GET /api/v2/prudential/summary/latest' });
    expect(market.received).toHaveLength(2);
  });

  it('of a new token costs no further token for five minutes', async () => {
    market.respond = () => refuse;
    await thrownBy(client.latestPrudentialSummary());
    const [, repeated] = market.received;
    clock += 299_999;
    await thrownBy(client.latestPrudentialSummary());
    expect(market.received.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer token-1',
      'Bearer token-2',
      repeated?.headers.authorization,
    ]);
    clock += 1;
    await thrownBy(client.latestPrudentialSummary());
    expect(market.received.at(-1)?.headers.authorization).toBe('Bearer token-3');
  });

  it('of two servers with shared tokens costs each server one token', async () => {
    const other = open({ baseUrl: `${market.url}/other` });
    market.respond = () => ({ status: 401 });
    for (let round = 0; round < 5; round += 1) {
      await thrownBy(client.latestPrudentialSummary());
      await thrownBy(other.latestPrudentialSummary());
      clock += 30_000;
    }
    await other.close();
    expect(tokenService.received).toHaveLength(3);
  });

  it('for a missing permission does not prevent the repeat for a revoked token', async () => {
    market.respond = () => refuse;
    await thrownBy(client.latestPrudentialSummary());
    market.respond = ({ headers }) =>
      headers.authorization === 'Bearer token-3'
        ? { body: `{"data":${PRUDENTIAL_SUMMARY}}` }
        : { status: 401 };
    expect(await client.latestPrudentialSummary()).toBeDefined();
  });
});

describe('an unusable response', () => {
  it.each([
    ['HTML', '<html>', ''],
    ['no data', '{}', 'data'],
    ['null as data', '{"data":null}', 'data'],
    [
      'a broken field',
      `{"data":${STATEMENT.replace('"P"', '"X"')}}`,
      'data.tradingDays[0].variables[0].pOrC',
    ],
  ])('with %s is malformed', async (_, body, path) => {
    market.respond = () => ({ body });
    const error = await thrownBy(client.statement('WEM', DAY, 'INITIAL'));
    expect(error).toBeInstanceOf(MalformedResponseError);
    expect(error).toMatchObject({ path });
  });

  it.each([
    ['an invalid UTF-8 byte', 'ff'],
    ['a surrogate', 'eda080'],
    ['an incomplete character', 'c3'],
  ])('with %s in a name is malformed', async (_, bytes) => {
    const [before = '', after = ''] = `{"data":${PRUDENTIAL_SUMMARY}}`.split('PART1');
    const body = Buffer.concat([Buffer.from(`${before}P`), Buffer.from(bytes, 'hex'), Buffer.from(after)]);
    market.respond = () => ({ body });
    expect(await thrownBy(client.latestPrudentialSummary())).toMatchObject({
      name: 'MalformedResponseError',
      message: expect.stringContaining('not UTF-8'),
    });
  });

  it('with thousands of issues is reported with the first twenty', async () => {
    const days = Array.from({ length: 5_000 }, () => ({}));
    market.respond = () => ({ body: JSON.stringify({ data: { tradingDays: days } }) });
    const error = await thrownBy(client.statement('WEM', DAY, 'INITIAL'));
    expect((error as MalformedResponseError).issues).toHaveLength(20);
  });

  it('with a redirection is unavailable', async () => {
    market.respond = () => ({ status: 302, headers: { location: 'https://127.0.0.1:1/' } });
    const error = await thrownBy(client.latestPrudentialSummary());
    expect(error).toMatchObject({ name: 'ReportingUnavailableError', status: 302 });
  });

  it('over the maximum size is not read to its end', async () => {
    await reopen({ maxResponseBytes: 1_000 });
    market.respond = () => ({ body: ' '.repeat(1_001) });
    const error = await thrownBy(client.latestPrudentialSummary());
    expect(error).toMatchObject({ name: 'ReportingUnavailableError', cause: { reason: 'too-large' } });
  });

  it.each([
    ['with an unknown encoding', 'zstd'],
    ['that is not in its encoding', 'gzip'],
  ])('%s is not requested again', async (_, encoding) => {
    market.respond = () => ({ body: '{"data":[]}', headers: { 'content-encoding': encoding } });
    const error = await thrownBy(client.latestPrudentialSummary());
    expect(error).toMatchObject({ name: 'ReportingUnavailableError', cause: { reason: 'undecodable' } });
    expect(market.received).toHaveLength(1);
  });
});

describe('limits, repeats and certificates', () => {
  it('the limiter gets every request and its end', async () => {
    const calls: string[] = [];
    await reopen({ requestLimiter: recordingLimiter(calls) });
    market.respond = () => ({ status: 403 });
    await thrownBy(client.latestPrudentialSummary());
    expect(calls).toEqual(['acquire', 'release', 'acquire', 'release']);
  });

  it.each([
    ['for the time of Retry-After', { 'retry-after': '12' }, 'pause 12000'],
    ['for the default time', {}, 'pause undefined'],
  ])('a 429 pauses the limiter %s', async (_, headers, expected) => {
    const calls: string[] = [];
    await reopen({ requestLimiter: recordingLimiter(calls) });
    market.respond = () => ({ status: 429, headers });
    expect(await thrownBy(client.latestPrudentialSummary())).toBeInstanceOf(ReportingUnavailableError);
    expect(calls).toEqual(['acquire', expected, 'release']);
  });

  it('no request is sent without a permit', async () => {
    const refused = new Error('refused');
    const requestLimiter = { acquire: () => Promise.reject(refused), pause: () => Promise.resolve() };
    await reopen({ requestLimiter });
    expect(await thrownBy(client.latestPrudentialSummary())).toBe(refused);
    expect(market.received).toHaveLength(0);
  });

  it('the clock of the server is reported for each response, failures included', async () => {
    const remoteTimes: number[] = [];
    await reopen({ onClockReading: ({ remoteTime }) => void remoteTimes.push(remoteTime) });
    // The moments as `date -u -d '1994-11-06 08:49:37' +%s` gives them.
    const dates = ['Sun, 06 Nov 1994 08:49:37 GMT', 'Sun, 06 Nov 1994 08:49:40 GMT'];
    market.respond = (_, count) => ({
      status: count === 1 ? 503 : 404,
      headers: { date: dates[count - 1] ?? '' },
    });
    await thrownBy(client.latestPrudentialSummary());
    await client.latestPrudentialSummary();
    expect(remoteTimes).toEqual([784_111_777_000, 784_111_780_000]);
  });

  it('an aborted signal ends the wait for a repeat', async () => {
    const stop = new AbortController();
    await reopen({ retry: { attempts: 3, maxDelayMs: 60_000 }, signal: stop.signal });
    market.respond = () => {
      setImmediate(() => stop.abort(new Error('stopping')));
      return { status: 503, headers: { 'retry-after': '60' } };
    };
    expect(await thrownBy(client.latestPrudentialSummary())).toEqual(new Error('stopping'));
    expect(market.received).toHaveLength(1);
  });
});

describe('with client certificates', () => {
  let authority: Authority;
  let caller: IssuedMaterial;
  let secureMarket: ScriptedServer;

  beforeAll(async () => {
    authority = await createAuthority({ name: 'Test CA', now: new Date() });
    caller = await issueMaterial(authority, 'PART1');
    secureMarket = await startScriptedServer({
      ...(await issueMaterial(authority, 'reporting')),
      requestCert: true,
      rejectUnauthorized: true,
    });
  });

  beforeEach(async () => {
    secureMarket.received.length = 0;
    await reopen({ baseUrl: secureMarket.url, tls: caller });
  });

  afterAll(async () => {
    await secureMarket.stop();
  });

  it.each([
    ['without a client certificate', () => ({ ca: authority.cert })],
    ['to a server of an untrusted authority', () => ({ cert: caller.cert, key: caller.key })],
  ])('no connection %s', async (_, tls) => {
    await reopen({ baseUrl: secureMarket.url, tls: tls() });
    const error = await thrownBy(client.latestPrudentialSummary());
    expect(error).toMatchObject({ name: 'ReportingUnavailableError', cause: { reason: 'connection' } });
    expect(secureMarket.received).toHaveLength(0);
  });

  it('a renewed certificate is used without a restart, and requests in flight end on the old one', async () => {
    let respondNow: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (respondNow = resolve));
    let arrived: () => void = () => undefined;
    const inFlight = new Promise<void>((resolve) => (arrived = resolve));
    secureMarket.respond = async (_, count) => {
      arrived();
      if (count === 1) await held;
      return { body: `{"data":${PRUDENTIAL_SUMMARY}}` };
    };
    const first = client.latestPrudentialSummary();
    await inFlight;
    const renewed = client.renewTls(await issueMaterial(authority, 'PART2'));
    expect(await client.latestPrudentialSummary()).toBeDefined();
    respondNow();
    expect(await first).toBeDefined();
    await renewed;
    expect(secureMarket.received.map((request) => request.caller)).toEqual(['PART1', 'PART2']);
  });
});
