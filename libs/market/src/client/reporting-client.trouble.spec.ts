import { type ScriptedServer, startScriptedServer } from '@ssb/testing';
import { ABSENT, change, PRUDENTIAL_SUMMARY, STATEMENT } from '@ssb/testing/market-records';
import { serialiseJson } from '../json.js';
import { parseMarketDate } from '../market-time.js';
import { startTroubledServer, type Trouble, type TroubledServer } from '../testing/troubled-server.js';
import { ReportingClient, type ReportingClientOptions } from './reporting-client.js';
import { TokenSource } from './token-source.js';

const RIGHT = `{"data":${PRUDENTIAL_SUMMARY}}`;
const TWICE = 2;

let tokenService: ScriptedServer;
let tokens: TokenSource;
let market: TroubledServer | undefined;
let client: ReportingClient | undefined;

beforeEach(async () => {
  tokenService = await startScriptedServer();
  tokenService.answer = () => ({ body: '{"access_token":"t","expires_in":3600}' });
  tokens = new TokenSource({ authUrl: tokenService.url, clientId: 'c', clientSecret: 's' });
});

afterEach(async () => {
  await market?.stop();
  await client?.close();
  await tokens.close();
  await tokenService.stop();
});

async function open(
  troubles: readonly Trouble[],
  options: Partial<ReportingClientOptions> = {},
): Promise<ReportingClient> {
  market = await startTroubledServer(RIGHT, troubles);
  client = new ReportingClient({
    baseUrl: market.url,
    tokenSource: tokens,
    // Repeats without waiting: how long the pauses are is the retry table's own test.
    retry: { attempts: 3, longestPauseMs: 1 },
    ...options,
  });
  return client;
}

const times = (count: number, trouble: Trouble): Trouble[] => Array.from({ length: count }, () => trouble);
const status =
  (code: number, headers: Record<string, string> = {}): Trouble =>
  (response) =>
    void response.writeHead(code, headers).end('{"status":"trouble"}');
const body =
  (text: string, headers: Record<string, string> = { 'content-type': 'application/json' }): Trouble =>
  (response) =>
    void response.writeHead(200, headers).end(text);
const reset: Trouble = (response) => void response.socket?.resetAndDestroy();
const resetInTheMiddle: Trouble = (response) => {
  response.writeHead(200, { 'content-length': String(RIGHT.length) });
  response.write(RIGHT.slice(0, 40), () => response.socket?.resetAndDestroy());
};
const endsTooSoon: Trouble = (response) => {
  response.writeHead(200, { 'content-length': String(RIGHT.length) });
  response.write(RIGHT.slice(0, 40), () => response.socket?.end());
};
const chunksWithoutAnEnd: Trouble = (response) => {
  response.writeHead(200, { 'transfer-encoding': 'chunked' });
  response.write(RIGHT.slice(0, 40), () => response.socket?.end());
};
const silence: Trouble = () => undefined;
const bodyThatStops: Trouble = (response) => {
  response.writeHead(200, { 'content-length': String(RIGHT.length) });
  response.write(RIGHT.slice(0, 40));
};

describe('a trouble that passes ends in the answer', () => {
  it.each<[string, Trouble]>([
    ['500', status(500)],
    ['503', status(503)],
    ['503 that says when', status(503, { 'retry-after': '0' })],
    ['429', status(429)],
    ['429 that says when', status(429, { 'retry-after': '0' })],
    ['a connection reset before the answer', reset],
    ['a connection reset in the middle of it', resetInTheMiddle],
    ['a connection that ends before the length it announced', endsTooSoon],
    ['a chunked body without its end', chunksWithoutAnEnd],
  ])('%s', async (_, trouble) => {
    const asker = await open(times(TWICE, trouble));
    expect(await asker.latestPrudentialSummary()).toMatchObject({ tradingMargin: '-1.10' });
    expect(market?.requests()).toBe(3);
  });

  it.each<[string, Trouble]>([
    ['no answer', silence],
    ['a body that stops', bodyThatStops],
  ])('%s, cut off at the time-out', async (_, trouble) => {
    const asker = await open(times(TWICE, trouble), { timeoutMs: 1_500 });
    expect(await asker.latestPrudentialSummary()).toMatchObject({ tradingMargin: '-1.10' });
  });

  it('latency below the time-out is only waited for', async () => {
    const asker = await open([(response) => void setTimeout(() => body(RIGHT)(response), 50)]);
    expect(await asker.latestPrudentialSummary()).toBeDefined();
    expect(market?.requests()).toBe(1);
  });
});

