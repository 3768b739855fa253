import type { DetectedEvent } from '@ssb/events';
import { addDays } from '@ssb/market';
import { waitFor } from '@ssb/testing';
import { pollerKeys } from '../src/state/poller-keys.js';
import {
  calculation,
  calculations,
  CALCULATIONS,
  STATEMENT,
  statement,
  timeline,
  TIMELINE,
  TODAY,
  TRADING_DAY,
} from './support/market-responses.js';
import {
  consume,
  facts,
  lines,
  market,
  metric,
  participant,
  prefix,
  redis,
  setUpPollerTests,
  start,
} from './support/running-poller.js';
import { health, readiness } from './support/health.js';

setUpPollerTests();

const RAISED = 'settlementbus.bridge.alert.raised.v1';
const CLEARED = 'settlementbus.bridge.alert.cleared.v1';

const alertsOf = (events: readonly DetectedEvent[], type: typeof RAISED | typeof CLEARED, reason: string) =>
  events.filter((event) => event.type === type && (event.data as { reason: string }).reason === reason);

const reasonsIn = async (url: string): Promise<string[]> =>
  (await health(url)).faults.map(({ reason }) => reason);

describe('refused credentials', () => {
  it('make the poller degraded and unready, and raise one alert until the token service accepts them', async () => {
    market.tokenStatus = 401;
    const { events, close } = consume();
    const { url } = await start();
    await waitFor('the fault', async () => (await reasonsIn(url)).includes('token-refused'));
    await waitFor('the refusal of both interfaces', async () => (await readiness(url)).status === 503);
    expect(await readiness(url)).toEqual({
      status: 503,
      participants: expect.stringMatching(
        new RegExp(`^${participant}: token-refused: the token service refused with 401 invalid_client`),
      ),
    });
    expect(
      await metric(url, `settlement_bridge_fault_active{reason="token-refused",participant="${participant}"`),
    ).toMatch(/ 1$/);
    await waitFor('the alert', () => alertsOf(events, RAISED, 'token-refused').length > 0);
    expect(alertsOf(events, RAISED, 'token-refused')[0]).toMatchObject({ participant });
    market.tokenStatus = 200;
    await waitFor('the end of the alert', () => alertsOf(events, CLEARED, 'token-refused').length > 0);
    expect(await reasonsIn(url)).toEqual([]);
    expect((await readiness(url)).status).toBe(200);
    expect(alertsOf(events, RAISED, 'token-refused')).toHaveLength(1);
    expect(lines.filter(({ msg }) => msg === 'fault reported')).toHaveLength(1);
    await close();
  });
});

it('a calculation that arrives too late for the margin levels is announced and reported, also by the next leader', async () => {
  const { events, close } = consume();
  const calculated = () =>
    events.filter(({ type }) => type === 'settlementbus.position.calculated.v1').map(({ time }) => time);
  const old = (...rows: (readonly [time: string, tradingMargin: string])[]) =>
    calculations(...rows).replaceAll(TRADING_DAY, addDays(TODAY, -5));
  market.responses.set(CALCULATIONS, old(['10:00:00', '300000']));
  const first = await start();
  await waitFor('the calculation', () => calculated().length === 1);
  market.responses.set(CALCULATIONS, old(['10:00:00', '300000'], ['09:00:00', '-1']));
  const detail = 'prudential: calculations: 1 late calculations left out, 0 kept (levels follow from';
  const reported = async (url: string) =>
    (await health(url)).faults.some(
      (fault) => fault.reason === 'facts-left-out' && fault.detail.startsWith(detail),
    );
  await waitFor('the fault', () => reported(first.url));
  await waitFor('the late calculation', () => calculated().length === 2);
  await first.close();
  const { url } = await start();
  await waitFor('the fault of the next leader', () => reported(url));
  expect(calculated()).toHaveLength(2);
  await close();
});

