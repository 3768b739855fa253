import {
  NO_RETRY,
  parseMarketDate,
  ReportingClient,
  type ReportingClientOptions,
  type TokenProvider,
} from '@ssb/market';
import { type Fault, OperatorClient } from '@ssb/market/admin';
import { waitFor } from '@ssb/testing';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { Agent, request } from 'undici';
import { type RunningReporting, runReporting } from './support/running-reporting.js';
import * as record from './support/records.js';

/** Every kind of fault, seen by the client that the bridge uses, over real TLS. */

let reporting: RunningReporting;
let operator: OperatorClient;
let client: ReportingClient;
const unknownProperties: string[] = [];
const opened: ReportingClient[] = [];

const WEEK = parseMarketDate('2026-03-01');

beforeAll(async () => {
  reporting = await runReporting();
  const tokenSource = tokensFor('MARKETRECORDS|OPERATOR|CR MARKETFAULTS|OPERATOR|CRD');
  operator = new OperatorClient({ baseUrl: reporting.operatorUrl, tokenSource });
  client = openClient();
  await reporting.post('/operator/v1/statements', record.statementLoad(7));
});

beforeEach(async () => {
  await operator.clearFaults();
  unknownProperties.length = 0;
});

afterAll(async () => {
  for (const each of opened) await each.close();
  await operator.close();
  await reporting.close();
});

/** A new token for each request. */
function tokensFor(scope: string): TokenProvider {
  const token = async () => ({
    value: await reporting.tokens.sign(scope),
    scope,
    obtainedAt: Date.now(),
    expiresAt: Date.now() + 300_000,
  });
  return { token, replaceToken: (refused) => Promise.resolve(refused) };
}

function openClient(options: Partial<ReportingClientOptions> = {}): ReportingClient {
  const one = new ReportingClient({
    baseUrl: reporting.participantsUrl,
    tokenSource: tokensFor('SETTLEMENT|WPGENCO|R SETTLEMENT|OTHER|R PRUDENTIAL|WPGENCO|R'),
    tls: { ca: reporting.authority.cert, ...reporting.wpgenco },
    retry: NO_RETRY,
    onUnknownProperties: (_resource, paths) => unknownProperties.push(...paths),
    ...options,
  });
  opened.push(one);
  return one;
}

const requestStatement = (by = client) => by.statement('WEM', WEEK, 'INITIAL');

/** The whole statement is received. */
async function expectRecovered(): Promise<void> {
  expect(await requestStatement()).toMatchObject({
    runId: 7,
    tradingDays: [{ variables: [{ value: '123456789012345.12345678' }] }],
  });
}

describe('a fault that the client reports as a named error', () => {
  const unavailable = { name: 'ReportingUnavailableError' };
  const broken = { ...unavailable, cause: { reason: 'connection' } };
  const malformed = (path?: string) => ({
    name: 'MalformedResponseError',
    ...(path !== undefined && { path }),
  });

  it.each<[Fault, object]>([
    [
      { kind: 'error', status: 500 },
      { ...unavailable, status: 500, retryAfterMs: undefined },
    ],
    [
      { kind: 'error', status: 503, retryAfterSeconds: 7 },
      { ...unavailable, status: 503, retryAfterMs: 7_000 },
    ],
    [{ kind: 'connection-reset', when: 'before-response' }, broken],
    [{ kind: 'connection-reset', when: 'in-body' }, broken],
    [{ kind: 'truncated-json', contentLength: 'of-whole' }, broken],
    [{ kind: 'truncated-json', contentLength: 'of-half' }, malformed('')],
    [{ kind: 'wrong-content-type', contentType: 'text/html' }, malformed()],
    [{ kind: 'missing-property', property: 'pOrC' }, malformed('data.tradingDays[0].variables[0].pOrC')],
    [{ kind: 'missing-property', property: 'data' }, malformed('data')],
  ])('%j: an error for each application, then success', async (fault, error) => {
    await operator.injectFault({ ...fault, times: 2 });
    await expect(requestStatement()).rejects.toMatchObject(error);
    await expect(requestStatement()).rejects.toMatchObject(error);
    await expectRecovered();
    expect(await operator.faults()).toEqual([]);
  });

  it.each<[boolean, object]>([
    [true, { retryAfterMs: expect.any(Number) }],
    [false, { retryAfterMs: undefined }],
  ])('rate-limit, with Retry-After: %s', async (retryAfter, error) => {
    await operator.injectFault({ kind: 'rate-limit', perMinute: 2, retryAfter, times: 2 });
    await requestStatement();
    await requestStatement();
    const refused = { name: 'ReportingUnavailableError', status: 429, ...error };
    await expect(requestStatement()).rejects.toMatchObject(refused);
    await expect(requestStatement()).rejects.toMatchObject(refused);
    await expectRecovered();
  });

  it('a latency beyond the timeout', async () => {
    await operator.injectFault({ kind: 'latency', ms: 60_000, forSeconds: 600 });
    await expect(requestStatement(openClient({ timeoutMs: 1_500 }))).rejects.toMatchObject({
      name: 'ReportingUnavailableError',
      cause: { reason: 'timeout' },
    });
    await operator.clearFaults();
    await expectRecovered();
  });

  it('a clock so far ahead that every token has expired', async () => {
    await operator.injectFault({ kind: 'clock-skew', seconds: 3_600, forSeconds: 60 });
    await expect(requestStatement()).rejects.toMatchObject({ name: 'ReportingForbiddenError', status: 403 });
    await operator.clearFaults();
    await expectRecovered();
  });
});