describe('a trouble that lasts ends in its named error', () => {
  it.each<[string, Trouble, object, number]>([
    ['503', status(503), { name: 'ReportingUnavailableError', status: 503 }, 3],
    ['429', status(429), { name: 'ReportingUnavailableError', status: 429 }, 3],
    [
      '429 for longer than anybody waits',
      status(429, { 'retry-after': '60' }),
      { name: 'ReportingUnavailableError', status: 429, retryAfterMs: 60_000 },
      1,
    ],
    ['resets', reset, { name: 'ReportingUnavailableError', cause: { reason: 'connection' } }, 3],
    [
      'half an answer',
      endsTooSoon,
      { name: 'ReportingUnavailableError', cause: { reason: 'connection' } },
      3,
    ],
    ['JSON that is cut off', body(RIGHT.slice(0, -5)), { name: 'MalformedResponseError', path: '' }, 1],
    [
      'another content type',
      body(RIGHT, { 'content-type': 'text/html' }),
      { name: 'MalformedResponseError', path: '' },
      1,
    ],
  ])('%s', async (_, trouble, expected, requests) => {
    const asker = await open(times(9, trouble));
    await expect(asker.latestPrudentialSummary()).rejects.toMatchObject(expected);
    expect(market?.requests()).toBe(requests);
  });

  it('a required property that is missing is named by its path', async () => {
    const without = serialiseJson(change(STATEMENT, 'tradingDays[0].variables[1].pOrC', ABSENT));
    const asker = await open([body(`{"data":${without}}`)]);
    await expect(asker.statement('WEM', parseMarketDate('2026-03-05'), 'INITIAL')).rejects.toMatchObject({
      name: 'MalformedResponseError',
      path: 'data.tradingDays[0].variables[1].pOrC',
    });
  });

  it('and the next question is answered again', async () => {
    const asker = await open(times(3, reset));
    await expect(asker.latestPrudentialSummary()).rejects.toMatchObject({
      name: 'ReportingUnavailableError',
    });
    expect(await asker.latestPrudentialSummary()).toBeDefined();
  });
});

it('an extra property is dropped and told; nothing else is lost', async () => {
  const told: string[] = [];
  const asker = await open([body(RIGHT.replace('{"data":{', '{"data":{"added":{"deep":[1]},'))], {
    onUnknownProperties: (_, paths) => told.push(...paths),
  });
  expect(await asker.latestPrudentialSummary()).toEqual({
    participantCode: 'PART1',
    tradingDay: '2026-03-05T00:00:00',
    outstandingAmount: '12345678901234567.89',
    tradingMargin: '-1.10',
    calculatedAt: '2026-03-05T12:34:56',
  });
  expect(told).toEqual(['data.added']);
});

it.each([
  ['behind', -6],
  ['ahead', 6],
])('a clock of the market that is hours %s does not change how long it asks to wait', async (_, hours) => {
  const clock = Date.now() + hours * 3_600_000;
  const at = (ms: number): string => new Date(clock + ms).toUTCString();
  const asker = await open(times(9, status(503, { date: at(0), 'retry-after': at(7_000) })));
  await expect(asker.latestPrudentialSummary()).rejects.toMatchObject({ retryAfterMs: 7_000 });
});