describe('an interface without a successful poll for three intervals', () => {
  it('is a fault whatever the cause, while a standby is ready', async () => {
    market.responses.set(CALCULATIONS, 503);
    market.responses.set(TIMELINE, 503);
    const changes = { REQUEST_TIMEOUT_MS: '300', LEASE_TTL_MS: '60000' };
    const leader = await start(changes);
    const standby = await start(changes);
    await waitFor('both interfaces', async () => (await readiness(leader.url)).status === 503);
    const faults = (await health(leader.url)).faults.toSorted((one, other) =>
      one.detail.localeCompare(other.detail),
    );
    expect(faults).toMatchObject([
      { reason: 'poll-overdue', participant, interface: 'prudential' },
      { reason: 'poll-overdue', participant, interface: 'settlement' },
    ]);
    // Before, requests may have timed out while the standby started.
    await waitFor('the status in the last failure', async () =>
      (await health(leader.url)).faults.some(({ detail }) =>
        /prudential: .* last failure: GET .*503/.test(detail),
      ),
    );
    expect((await readiness(leader.url)).participants).toMatch(`${participant}: poll-overdue: `);
    expect((await readiness(standby.url)).status).toBe(200);
    expect((await health(standby.url)).status).toBe('ok');
    market.responses.clear();
    await waitFor('the end of the fault', async () => (await health(leader.url)).status === 'ok');
  });

  it('is no longer a fault of a replica that has lost the lease', async () => {
    market.responses.set(CALCULATIONS, 503);
    market.responses.set(TIMELINE, 503);
    market.clockAheadMs = 120_000;
    const { url } = await start({ REQUEST_TIMEOUT_MS: '300' });
    await waitFor('the fault', async () => (await readiness(url)).status === 503);
    // The clocks of the operator are not read without the lease.
    await waitFor('the fault of the clock', async () => (await reasonsIn(url)).includes('clock-offset'));
    const { lease, fence } = pollerKeys(prefix, participant);
    await redis.mset(lease, 'another', fence, String(Number.MAX_SAFE_INTEGER));
    await waitFor('the end of the fault', async () => (await health(url)).status === 'ok');
    expect((await readiness(url)).status).toBe(200);
    expect(lines.some(({ msg }) => msg === 'fault ended')).toBe(false);
  });
});

const unreadable = (url: string, resource: string): Promise<string | undefined> =>
  metric(url, `settlement_bridge_poller_unreadable_total{resource="${resource}"}`);

/** Waits for the fault of a response with an unusable part, and checks that the poller stays ready. */
async function expectFault(url: string, detail: RegExp): Promise<void> {
  await waitFor('the fault', async () =>
    (await health(url)).faults.some((fault) => detail.test(fault.detail)),
  );
  expect((await health(url)).faults).toMatchObject([
    { reason: 'operator-response-unusable', detail: expect.stringMatching(detail) },
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

it('a calculation that is unreadable, or of an unset date, affects no other, is reported, and is used once it is repaired', async () => {
  const [good, bad] = [calculation('09:00:00', '-1'), calculation('10:00:00', '"many"')];
  const unset = calculation('10:00:00', '-1').replaceAll(TRADING_DAY, '0001-01-01');
  market.responses.set(CALCULATIONS, `[${unset},${calculation('08:00:00', '300000')}]`);
  const { url } = await start();
  await expectFault(url, /tradingDay: expected a date from 2001 to 10 years ahead/);
  expect(facts()).toEqual([]);
  market.responses.set(CALCULATIONS, `[${bad},${good}]`);
  await waitFor('the breach', () => facts().length === 1);
  await waitFor(
    'the count',
    async () => Number((await unreadable(url, 'calculation'))?.split(' ').at(-1)) > 0,
  );
  await expectFault(
    url,
    /^prudential: The response for calculation [\dT:-]+ of [\d-]+ is not used: data\[0\]: data\[0\]\.tradingMargin:/,
  );
  market.responses.set(CALCULATIONS, `[${calculation('10:00:00', '300000')},${good}]`);
  await waitFor('the recovery', () => facts().length === 2);
  await waitFor('the end of the fault', async () => (await health(url)).status === 'ok');
  expect(facts().map(({ eventType }) => eventType)).toEqual([
    'settlementbus.margin.breached.v1',
    'settlementbus.margin.restored.v1',
  ]);
});

it('a 404 of a list is a failed poll and a fault, until the list is there', async () => {
  const paths = { prudential: CALCULATIONS, settlement: TIMELINE };
  for (const path of Object.values(paths)) market.responses.set(path, 404);
  const { url } = await start();
  await waitFor('both faults', async () => (await health(url)).faults.length > 1);
  for (const name of Object.keys(paths)) {
    expect((await health(url)).faults).toContainEqual(
      expect.objectContaining({
        reason: 'operator-response-unusable',
        interface: name,
        detail: expect.stringContaining('404'),
      }),
    );
    const failures = `settlement_bridge_poller_failures_total{participant="${participant}",poll="${name}"`;
    expect(await metric(url, failures)).toBeDefined();
  }
  market.responses.clear();
  await waitFor('the end of the faults', async () => (await health(url)).status === 'ok');
});
