import {
  OperatorRefusedError,
  OperatorUnavailableError,
  parseMarketDateTime,
  TokenRefusedError,
  TokenSource,
  TokenUnavailableError,
} from '@ssb/market';
import { OperatorClient } from '@ssb/market-admin';
import { createLogger } from '@ssb/platform';
import { startOperatorApi, type TestOperatorApi } from '../test/support/operator-api.js';
import { Publications } from './domain/documents/publications.js';
import { afterFailure, Publisher, Summary } from './publisher.js';

let operator: TestOperatorApi;
let tokens: TokenSource;
let client: OperatorClient;
let summary: Summary;
let publisher: Publisher;
const never = new AbortController().signal;

beforeEach(async () => {
  operator = await startOperatorApi();
  tokens = new TokenSource({ authUrl: operator.url, clientId: 'operator', clientSecret: 'a secret' });
  client = new OperatorClient({ baseUrl: operator.url, tokenSource: tokens });
  summary = new Summary();
  const log = createLogger({
    name: 'test',
    level: 'silent',
    format: 'json',
    stream: { write: () => undefined },
  });
  publisher = new Publisher(client, log, summary);
});

afterEach(async () => {
  await client.close();
  await tokens.close();
  await operator.close();
});

const publications = new Publications({
  seed: 'test',
  book: {
    creditSupport: '8.00',
    creditLimit: '7.00',
    tradingLimit: '6.00',
    prepayment: '1.00',
    invoiceNotPaid: '1.00',
  },
  details: { tradingDays: 0, prudential: false },
});
/** Forecasts for the five days from 13 March 2026 on, one record each. */
const forecasts = () =>
  publications.forecast('WPGENCO', parseMarketDateTime('2026-03-12T10:00:00'), [1n, 2n, 3n, 4n, 5n]);

describe('what is loaded together', () => {
  it('comes in once and is counted', async () => {
    await publisher.publish(forecasts(), never);
    await publisher.publish(forecasts(), never);
    expect(summary.outcomes).toEqual({ loaded: 5, alreadyThere: 5, conflicting: 0 });
    expect(summary.rows).toEqual([{ kind: 'prudential', participant: 'WPGENCO', records: 10 }]);
  });

  it('leaves out only the record that is there with another content', async () => {
    operator.conflicts.push('"tradingDay":"2026-03-15T00:00:00"');
    await publisher.publish(forecasts(), never);
    expect(summary.outcomes).toEqual({ loaded: 4, alreadyThere: 0, conflicting: 1 });
    expect(operator.taken.map(({ body }) => /"tradingDay":"2026-03-(\d\d)/.exec(body)?.[1])).toEqual([
      '13',
      '14',
      '16',
      '17',
    ]);
  });

  it('is repeated when the service fails', async () => {
    operator.failures.push(503);
    await publisher.publish(forecasts(), never);
    expect(operator.taken).toHaveLength(5);
  });
});

const refused = (status: number) => new OperatorRefusedError('/x', status, '');

it.each<[string, unknown, string]>([
  ['no answer', new OperatorUnavailableError('/x', undefined), 'retry'],
  ['a failing service', new OperatorUnavailableError('/x', 503), 'retry'],
  ['no token service', new TokenUnavailableError('down', undefined, undefined), 'retry'],
  ['an account that is not there yet', new TokenRefusedError(401, 'invalid_client', undefined), 'retry'],
  ['a token that is not accepted yet', refused(401), 'retry'],
  ['a scope that the account does not hold', refused(403), 'fail'],
  ['a record published before', refused(409), 'skip'],
  ['an invalid record', refused(422), 'fail'],
  ['an error of the simulator', new TypeError('x'), 'fail'],
])('after %s', (_what, error, next) => {
  expect(afterFailure(error)).toBe(next);
});
