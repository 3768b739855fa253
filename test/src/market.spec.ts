import type { TlsMaterial } from '@ssb/net';
import {
  type AccessToken,
  parseDecimal,
  parseMarketDateTime,
  ReportingClient,
  type TokenProvider,
  TokenSource,
} from '@ssb/market';
import { OperatorClient } from '@ssb/market/admin';
import { waitFor } from '@ssb/testing';
import { decodeProtectedHeader } from 'jose';
import { MarketServices } from './harness/market-services.js';

// These tests run the real token service, reporting API and clients together.

const PARTICIPANT = 'WPGENCO';
const READ_SCOPES = [`PRUDENTIAL|${PARTICIPANT}|R`, `SETTLEMENT|${PARTICIPANT}|R`];

let market: MarketServices;
let certificate: TlsMaterial;
const resources: { close(): Promise<void> }[] = [];

beforeAll(async () => {
  // The signing key is old enough for its successor to be published.
  market = await MarketServices.start({ signingKeyAge: '50 minutes' });
  certificate = await market.issueCertificate(PARTICIPANT);
});

afterAll(async () => {
  await Promise.all(resources.map((each) => each.close()));
  await market.stop();
});

/** Closes the resource after all tests. */
function closeLater<T extends { close(): Promise<void> }>(closable: T): T {
  resources.push(closable);
  return closable;
}

/** Enough retries to outlast a restart of the token service. */
const RETRY = { attempts: 60, maxDelayMs: 500 };

const createClient = (tokenSource: TokenProvider, tls = certificate): ReportingClient =>
  closeLater(new ReportingClient({ ...market.clientOptions(tls), tokenSource, retry: RETRY }));

const getKeyId = ({ value }: AccessToken): string | undefined => decodeProtectedHeader(value).kid;

describe('access tokens at the reporting API', () => {
  it('need permission R to read and permission C to load records at the operator API', async () => {
    const callOperatorApi = async (tokens: TokenSource, method: 'GET' | 'POST'): Promise<number> => {
      const headers = { authorization: `Bearer ${(await tokens.token()).value}` };
      const body = JSON.stringify({ participantCode: PARTICIPANT });
      const response = await fetch(`${market.market.operatorUrl}/operator/v1/prudential`, {
        method,
        headers: { ...headers, ...(method === 'POST' && { 'content-type': 'application/json' }) },
        ...(method === 'POST' && { body }),
      });
      await response.arrayBuffer();
      return response.status;
    };
    const readTokens = closeLater(
      market.createTokenSource(await market.createAccount('auditor', ['MARKETRECORDS|OPERATOR|R'])),
    );
    expect([await callOperatorApi(readTokens, 'GET'), await callOperatorApi(readTokens, 'POST')]).toEqual([
      200, 403,
    ]);
    const loadTokens = closeLater(
      market.createTokenSource(await market.createAccount('loader', ['MARKETRECORDS|OPERATOR|C'])),
    );
    expect(await callOperatorApi(loadTokens, 'GET')).toBe(403);
    const operator = closeLater(
      new OperatorClient({ baseUrl: market.market.operatorUrl, tokenSource: loadTokens }),
    );
    expect(
      await operator.load({
        kind: 'prudential',
        record: { participantCode: PARTICIPANT, calculation: CALCULATION },
      }),
    ).toEqual({ loaded: true });
  });

  it('that are bound are neither issued without a certificate nor accepted with another one', async () => {
    const account = await market.createAccount('bound', READ_SCOPES, true);
    await expect(closeLater(market.createTokenSource(account)).token()).rejects.toMatchObject({
      name: 'TokenRefusedError',
      code: 'invalid_client',
    });
    const tokens = closeLater(market.createTokenSource(account, { tls: certificate }));
    const token = await tokens.token();
    const fixedToken: TokenProvider = {
      token: () => Promise.resolve(token),
      replaceToken: () => Promise.resolve(token),
    };
    await expect(createClient(fixedToken).latestPrudentialSummary()).resolves.toBeDefined();
    const otherCertificate = await market.issueCertificate(PARTICIPANT);
    await expect(createClient(fixedToken, otherCertificate).latestPrudentialSummary()).rejects.toMatchObject({
      name: 'ReportingForbiddenError',
    });
  });

  it('are not issued to a disabled account until it is enabled again', async () => {
    const account = await market.createAccount('paused', READ_SCOPES);
    const fetchSummary = async (): Promise<unknown> =>
      createClient(closeLater(market.createTokenSource(account))).latestPrudentialSummary();
    expect(await fetchSummary()).toBeDefined();
    await market.changeAccount('disable', account);
    await expect(fetchSummary()).rejects.toMatchObject({
      name: 'TokenRefusedError',
      code: 'invalid_client',
    });
    await market.changeAccount('enable', account);
    expect(await fetchSummary()).toBeDefined();
  });

  it('signed with the old key and with the new key are accepted during a key rotation', async () => {
    const account = await market.createAccount('busy', READ_SCOPES);
    const oldTokens = closeLater(market.createTokenSource(account));
    const oldKeyId = getKeyId(await oldTokens.token());
    const keyIds: (string | undefined)[] = [];
    let stopped = false;
    const requestRepeatedly = async (): Promise<void> => {
      while (!stopped) {
        const tokens = closeLater(market.createTokenSource(account));
        expect(await createClient(tokens).latestPrudentialSummary()).toBeDefined();
        keyIds.push(getKeyId(await tokens.token()));
      }
    };
    const failure = requestRepeatedly().then(
      () => undefined,
      (error: unknown) => error,
    );
    try {
      await waitFor('the old key', () => keyIds.includes(oldKeyId));
      await market.ageSigningKeys('20 minutes');
      await waitFor('the new key', () => keyIds.some((keyId) => keyId !== oldKeyId));
    } finally {
      stopped = true;
      expect(await failure).toBeUndefined();
    }
    expect(new Set(keyIds).size).toBe(2);
    expect(await createClient(oldTokens).latestPrudentialSummary()).toBeDefined();
    expect(getKeyId(await oldTokens.token())).toBe(oldKeyId);
  });
});

const CALCULATION = {
  participantCode: PARTICIPANT,
  tradingDay: parseMarketDateTime('2026-03-09T00:00:00'),
  outstandingAmount: parseDecimal('1000.00'),
  tradingMargin: parseDecimal('250.00'),
  calculatedAt: parseMarketDateTime('2026-03-09T10:00:00'),
  isForecast: false,
};
