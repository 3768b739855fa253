import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { TokenSource } from '../client/token-source.js';
import { parseJson, serialiseJson } from '../json.js';
import { parseMarketDate } from '../market-time.js';
import { PrudentialCalculation } from '../resources/prudential-calculation.js';
import { SettlementCycleTimeline } from '../resources/settlement-cycle-timeline.js';
import { SettlementInvoice } from '../resources/settlement-invoice.js';
import { SettlementStatementSummary } from '../resources/settlement-statement-summary.js';
import { CALCULATION, INVOICE, STATEMENT, TIMELINE } from '../testing/records.js';
import { type ScriptedServer, startScriptedServer } from '../testing/scripted-server.js';
import { OperatorClient } from './operator-client.js';

const calculation = PrudentialCalculation.strict.parse(parseJson(CALCULATION));
const statement = SettlementStatementSummary.strict.parse(parseJson(STATEMENT));
const invoice = SettlementInvoice.strict.parse(parseJson(INVOICE));
const timeline = SettlementCycleTimeline.strict.parse(parseJson(TIMELINE));
const periodFrom = parseMarketDate('2026-03-05');
const around = {
  participantCode: 'PART1',
  marketService: 'WEM',
  periodFrom,
  designation: 'INITIAL',
} as const;

let door: ScriptedServer;
let tokenService: ScriptedServer;
let tokens: TokenSource;
let client: OperatorClient;

beforeAll(async () => {
  door = await startScriptedServer();
  tokenService = await startScriptedServer();
  tokenService.answer = () => ({ body: '{"access_token":"t","expires_in":60}' });
});

beforeEach(() => {
  door.received.length = 0;
  tokens = new TokenSource({ authUrl: tokenService.url, clientId: 'operator', clientSecret: 's' });
  client = new OperatorClient({ baseUrl: door.url, tokenSource: tokens });
});

afterEach(async () => {
  await client.close();
  await tokens.close();
});

afterAll(async () => {
  await door.stop();
  await tokenService.stop();
});

const compact = (text: string): string => serialiseJson(parseJson(text));

describe('OperatorClient', () => {
  it.each([
    [
      'prudential',
      () => client.loadPrudential('PART1', calculation),
      `{"participantCode":"PART1","calculation":${compact(CALCULATION)}}`,
    ],
    ['statements', () => client.loadStatement(statement), `{"statement":${compact(STATEMENT)}}`],
    [
      'invoices',
      () => client.loadInvoice({ ...around, invoice }),
      '{"participantCode":"PART1","marketService":"WEM","periodFrom":"2026-03-05","designation":"INITIAL",' +
        `"invoice":${compact(INVOICE)}}`,
    ],
    ['timelines', () => client.loadTimeline(timeline), `{"timeline":${compact(TIMELINE)}}`],
  ])('posts %s with every digit', async (path, load, body) => {
    door.answer = () => ({ status: 201, body: '{"loaded":true}' });
    expect(await load()).toEqual({ loaded: true });
    expect(door.received[0]).toMatchObject({
      method: 'POST',
      url: `/operator/v1/${path}`,
      headers: { authorization: 'Bearer t', 'content-type': 'application/json' },
      body,
    });
  });

  it('tells that a record was there already', async () => {
    door.answer = () => ({ status: 200, body: '{"loaded":false}' });
    expect(await client.loadStatement(statement)).toEqual({ loaded: false });
  });

  it('sends nothing that the document does not allow', async () => {
    await expect(client.loadStatement({ ...statement, runId: 0 })).rejects.toMatchObject({
      name: 'InvalidRecordError',
      issues: [{ path: 'statement.runId' }],
    });
    expect(door.received).toHaveLength(0);
  });

  it.each([
    ['refused', { status: 400, body: '{"detail":"no"}' }, { name: 'OperatorRefusedError', status: 400 }],
    ['in conflict', { status: 409, body: '{}' }, { name: 'OperatorRefusedError', status: 409 }],
    ['not possible now', { status: 503 }, { name: 'OperatorUnavailableError', status: 503 }],
    ['answered by something else', { body: '<html>' }, { name: 'OperatorUnavailableError', status: 200 }],
  ])('names what is %s', async (_, reply, fields) => {
    door.answer = () => reply;
    await expect(client.loadTimeline(timeline)).rejects.toMatchObject(fields);
  });
});
