import { waitFor } from '@ssb/testing';
import { health, readiness } from './support/health.js';
import {
  calculation,
  CALCULATIONS,
  STATEMENT,
  statement,
  TIMELINE,
  timeline,
  TRADING_DAY,
} from './support/market-responses.js';
import {
  facts,
  market,
  metric,
  participant,
  setUpPollerTests,
  start,
  steps,
} from './support/running-poller.js';

setUpPollerTests();

const unreadable = (url: string, resource: string): Promise<string | undefined> =>
  metric(url, `settlement_bridge_poller_unreadable_total{resource="${resource}"}`);

/** Waits for the fault of a response with an unusable part, and checks that the poller stays ready. */
async function expectFault(url: string, detail: RegExp): Promise<void> {
  await waitFor('the fault', async () => (await health(url)).faults.length > 0);
  expect((await health(url)).faults).toMatchObject([
    { reason: 'operator-answer-unusable', detail: expect.stringMatching(detail) },
  ]);
  expect((await readiness(url)).status).toBe(200);
}

it('an unreadable cycle of the timeline affects no other, and is reported until it is repaired', async () => {
  const { cycles } = JSON.parse(timeline()) as { cycles: object[] };
  const broken = { ...cycles[0], periodFrom: 'the first of March' };
  market.responses.set(TIMELINE, JSON.stringify({ cycles: [broken, ...cycles] }));
  market.responses.set(STATEMENT, statement());
  const { url } = await start();
  await waitFor('the statement', () => facts().length === 1);
  await waitFor('the count', async () => Number((await unreadable(url, 'cycle'))?.split(' ').at(-1)) > 0);
  await expectFault(
    url,
    /^settlement: The response for cycle with the digest [\da-f]{16} is not used: data\.cycles\[0\]/,
  );
  market.responses.set(TIMELINE, timeline());
  await waitFor('the end of the fault', async () => (await health(url)).status === 'ok');
  expect(facts().map(({ eventType }) => eventType)).toEqual(['settlementbus.statement.published.v1']);
});

it('an unreadable calculation affects no other, is reported, and is used once it is repaired', async () => {
  const [good, bad] = [calculation('09:00:00', '-1'), calculation('10:00:00', '"many"')];
  market.responses.set(CALCULATIONS, `[${bad},${good}]`);
  const { url } = await start();
  await waitFor('the breach', () => facts().length === 1);
  await waitFor(
    'the count',
    async () => Number((await unreadable(url, 'calculation'))?.split(' ').at(-1)) > 0,
  );
  await expectFault(
    url,
    /^prudential: The response for calculation [\dT:-]+ of [\d-]+ is not used: data\[0\]/,
  );
  expect(steps('queued')).toHaveLength(2);
  market.responses.set(CALCULATIONS, `[${calculation('10:00:00', '300000')},${good}]`);
  await waitFor('the recovery', () => facts().length === 2);
  await waitFor('the end of the fault', async () => (await health(url)).status === 'ok');
  expect(facts().map(({ eventType }) => eventType)).toEqual([
    'settlementbus.margin.breached.v1',
    'settlementbus.margin.restored.v1',
  ]);
});

it.each([
  ['1', CALCULATIONS, 'prudential'],
  ['10', TIMELINE, 'settlement'],
])(
  'a 404 of list operation %s is a failed poll and a fault, until the list is there',
  async (_, path, name) => {
    market.responses.set(path, 404);
    const { url } = await start();
    await waitFor('the fault', async () => (await health(url)).faults.length > 0);
    expect((await health(url)).faults).toMatchObject([
      { reason: 'operator-answer-unusable', interface: name, detail: expect.stringContaining('404') },
    ]);
    const failures = `settlement_bridge_poller_failures_total{participant="${participant}",poll="${name}"`;
    expect(await metric(url, failures)).toBeDefined();
    market.responses.delete(path);
    await waitFor('the end of the fault', async () => (await health(url)).status === 'ok');
  },
);

it('a calculation of an unset date makes no event and is reported', async () => {
  const unset = calculation('10:00:00', '-1').replaceAll(TRADING_DAY, '0001-01-01');
  market.responses.set(CALCULATIONS, `[${unset},${calculation('09:00:00', '300000')}]`);
  const { url } = await start();
  await expectFault(url, /tradingDay: expected a date from 2001 to 10 years ahead/);
  expect(facts()).toEqual([]);
});
