import { TokenSource } from '@ssb/net';
import {
  type FaultHandler,
  type FaultyServer,
  type ScriptedServer,
  startFaultyServer,
  startScriptedServer,
} from '@ssb/testing/in-process';
import { PRUDENTIAL_SUMMARY } from '@ssb/testing/market-records';
import type { ReportingClientOptions } from './reporting-client-options.js';
import { ReportingClient } from './reporting-client.js';

const VALID = `{"data":${PRUDENTIAL_SUMMARY}}`;
const TWICE = 2;

let tokenService: ScriptedServer;
let tokens: TokenSource;
let market: FaultyServer | undefined;
let client: ReportingClient | undefined;

beforeEach(async () => {
  tokenService = await startScriptedServer();
  tokenService.respond = () => ({ body: '{"access_token":"t","expires_in":3600}' });
  tokens = new TokenSource({ authUrl: tokenService.url, clientId: 'c', clientSecret: 's' });
});

afterEach(async () => {
  await market?.stop();
  await client?.close();
  await tokens.close();
  await tokenService.stop();
});

async function open(
  faults: readonly FaultHandler[],
  options: Partial<ReportingClientOptions> = {},
): Promise<ReportingClient> {
  market = await startFaultyServer(VALID, faults);
  client = new ReportingClient({
    baseUrl: market.url,
    tokenSource: tokens,
    // Almost no delay; retry-policy.spec.ts tests the delays.
    retry: { attempts: 3, maxDelayMs: 1 },
    ...options,
  });
  return client;
}

const repeat = (count: number, fault: FaultHandler): FaultHandler[] =>
  Array.from({ length: count }, () => fault);
const status =
  (code: number, headers: Record<string, string> = {}): FaultHandler =>
  (response) =>
    void response.writeHead(code, headers).end('{"status":"fault"}');
const body =
  (text: string, headers: Record<string, string> = { 'content-type': 'application/json' }): FaultHandler =>
  (response) =>
    void response.writeHead(200, headers).end(text);
const reset: FaultHandler = (response) => void response.socket?.resetAndDestroy();
const resetInBody: FaultHandler = (response) => {
  response.writeHead(200, { 'content-length': String(VALID.length) });
  response.write(VALID.slice(0, 40), () => response.socket?.resetAndDestroy());
};
const endOfConnectionInBody: FaultHandler = (response) => {
  response.writeHead(200, { 'content-length': String(VALID.length) });
  response.write(VALID.slice(0, 40), () => response.socket?.end());
};
const chunksWithoutEnd: FaultHandler = (response) => {
  response.writeHead(200, { 'transfer-encoding': 'chunked' });
  response.write(VALID.slice(0, 40), () => response.socket?.end());
};
const noResponse: FaultHandler = () => undefined;
const incompleteBody: FaultHandler = (response) => {
  response.writeHead(200, { 'content-length': String(VALID.length) });
  response.write(VALID.slice(0, 40));
};

describe('after a temporary fault the operation succeeds', () => {
  it.each<[string, FaultHandler]>([
    ['500', status(500)],
    ['503', status(503)],
    ['429', status(429)],
    ['429 with Retry-After', status(429, { 'retry-after': '0' })],
    ['a connection reset before the response', reset],
    ['a connection reset in the body', resetInBody],
    ['a connection that ends before the content length', endOfConnectionInBody],
    ['a chunked body without an end', chunksWithoutEnd],
  ])('%s', async (_, fault) => {
    const reporting = await open(repeat(TWICE, fault));
    expect(await reporting.latestPrudentialSummary()).toMatchObject({ tradingMargin: '-1.10' });
    expect(market?.requests()).toBe(3);
  });

  it('no response, then an incomplete body, each ended by the timeout', async () => {
    // A busy machine may exceed the timeout again.
    const retry = { attempts: 60, maxDelayMs: 1 };
    const reporting = await open([noResponse, incompleteBody], { timeoutMs: 1_000, retry });
    expect(await reporting.latestPrudentialSummary()).toMatchObject({ tradingMargin: '-1.10' });
    expect(market?.requests()).toBeGreaterThanOrEqual(3);
  });
});

describe('a permanent fault throws its named error', () => {
  it.each<[string, FaultHandler, object, number]>([
    ['503', status(503), { name: 'ReportingUnavailableError', status: 503 }, 3],
    [
      '429 with a Retry-After over the maximum delay',
      status(429, { 'retry-after': '60' }),
      { name: 'ReportingUnavailableError', status: 429, retryAfterMs: 60_000 },
      1,
    ],
    ['resets', reset, { name: 'ReportingUnavailableError', cause: { reason: 'connection' } }, 3],
    ['truncated JSON', body(VALID.slice(0, -5)), { name: 'MalformedResponseError', path: '' }, 1],
    [
      'another content type',
      body(VALID, { 'content-type': 'text/html' }),
      { name: 'MalformedResponseError', path: '' },
      1,
    ],
  ])('%s', async (_, fault, expected, requests) => {
    const reporting = await open(repeat(9, fault));
    await expect(reporting.latestPrudentialSummary()).rejects.toMatchObject(expected);
    expect(market?.requests()).toBe(requests);
  });
});

it.each([
  ['behind', -6],
  ['ahead', 6],
])('a clock of the market that is hours %s does not change its Retry-After', async (_, hours) => {
  const clock = Date.now() + hours * 3_600_000;
  const at = (ms: number): string => new Date(clock + ms).toUTCString();
  const reporting = await open(repeat(9, status(503, { date: at(0), 'retry-after': at(7_000) })));
  await expect(reporting.latestPrudentialSummary()).rejects.toMatchObject({ retryAfterMs: 7_000 });
});