describe('a fault that the client tolerates', () => {
  it.each<Fault>([
    { kind: 'latency', ms: 50, times: 1 },
    { kind: 'unknown-property', property: 'surprise', where: 'beside-data', times: 1 },
    { kind: 'unknown-property', property: 'surprise', where: 'in-data', times: 1 },
    { kind: 'clock-skew', seconds: -3_600, times: 1 },
    { kind: 'clock-skew', seconds: 60, times: 1 },
  ])('%j', async (fault) => {
    await operator.injectFault(fault);
    await expectRecovered();
    expect(await operator.faults()).toEqual([]);
    const path =
      fault.kind === 'unknown-property' && (fault.where === 'in-data' ? 'data.surprise' : 'surprise');
    expect(unknownProperties).toEqual(path ? [path] : []);
  });

  it('a temporary failure, after which it retries', async () => {
    const retrying = openClient({ retry: { attempts: 3, maxDelayMs: 20 } });
    await operator.injectFault({ kind: 'error', status: 503, times: 1 });
    await operator.injectFault({ kind: 'connection-reset', when: 'in-body', times: 1 });
    expect(await requestStatement(retrying)).toMatchObject({ runId: 7 });
    expect(await operator.faults()).toEqual([]);
  });
});

describe('a fault affects', () => {
  it('only its own participant', async () => {
    const other = openClient({
      tls: { ca: reporting.authority.cert, ...(await reporting.authority.issue({ commonName: 'OTHER' })) },
    });
    await operator.injectFault({ kind: 'error', status: 500, participant: 'OTHER', forSeconds: 60 });
    await expectRecovered();
    await expect(requestStatement(other)).rejects.toMatchObject({ status: 500 });
  });

  it('only its own path', async () => {
    await operator.injectFault({
      kind: 'error',
      status: 500,
      path: '/api/v2/settlements/*/invoice/**',
      forSeconds: 60,
    });
    await expectRecovered();
    await expect(client.invoice('WEM', WEEK, 'INITIAL')).rejects.toMatchObject({ status: 500 });
  });

  it.each([
    ['escaped', () => '/api/v2/%73ettlements/WEM/invoice/2026-03-01/INITIA%4C'],
    [
      'in absolute form',
      () => `${reporting.participantsUrl}/api/v2/settlements/WEM/invoice/2026-03-01/INITIAL`,
    ],
  ])('its own path in every notation: %s', async (_notation, target) => {
    const path = '/api/v2/settlements/*/invoice/2026-03-01/INITIAL';
    await operator.injectFault({ kind: 'error', status: 500, path, forSeconds: 60 });
    expect(await statusOf(target())).toBe(500);
  });

  it('no request after its time', async () => {
    await operator.injectFault({ kind: 'error', status: 500, forSeconds: 1 });
    await waitFor('the end of the fault', async () => (await operator.faults()).length === 0);
    await expectRecovered();
  });
});

it('sends the skewed clock in the Date header', async () => {
  await operator.injectFault({ kind: 'clock-skew', seconds: -7_200, times: 1 });
  const dispatcher = new Agent({ connect: { ca: reporting.authority.cert, ...reporting.wpgenco } });
  const { headers, body } = await request(`${reporting.participantsUrl}/api/v2/prudential/summary/latest`, {
    dispatcher,
  });
  await body.dump();
  await dispatcher.close();
  const behindMs = Date.now() - Date.parse(String(headers['date']));
  expect(Math.round(behindMs / 3_600_000)).toBe(2);
});

it('ends delays when the server shuts down', async () => {
  await operator.injectFault({ kind: 'latency', ms: 60_000, forSeconds: 60 });
  const waiting = requestStatement(openClient({ timeoutMs: 50_000 })).catch((error: unknown) => error);
  await waitFor('the fault', async () => (await operator.faults())[0]?.applied === 1);
  await reporting.close();
  expect(await waiting).toMatchObject({ runId: 7 });
});

/** Requests the exact target, which other clients would normalise. */
async function statusOf(target: string): Promise<number | undefined> {
  const { hostname, port } = new URL(reporting.participantsUrl);
  const tls = { ca: reporting.authority.cert, ...reporting.wpgenco };
  const sent = httpsRequest({ hostname, port, path: target, agent: false, ...tls }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.resume();
  return response.statusCode;
}
