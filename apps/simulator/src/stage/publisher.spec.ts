import { OperatorClient, parseMarketDate, parseMarketDateTime, TokenSource } from '@ssb/market';
import { createLogger } from '@ssb/platform';
import { forecastPublication } from '../domain/publications.js';
import { summaryText, Tally } from '../domain/tally.js';
import { startOperatorSide, type OperatorSide } from '../testing/operator-side.js';
import { Publisher } from './publisher.js';

let operator: OperatorSide;
let tokens: TokenSource;
let door: OperatorClient;
let tally: Tally;
let publisher: Publisher;
const never = new AbortController().signal;

beforeEach(async () => {
  operator = await startOperatorSide();
  tokens = new TokenSource({ authUrl: operator.url, clientId: 'operator', clientSecret: 'a secret' });
  door = new OperatorClient({ baseUrl: operator.url, tokenSource: tokens });
  tally = new Tally();
  const log = createLogger({
    name: 'test',
    level: 'silent',
    format: 'json',
    stream: { write: () => undefined },
  });
  publisher = new Publisher(door, log, tally);
});

afterEach(async () => {
  await door.close();
  await tokens.close();
  await operator.close();
});

const book = {
  creditSupport: '8.00',
  creditLimit: '7.00',
  tradingLimit: '6.00',
  prepayment: '1.00',
  invoiceNotPaid: '1.00',
};
/** Forecasts for the five days that follow, one record each. */
const forecasts = (margin = 100n) =>
  forecastPublication(
    'WPGENCO',
    parseMarketDateTime('2026-03-12T10:00:00'),
    ['13', '14', '15', '16', '17'].map((day) => ({
      tradingDay: parseMarketDate(`2026-03-${day}`),
      tradingMargin: margin,
    })),
    book,
  );

describe('what is loaded together', () => {
  it('comes in once and is counted', async () => {
    await publisher.publish(forecasts(), never);
    await publisher.publish(forecasts(), never);
    expect(tally.outcomes).toEqual({ loaded: 5, alreadyThere: 5, conflicting: 0 });
    expect(tally.rows).toEqual([{ kind: 'prudential', participant: 'WPGENCO', records: 10 }]);
    expect(summaryText(tally, 1_250)).toBe(
      'published in 1.3 s:\n' +
        '  WPGENCO              prudential                     10\n' +
        '  new 5, there already 5, there with another content 0',
    );
  });

  it('leaves out only the record that is there with another content', async () => {
    operator.conflicts.push('"tradingDay":"2026-03-15T00:00:00"');
    await publisher.publish(forecasts(), never);
    expect(tally.outcomes).toEqual({ loaded: 4, alreadyThere: 0, conflicting: 1 });
    expect(operator.taken.map(({ body }) => /"tradingDay":"2026-03-(\d\d)/.exec(body)?.[1])).toEqual([
      '13',
      '14',
      '16',
      '17',
    ]);
  });

  it('is tried again when the door fails', async () => {
    operator.failures.push(503);
    await publisher.publish(forecasts(), never);
    expect(operator.taken).toHaveLength(5);
  });
});
