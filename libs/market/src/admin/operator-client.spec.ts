import { TokenSource } from '@ssb/net';
import { parseJson, serialiseJson } from '../values/json.js';
import { parseMarketDate, parseMarketDateTime } from '../values/market-time.js';
import { PrudentialCalculation } from '../resources/prudential/prudential-calculation.js';
import { SettlementCycleTimeline } from '../resources/settlement/settlement-cycle-timeline.js';
import { SettlementInvoice } from '../resources/invoice/settlement-invoice.js';
import { SettlementOutput } from '../resources/prudential/settlement-output.js';
import { SettlementOutputDetails } from '../resources/settlement/settlement-output-details.js';
import { SettlementStatementSummary } from '../resources/settlement/settlement-statement-summary.js';

import { type Reply, type ScriptedServer, startScriptedServer } from '@ssb/testing/in-process';
import {
  CALCULATION,
  INVOICE,
  OUTPUT,
  OUTPUT_DETAILS,
  STATEMENT,
  TIMELINE,
} from '@ssb/testing/market-records';
import type { BulkLine } from './bulk-records.js';
import type { Fault } from './faults.js';
import { OperatorClient } from './operator-client.js';

const calculation = PrudentialCalculation.strict.parse(parseJson(CALCULATION));
const statement = SettlementStatementSummary.strict.parse(parseJson(STATEMENT));
const invoice = SettlementInvoice.strict.parse(parseJson(INVOICE));
const timeline = SettlementCycleTimeline.strict.parse(parseJson(TIMELINE));
const output = SettlementOutput.strict.parse(parseJson(OUTPUT));
const details = SettlementOutputDetails.strict.parse(parseJson(OUTPUT_DETAILS));
const calculatedAt = parseMarketDateTime('2026-03-06T04:00:00');
const periodFrom = parseMarketDate('2026-03-05');
const invoiceKey = {
  participantCode: 'PART1',
  marketService: 'WEM',
  periodFrom,
  designation: 'INITIAL',
} as const;

let operatorApi: ScriptedServer;
let tokenService: ScriptedServer;
let tokens: TokenSource;
let client: OperatorClient;

beforeAll(async () => {
  operatorApi = await startScriptedServer();
  tokenService = await startScriptedServer();
  tokenService.respond = () => ({ body: '{"access_token":"t","expires_in":60}' });
});

beforeEach(() => {
  operatorApi.received.length = 0;
  tokens = new TokenSource({ authUrl: tokenService.url, clientId: 'operator', clientSecret: 's' });
  client = new OperatorClient({ baseUrl: operatorApi.url, tokenSource: tokens });
});

afterEach(async () => {
  await client.close();
  await tokens.close();
});

afterAll(async () => {
  await operatorApi.stop();
  await tokenService.stop();
});

const compact = (text: string): string => serialiseJson(parseJson(text));

describe('OperatorClient', () => {
  it.each([
    [
      'prudential',
      { participantCode: 'PART1', calculation },
      `{"participantCode":"PART1","calculation":${compact(CALCULATION)}}`,
    ],
    [
      'prudential-details',
      { participantCode: 'PART1', calculatedAt, output },
      `{"participantCode":"PART1","calculatedAt":"2026-03-06T04:00:00","output":${compact(OUTPUT)}}`,
    ],
    [
      'prudential-estimations',
      { participantCode: 'PART1', calculatedAt, output },
      `{"participantCode":"PART1","calculatedAt":"2026-03-06T04:00:00","output":${compact(OUTPUT)}}`,
    ],
    ['statements', { statement }, `{"statement":${compact(STATEMENT)}}`],
    [
      'statement-details',
      { details: { ...details, marketService: 'WEM' } },
      `{"details":${compact(OUTPUT_DETAILS).replace('NSTEM', 'WEM')}}`,
    ],
    ['statement-estimations', { details }, `{"details":${compact(OUTPUT_DETAILS)}}`],
    [
      'invoices',
      { ...invoiceKey, designation: 'ADJ3', invoice },
      '{"participantCode":"PART1","marketService":"WEM","periodFrom":"2026-03-05","designation":"ADJ3",' +
        `"invoice":${compact(INVOICE)}}`,
    ],
    ['timelines', { timeline }, `{"timeline":${compact(TIMELINE)}}`],
  ])('posts %s with every digit', async (kind, record, body) => {
    operatorApi.respond = () => ({ status: 201, body: '{"loaded":true}' });
    expect(await client.load({ kind, record } as BulkLine)).toEqual({ loaded: true });
    expect(operatorApi.received[0]).toMatchObject({
      method: 'POST',
      url: `/operator/v1/${kind}`,
      headers: { authorization: 'Bearer t', 'content-type': 'application/json' },
      body,
    });
  });

  it('returns loaded: false for a record that exists already', async () => {
    operatorApi.respond = () => ({ status: 200, body: '{"loaded":false}' });
    expect(await client.load({ kind: 'statements', record: { statement } })).toEqual({ loaded: false });
  });

  it('does not send a record that breaks document 000', async () => {
    await expect(
      client.load({ kind: 'statements', record: { statement: { ...statement, runId: 0 } } }),
    ).rejects.toMatchObject({
      name: 'InvalidRecordError',
      issues: [{ path: 'statement.runId' }],
    });
    expect(operatorApi.received).toHaveLength(0);
  });

  it('sends estimations of NSTEM only (document 000, operation 7)', async () => {
    await expect(
      client.load({
        kind: 'statement-estimations',
        record: { details: { ...details, marketService: 'WEM' } },
      }),
    ).rejects.toMatchObject({
      name: 'InvalidRecordError',
      issues: [{ path: 'details.marketService' }],
    });
    expect(operatorApi.received).toHaveLength(0);
  });

  it.each([
    ['refused', { status: 400, body: '{"detail":"no"}' }, { name: 'OperatorRefusedError', status: 400 }],
    ['in conflict', { status: 409, body: '{}' }, { name: 'OperatorRefusedError', status: 409 }],
    ['temporarily unavailable', { status: 503 }, { name: 'OperatorUnavailableError', status: 503 }],
    ['not from the operator API', { body: '<html>' }, { name: 'OperatorUnavailableError', status: 200 }],
  ])('throws the named error when the response is %s', async (_, reply, fields) => {
    operatorApi.respond = () => reply;
    await expect(client.load({ kind: 'timelines', record: { timeline } })).rejects.toMatchObject(fields);
  });
});

