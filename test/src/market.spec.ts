import {
  type AccessToken,
  parseDecimal,
  parseMarketDateTime,
  ReportingClient,
  type TlsMaterial,
  type TokenProvider,
  TokenSource,
} from '@ssb/market';
import { OperatorClient } from '@ssb/market-admin';
import { waitFor } from '@ssb/testing';
import { decodeProtectedHeader } from 'jose';
import { MarketServices } from './harness/market-services.js';

/** Token service, reporting API and client together, each the real thing: what none of them can show alone. */
const PARTICIPANT = 'WPGENCO';
const READS = [`PRUDENTIAL|${PARTICIPANT}|R`, `SETTLEMENT|${PARTICIPANT}|R`];
const STARTING_MS = 240_000;
const TEST_MS = 120_000;

let market: MarketServices;
let certificate: TlsMaterial;
const open: { close(): Promise<void> }[] = [];

beforeAll(async () => {
  market = await MarketServices.start();
  certificate = await market.certificate(PARTICIPANT);
}, STARTING_MS);

afterAll(async () => {
  await Promise.all(open.map((each) => each.close()));
  await market.stop();
}, STARTING_MS);

function opened<T extends { close(): Promise<void> }>(closable: T): T {
  open.push(closable);
  return closable;
}

/** Goes on through a restart of the token service, however long that takes here. */
const PATIENT = { attempts: 60, longestPauseMs: 500 };

const reader = (tokenSource: TokenProvider, tls = certificate): ReportingClient =>
  opened(new ReportingClient({ ...market.profile(tls), tokenSource, retry: PATIENT }));

const keyOf = ({ value }: AccessToken): string | undefined => decodeProtectedHeader(value).kid;

describe('tokens at the reporting API', () => {
  it('that carry R alone read at the operator’s door and load nothing; with C they load', async () => {
    const look = async (tokens: TokenSource, method: 'GET' | 'POST'): Promise<number> => {
      const headers = { authorization: `Bearer ${(await tokens.token()).value}` };
      const body = JSON.stringify({ participantCode: PARTICIPANT });
      const response = await fetch(`${market.doorUrl}/operator/v1/prudential`, {
        method,
        headers: { ...headers, ...(method === 'POST' && { 'content-type': 'application/json' }) },
        ...(method === 'POST' && { body }),
      });
      await response.arrayBuffer();
      return response.status;
    };
    const onlyReads = opened(market.tokens(market.account('auditor', ['MARKETRECORDS|OPERATOR|R'])));
    expect([await look(onlyReads, 'GET'), await look(onlyReads, 'POST')]).toEqual([200, 403]);
    const loads = opened(market.tokens(market.account('loader', ['MARKETRECORDS|OPERATOR|C'])));
    expect(await look(loads, 'GET')).toBe(403);
    const door = opened(new OperatorClient({ baseUrl: market.doorUrl, tokenSource: loads }));
    expect(await door.loadPrudential(PARTICIPANT, CALCULATION)).toEqual({ loaded: true });
  });

  it(
    'that are bound are taken with their own certificate, and with no other of the same participant',
    async () => {
      const account = market.account('bound', READS, '--bound');
      await expect(opened(market.tokens(account)).token()).rejects.toMatchObject({
        name: 'TokenRefusedError',
        code: 'invalid_client',
      });
      const tokens = opened(market.tokens(account, { tls: certificate }));
      const token = await tokens.token();
      const withThisOne: TokenProvider = {
        token: () => Promise.resolve(token),
        tokenInsteadOf: () => Promise.resolve(token),
      };
      await expect(reader(withThisOne).latestPrudentialSummary()).resolves.toBeDefined();
      const another = await market.certificate(PARTICIPANT);
      await expect(reader(withThisOne, another).latestPrudentialSummary()).rejects.toMatchObject({
        name: 'ReportingForbiddenError',
      });
    },
    TEST_MS,
  );

  it(
    'are not given to an account that is disabled, until it is enabled again',
    async () => {
      const account = market.account('paused', READS);
      const ask = async (): Promise<unknown> =>
        reader(opened(market.tokens(account))).latestPrudentialSummary();
      expect(await ask()).toBeDefined();
      market.accounts('disable', '--client-id', 'paused');
      await expect(ask()).rejects.toMatchObject({ name: 'TokenRefusedError', code: 'invalid_client' });
      market.accounts('enable', '--client-id', 'paused');
      expect(await ask()).toBeDefined();
    },
    TEST_MS,
  );

  it(
    'are taken from the old key and the new one while keys rotate: a client that goes on asking notices nothing',
    async () => {
      const account = market.account('busy', READS);
      const before = opened(market.tokens(account));
      const oldKey = keyOf(await before.token());
      const keys: (string | undefined)[] = [];
      let stopped = false;
      const goOn = async (): Promise<void> => {
        while (!stopped) {
          const tokens = opened(market.tokens(account));
          expect(await reader(tokens).latestPrudentialSummary()).toBeDefined();
          keys.push(keyOf(await tokens.token()));
        }
      };
      const failure = goOn().then(
        () => undefined,
        (error: unknown) => error,
      );
      try {
        await waitFor('the old key', () => keys.includes(oldKey), TEST_MS);
        await market.letTimePass('20 minutes');
        await waitFor('the new key', () => keys.some((key) => key !== oldKey), TEST_MS);
      } finally {
        stopped = true;
        expect(await failure).toBeUndefined();
      }
      expect(new Set(keys).size).toBe(2);
      expect(await reader(before).latestPrudentialSummary()).toBeDefined();
      expect(keyOf(await before.token())).toBe(oldKey);
    },
    TEST_MS,
  );
});

const CALCULATION = {
  participantCode: PARTICIPANT,
  tradingDay: parseMarketDateTime('2026-03-09T00:00:00'),
  outstandingAmount: parseDecimal('1000.00'),
  tradingMargin: parseDecimal('250.00'),
  calculatedAt: parseMarketDateTime('2026-03-09T10:00:00'),
  isForecast: false,
};
