import { NO_RETRY, parseMarketDate, ReportingClient, type ReportingClientOptions } from '@ssb/market';
import { type Fault, OperatorClient } from '@ssb/market-admin';
import { waitFor } from '@ssb/testing';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { Agent, request } from 'undici';
import { type RunningReporting, runReporting } from './support/running-reporting.js';
import { startTokenEndpoint, type TestTokens } from './support/token-endpoint.js';
import * as record from './support/records.js';

/** Every switch for fault against the client that the bridge uses, over real TLS. */

let reporting: RunningReporting;
let participantTokens: TestTokens;
let operatorTokens: TestTokens;
let operator: OperatorClient;
let client: ReportingClient;
const unknownProperties: string[] = [];
const opened: ReportingClient[] = [];

const WEEK = parseMarketDate('2026-03-01');

beforeAll(async () => {
  reporting = await runReporting();
  participantTokens = await startTokenEndpoint(
    reporting.tokens,
    'SETTLEMENT|WPGENCO|R SETTLEMENT|OTHER|R PRUDENTIAL|WPGENCO|R',
  );
  operatorTokens = await startTokenEndpoint(
    reporting.tokens,
    'MARKETRECORDS|OPERATOR|CR MARKETFAULTS|OPERATOR|CRD',
  );
  operator = new OperatorClient({ baseUrl: reporting.operatorUrl, tokenSource: operatorTokens.source });
  client = openClient();
  await reporting.post('/operator/v1/statements', record.statementLoad(7));
});

beforeEach(async () => {
  await operator.clearFaults();
  unknownProperties.length = 0;
});

afterAll(async () => {
  for (const one of opened) await one.close();
  await operator.close();
  await operatorTokens.close();
  await participantTokens.close();
  await reporting.close();
});

function openClient(options: Partial<ReportingClientOptions> = {}): ReportingClient {
  const one = new ReportingClient({
    baseUrl: reporting.participantsUrl,
    tokenSource: participantTokens.source,
    tls: { ca: reporting.authority.cert, ...reporting.wpgenco },
    retry: NO_RETRY,
    onUnknownProperties: (_resource, paths) => unknownProperties.push(...paths),
    ...options,
  });
  opened.push(one);
  return one;
}

const ask = (by = client) => by.statement('WEM', WEEK, 'INITIAL');

/** What was loaded comes, whole. */
async function expectRecovered(): Promise<void> {
  expect(await ask()).toMatchObject({
    runId: 7,
    tradingDays: [{ variables: [{ value: '123456789012345.12345678' }] }],
  });
}

describe('a fault that the client names', () => {
  it.each<[Fault, object]>([
    [
      { kind: 'error', status: 500, times: 2 },
      { name: 'ReportingUnavailableError', status: 500, retryAfterMs: undefined },
    ],
    [
      { kind: 'error', status: 503, retryAfterSeconds: 7, times: 2 },
      { name: 'ReportingUnavailableError', status: 503, retryAfterMs: 7_000 },
    ],
    [
      { kind: 'connection-reset', when: 'before-answer', times: 2 },
      { name: 'ReportingUnavailableError', cause: { reason: 'connection' } },
    ],
    [
      { kind: 'connection-reset', when: 'in-body', times: 2 },
      { name: 'ReportingUnavailableError', cause: { reason: 'connection' } },
    ],
    [
      { kind: 'truncated-json', contentLength: 'of-whole', times: 2 },
      { name: 'ReportingUnavailableError', cause: { reason: 'connection' } },
    ],
    [
      { kind: 'truncated-json', contentLength: 'of-half', times: 2 },
      { name: 'MalformedResponseError', path: '' },
    ],
    [{ kind: 'wrong-content-type', contentType: 'text/html', times: 2 }, { name: 'MalformedResponseError' }],
    [
      { kind: 'missing-property', property: 'pOrC', times: 2 },
      { name: 'MalformedResponseError', path: 'data.tradingDays[0].variables[0].pOrC' },
    ],
    [
      { kind: 'missing-property', property: 'data', times: 2 },
      { name: 'MalformedResponseError', path: 'data' },
    ],
  ])('%j: named as often as it comes, then success', async (fault, error) => {
    await operator.injectFault(fault);
    await expect(ask()).rejects.toMatchObject(error);
    await expect(ask()).rejects.toMatchObject(error);
    await expectRecovered();
    expect(await operator.faults()).toEqual([]);
  });

  it.each<[boolean, object]>([
    [true, { retryAfterMs: expect.any(Number) }],
    [false, { retryAfterMs: undefined }],
  ])('rate-limit, with Retry-After: %s', async (retryAfter, error) => {
    await operator.injectFault({ kind: 'rate-limit', perMinute: 2, retryAfter, times: 2 });
    await ask();
    await ask();
    const refused = { name: 'ReportingUnavailableError', status: 429, ...error };
    await expect(ask()).rejects.toMatchObject(refused);
    await expect(ask()).rejects.toMatchObject(refused);
    await expectRecovered();
  });

  it('a latency beyond its time-out', async () => {
    await operator.injectFault({ kind: 'latency', ms: 60_000, forSeconds: 600 });
    await expect(ask(openClient({ timeoutMs: 1_500 }))).rejects.toMatchObject({
      name: 'ReportingUnavailableError',
      cause: { reason: 'timeout' },
    });
    await operator.clearFaults();
    await expectRecovered();
  });

  it('a clock so far ahead that every token has expired', async () => {
    await operator.injectFault({ kind: 'clock-skew', seconds: 3_600, forSeconds: 60 });
    await expect(ask()).rejects.toMatchObject({ name: 'ReportingForbiddenError', status: 403 });
    await operator.clearFaults();
    await expectRecovered();
  });
});