describe('OperatorClient, bulk loading', () => {
  it('posts JSON lines with every digit and returns the number of new records', async () => {
    operatorApi.respond = () => ({ status: 201, body: '{"loaded":2,"alreadyThere":0}' });
    const response = await client.loadAll([
      { kind: 'statements', record: { statement } },
      { kind: 'timelines', record: { timeline } },
    ]);
    expect(response).toEqual({ loaded: 2, alreadyThere: 0 });
    expect(operatorApi.received).toMatchObject([
      {
        method: 'POST',
        url: '/operator/v1/records',
        headers: { 'content-type': 'application/x-ndjson' },
        body:
          `{"kind":"statements","record":{"statement":${compact(STATEMENT)}}}\n` +
          `{"kind":"timelines","record":{"timeline":${compact(TIMELINE)}}}\n`,
      },
    ]);
  });

  it('sends nothing when one record is invalid', async () => {
    const wrong = { ...statement, runId: 0 };
    const loading = client.loadAll([
      { kind: 'timelines', record: { timeline } },
      { kind: 'statements', record: { statement: wrong } },
    ]);
    await expect(loading).rejects.toMatchObject({ name: 'InvalidRecordError' });
    expect(operatorApi.received).toHaveLength(0);
  });
});

describe('OperatorClient, injected faults', () => {
  const FAULTS = '/operator/v1/faults';
  const fault: Fault = { kind: 'error', status: 503, retryAfterSeconds: 5, times: 3 };

  it('does not send a fault without a limit', async () => {
    await expect(client.injectFault({ kind: 'latency', ms: 5 })).rejects.toMatchObject({
      name: 'InvalidRecordError',
      issues: [{ path: '', message: expect.stringContaining('forSeconds') }],
    });
    expect(operatorApi.received).toHaveLength(0);
  });

  it.each([
    ['one of them', 7, `${FAULTS}/7`],
    ['all of them', undefined, FAULTS],
  ])('clears %s', async (_what, id, url) => {
    operatorApi.respond = () => ({ body: '{"cleared":1}' });
    expect(await client.clearFaults(id)).toBe(1);
    expect(operatorApi.received).toMatchObject([{ method: 'DELETE', url, body: '' }]);
  });

  it.each<[string, Reply, object]>([
    ['too many faults', { status: 409, body: '{}' }, { name: 'OperatorRefusedError', status: 409 }],
    ['a failing service', { status: 500 }, { name: 'OperatorUnavailableError', status: 500 }],
    ['a malformed response', { body: '{"faults":[{}]}' }, { name: 'OperatorUnavailableError', status: 200 }],
  ])('throws the named error for %s', async (_what, reply, fields) => {
    operatorApi.respond = () => reply;
    await expect(client.injectFault(fault)).rejects.toMatchObject(fields);
    await expect(client.faults()).rejects.toMatchObject(fields);
    await expect(client.clearFaults()).rejects.toMatchObject(fields);
  });
});
