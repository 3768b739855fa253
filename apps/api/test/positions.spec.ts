import { archiveEvent, uuidOf } from '@ssb/testing/archived-events';
import { RunningApi } from './support/running-api.js';

let api: RunningApi;

interface Position {
  participant: string;
  latest?: Record<string, unknown>;
  forecasts: Record<string, unknown>[];
  calculated: Record<string, unknown>[];
  forecast: Record<string, unknown>[];
  leftOut?: number;
}

const RANGE = 'since=2026-03-02T00:00:00%2B08:00&until=2026-03-03T00:00:00%2B08:00';

async function archiveCalculation(
  name: string,
  calculatedAt: string,
  tradingMargin: string,
  { participant = 'ALPHA', ...data }: Record<string, unknown> = {},
): Promise<void> {
  await archiveEvent(api.tables.admin, 'position.calculated', {
    event: {
      id: uuidOf(name),
      participant,
      subject: `${String(participant)}/position`,
      time: `${calculatedAt}+08:00`,
    },
    data: { calculatedAt, tradingMargin, ...data },
  });
}

const read = async (query: string, token = api.viewer): Promise<Position[]> =>
  (await api.get(`/v1/positions?${query}`, { token })).json<{ items: Position[] }>().items;

beforeAll(async () => {
  api = await RunningApi.start();
  // Not in the order of the calculations.
  await archiveCalculation('three', '2026-03-02T10:50:00', '-0.000000000000000000000000000012');
  await archiveCalculation('one', '2026-03-02T10:00:00.001', '12345678901234567890.10');
  await archiveCalculation('two', '2026-03-02T10:40:00', '300');
  await archiveCalculation('four', '2026-03-02T23:59:59.999', '210000.50');
  await archiveCalculation('day after', '2026-03-03T00:00:00', '999', { participant: 'BETA' });
  for (const [name, calculatedAt, margin] of [
    ['early', '2026-03-02T10:00:00', '80000'],
    ['late', '2026-03-02T22:00:00', '90000.00'],
  ] as const)
    await archiveCalculation(name, calculatedAt, margin, {
      isForecast: true,
      tradingDay: '2026-03-05T00:00:00',
    });
});
afterAll(() => api.close());

it('each bucket has its first, last, lowest and highest margin, with every digit', async () => {
  const [position] = await read(`${RANGE}&points=24`);
  expect(position?.calculated).toEqual([
    {
      from: '2026-03-02T02:00:00.000Z',
      calculations: 3,
      first: '12345678901234567890.10',
      firstAt: '2026-03-02T02:00:00.001Z',
      last: '-0.000000000000000000000000000012',
      lastAt: '2026-03-02T02:50:00.000Z',
      minimum: '-0.000000000000000000000000000012',
      minimumAt: '2026-03-02T02:50:00.000Z',
      maximum: '12345678901234567890.10',
      maximumAt: '2026-03-02T02:00:00.001Z',
      firstOutstandingAmount: '750000.00000001',
      lastOutstandingAmount: '750000.00000001',
    },
    expect.objectContaining({ from: '2026-03-02T15:00:00.000Z', first: '210000.50' }),
  ]);
});

it('short buckets, hours and market days have the same figures', async () => {
  const figuresOf = async (query: string) =>
    (await read(`participant=ALPHA&${query}`)).map(({ calculated }) => [
      calculated.map(({ calculations }) => calculations),
      calculated.map(({ minimum }) => minimum),
      calculated.map(({ last }) => last),
    ])[0];
  const [lowest, last] = ['-0.000000000000000000000000000012', '210000.50'];
  expect(await figuresOf(`${RANGE}&points=300`)).toEqual([
    [1, 1, 1, 1],
    ['12345678901234567890.10', '300', lowest, last],
    ['12345678901234567890.10', '300', lowest, last],
  ]);
  expect(await figuresOf(`${RANGE}&points=2`)).toEqual([
    [3, 1],
    [lowest, last],
    [lowest, last],
  ]);
  const month = 'since=2026-02-15T00:00:00%2B08:00&until=2026-03-10T00:00:00%2B08:00';
  expect(await figuresOf(`${month}&points=30`)).toEqual([[4], [lowest], [last]]);
});