describe('a fault that the client overcomes by itself', () => {
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
  });

  it('counts the properties that it does not know, by their paths', async () => {
    await operator.injectFault({
      kind: 'unknown-property',
      property: 'surprise',
      where: 'in-data',
      times: 1,
    });
    await ask();
    expect(unknownProperties).toEqual(['data.surprise']);
  });

  it('a failure that passes, by asking again', async () => {
    const patient = openClient({ retry: { attempts: 3, longestPauseMs: 20 } });
    await operator.injectFault({ kind: 'error', status: 503, times: 1 });
    await operator.injectFault({ kind: 'connection-reset', when: 'in-body', times: 1 });
    expect(await ask(patient)).toMatchObject({ runId: 7 });
    expect(await operator.faults()).toEqual([]);
  });
});

describe('whom and what a fault hits', () => {
  it('only its participant', async () => {
    const other = openClient({
      tls: { ca: reporting.authority.cert, ...(await reporting.authority.issue({ commonName: 'OTHER' })) },
    });
    await operator.injectFault({ kind: 'error', status: 500, participant: 'OTHER', forSeconds: 60 });
    await expectRecovered();
    await expect(ask(other)).rejects.toMatchObject({ status: 500 });
  });

  it('only its path', async () => {
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
  ])('its path however that is written: %s', async (_how, target) => {
    const path = '/api/v2/settlements/*/invoice/2026-03-01/INITIAL';
    await operator.injectFault({ kind: 'error', status: 500, path, forSeconds: 60 });
    expect(await statusOf(target())).toBe(500);
  });

  it('each participant by its own count of requests, 50 a minute unless told otherwise', async () => {
    const other = openClient({
      tls: { ca: reporting.authority.cert, ...(await reporting.authority.issue({ commonName: 'OTHER' })) },
    });
    await operator.injectFault({ kind: 'rate-limit', retryAfter: false, forSeconds: 3_600 });
    for (let count = 0; count < 50; count += 1) await ask();
    await expect(ask()).rejects.toMatchObject({ status: 429 });
    expect(await ask(other)).toBeUndefined();
  });

  it('nobody at the operator’s door', async () => {
    await operator.injectFault({ kind: 'error', status: 500, forSeconds: 60 });
    expect(await operator.faults()).toHaveLength(1);
  });

  it('nobody once its time has passed', async () => {
    await operator.injectFault({ kind: 'error', status: 500, forSeconds: 1 });
    await waitFor('the end of the fault', async () => (await operator.faults()).length === 0);
    await expectRecovered();
  });
});

it('shows a wrong clock in the Date header', async () => {
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

it('counts what it spoils by kind', async () => {
  await operator.injectFault({ kind: 'latency', ms: 1, times: 1 });
  const before = await latenciesApplied();
  await ask();
  expect(await latenciesApplied()).toBe(before + 1);
});

it('lets no request wait when the server ends', async () => {
  await operator.injectFault({ kind: 'latency', ms: 60_000, forSeconds: 60 });
  const waiting = ask(openClient({ timeoutMs: 50_000 })).catch((error: unknown) => error);
  await waitFor('the fault', async () => (await operator.faults())[0]?.applied === 1);
  await reporting.close();
  expect(await waiting).toMatchObject({ runId: 7 });
});

/** Asks for the target as it is given, which clients would write in one way alone. */
async function statusOf(target: string): Promise<number | undefined> {
  const { hostname, port } = new URL(reporting.participantsUrl);
  const tls = { ca: reporting.authority.cert, ...reporting.wpgenco };
  const asked = httpsRequest({ hostname, port, path: target, agent: false, ...tls }).end();
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  answer.resume();
  return answer.statusCode;
}

async function latenciesApplied(): Promise<number> {
  const { body } = await request(`${reporting.operatorUrl}/metrics`);
  const [, count] = /reporting_troubles_applied_total\{kind="latency"\} (\d+)/.exec(await body.text()) ?? [];
  return Number(count ?? 0);
}
