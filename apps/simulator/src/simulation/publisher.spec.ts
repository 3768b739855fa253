import { parseMarketDateTime, TokenRefusedError, TokenSource, TokenUnavailableError } from '@ssb/market';
import { OperatorRefusedError, OperatorUnavailableError, OperatorClient } from '@ssb/market/admin';
import { createLogger } from '@ssb/platform';
import { startOperatorApi } from '../../test/support/operator-api.js';
import { Publications } from '../domain/documents/publications.js';
import { chooseRecovery, Publisher, Summary } from './publisher.js';

it('loads records without the one that exists with other content', async () => {
  const operator = await startOperatorApi();
  const tokens = new TokenSource({ authUrl: operator.url, clientId: 'operator', clientSecret: 'a secret' });
  const client = new OperatorClient({ baseUrl: operator.url, tokenSource: tokens });
  const summary = new Summary();
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
  // Forecasts for 13 to 17 March 2026.
  const at = parseMarketDateTime('2026-03-12T10:00:00');
  const forecasts = publications.forecast('WPGENCO', at, [1n, 2n, 3n, 4n, 5n]);
  operator.conflicts.push('"tradingDay":"2026-03-15T00:00:00"');
  const log = createLogger({ name: 'test', level: 'silent', format: 'json' });
  await new Publisher(client, log, summary).publish(forecasts, new AbortController().signal);
  expect(summary.outcomes).toEqual({ loaded: 4, alreadyThere: 0, conflicting: 1 });
  const days = operator.records.map(({ body }) => /"tradingDay":"2026-03-(\d\d)/.exec(body)?.[1]);
  expect(days).toEqual(['13', '14', '16', '17']);
  await client.close();
  await tokens.close();
  await operator.close();
});

const refused = (status: number) => new OperatorRefusedError('/x', status, '');

it.each<[string, unknown, string]>([
  ['no response', new OperatorUnavailableError('/x', undefined), 'retry'],
  ['a failing service', new OperatorUnavailableError('/x', 503), 'retry'],
  ['an unavailable token service', new TokenUnavailableError('down', undefined, undefined), 'retry'],
  ['an unknown account', new TokenRefusedError(401, 'invalid_client', undefined), 'retry'],
  ['a refused token', refused(401), 'retry'],
  ['a missing scope', refused(403), 'fail'],
  ['a conflicting record', refused(409), 'skip'],
  ['an invalid record', refused(422), 'fail'],
  ['an error of the simulator', new TypeError('x'), 'fail'],
])('chooses the recovery after %s', (_case, error, recovery) => {
  expect(chooseRecovery(error)).toBe(recovery);
});