it('forecasts are apart from the other calculations', async () => {
  const [position] = await read(`${RANGE}&points=2`);
  expect(position?.forecast.map(({ minimum, maximum }) => [minimum, maximum])).toEqual([
    ['80000', '80000'],
    ['90000.00', '90000.00'],
  ]);
  expect(position?.forecasts).toEqual([
    {
      tradingDay: '2026-03-05',
      calculatedAt: '2026-03-02T14:00:00.000Z',
      tradingMargin: '90000.00',
      outstandingAmount: '750000.00000001',
    },
  ]);
});

it('the present position is the newest calculation, with the thresholds and the level of the newest margin event', async () => {
  await archiveEvent(api.tables.admin, 'margin.breached');
  await archiveEvent(api.tables.admin, 'margin.warning');
  const [position] = await read('participant=ALPHA');
  expect(position?.latest).toMatchObject({
    eventId: uuidOf('four'),
    tradingDay: '2026-03-02',
    calculatedAt: '2026-03-02T15:59:59.999Z',
    tradingMargin: '210000.50',
    creditSupport: '1000000',
    level: 'BREACHED',
    thresholds: {
      source: 'event',
      warning: '250000',
      breach: '100000',
      headroomToWarning: '-39999.50',
      headroomToBreach: '110000.50',
    },
  });
});

it('without a margin event, the thresholds are those of CONFIG_FILE', async () => {
  await archiveCalculation('configured', '2026-03-02T10:00:00', '249999.99', { participant: 'WPGENCO' });
  const [position] = await read('participant=WPGENCO');
  expect(position?.latest).toMatchObject({
    level: 'WARNING',
    thresholds: { source: 'configuration', warning: '250000.00', headroomToWarning: '-0.01' },
  });
});

it('CSV has a line for each bucket', async () => {
  const { body } = await api.get(`/v1/positions?participant=ALPHA&${RANGE}&points=2`, {
    headers: { accept: 'text/csv' },
  });
  const lines = body.split('\r\n').map((line) => line.split(',').slice(0, 5));
  expect(lines).toEqual([
    ['participant', 'isForecast', 'from', 'calculations', 'first'],
    ['ALPHA', 'false', '2026-03-01T16:00:00.000Z', '3', '12345678901234567890.10'],
    ['ALPHA', 'false', '2026-03-02T04:00:00.000Z', '1', '210000.50'],
    ['ALPHA', 'true', '2026-03-01T16:00:00.000Z', '1', '80000'],
    ['ALPHA', 'true', '2026-03-02T04:00:00.000Z', '1', '90000.00'],
    [''],
  ]);
});

it('a position of another participant is as one that does not exist', async () => {
  const codes = async (query: string, token = api.limited) =>
    (await read(query, token)).map(({ participant }) => participant);
  expect(await codes('')).toEqual(['WPGENCO']);
  expect(await codes('participant=BETA')).toEqual(await codes('participant=NOBODY'));
  expect(await codes('cursor=BETA')).toEqual(await codes('cursor=NOBODY'));
  expect(await codes('', api.viewer)).toEqual(['ALPHA', 'BETA']);
});

it('a deleted event leaves the series, and one that cannot be read is counted', async () => {
  await archiveCalculation('gone', '2026-03-02T11:00:00', '-5', { participant: 'GAMMA' });
  await archiveCalculation('kept', '2026-03-02T11:30:00', '7', { participant: 'GAMMA' });
  await archiveCalculation('bad', '2026-02-31T11:30:00', '8', { participant: 'GAMMA' });
  await api.tables.admin.query('DELETE FROM archive WHERE event_id = $1', [uuidOf('gone')]);
  const [position] = await read(`participant=GAMMA&${RANGE}&points=24`);
  expect(position?.calculated.map(({ calculations, minimum }) => [calculations, minimum])).toEqual([
    [1, '7'],
  ]);
  expect(position?.leftOut).toBe(1);
});

it.each([
  ['since=2026-03-02T00:00:00Z&until=2026-03-02T00:00:00Z', 'since must be before until'],
  ['since=2024-01-01T00:00:00Z&until=2026-03-02T00:00:00Z', 'by at most 400 days'],
  ['points=501', 'points must be a whole number from 2 to 500'],
  ['participant=%00', 'must be the code of a participant'],
  ['cursor=%00', 'cursor must be'],
])('%s is refused', async (query, expected) => {
  const response = await api.get(`/v1/positions?${query}`);
  expect([response.status, response.body]).toEqual([422, expect.stringContaining(expected)]);
});
