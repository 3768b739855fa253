import { waitFor } from '@ssb/testing';
import { CALCULATIONS, calculations, TIMELINE } from './support/market-answers.js';
import {
  drain,
  facts,
  market,
  participant,
  requestCount,
  setUpPollerTests,
  start,
} from './support/running-poller.js';

setUpPollerTests();

const UNREACHABLE = 'settlementbus.market.unreachable.v1';
const RECOVERED = 'settlementbus.market.recovered.v1';
const CONFIG = { defaults: { market: { unreachableAfter: '1s' } } };

it('an interface that fails for longer than allowed is unreachable until a poll succeeds, also of the next leader', async () => {
  market.answers.set(CALCULATIONS, 503);
  const first = await start({}, CONFIG);
  await waitFor('the outage', () => facts().length === 1);
  const before = requestCount(CALCULATIONS);
  await waitFor('further failures', () => requestCount(CALCULATIONS) > before + 2);
  await first.close();
  market.answers.set(CALCULATIONS, calculations(['09:00:00', '300000']));
  await start({}, CONFIG);
  await waitFor('the recovery', () => facts().length === 2);
  const [unreachable, recovered, ...others] = await drain();
  expect(others).toEqual([]);
  expect(unreachable).toMatchObject({
    type: UNREACHABLE,
    participant,
    data: { interface: 'prudential', since: expect.any(String), cause: 'server-error', allowedSeconds: 1 },
  });
  // It repeats the interface, the beginning and the cause of the outage.
  expect(recovered).toMatchObject({ type: RECOVERED, data: unreachable?.data });
});

it('an interface becomes unreachable during a pause, without another request', async () => {
  market.answers.set(CALCULATIONS, { retryAfterSeconds: 3_600 });
  await start({}, CONFIG);
  await waitFor('the outage', () => facts().length === 1);
  expect(requestCount(CALCULATIONS)).toBe(1);
  expect(await drain()).toMatchObject([
    { type: UNREACHABLE, data: { interface: 'prudential', cause: 'rate-limited' } },
  ]);
});

it('a refused token makes both interfaces unreachable', async () => {
  market.tokenStatus = 401;
  await start({}, CONFIG);
  await waitFor('both outages', () => facts().length === 2);
  market.tokenStatus = 200;
  await waitFor('both recoveries', () => facts().length === 4);
  const events = await drain();
  const causes = events.map(({ type, data }) => {
    const { interface: name, cause } = data as unknown as Record<string, string>;
    return `${type} ${name} ${cause}`;
  });
  expect(causes.slice(0, 2).sort()).toEqual([
    `${UNREACHABLE} prudential token`,
    `${UNREACHABLE} settlement token`,
  ]);
  expect(causes.slice(2).sort()).toEqual([`${RECOVERED} prudential token`, `${RECOVERED} settlement token`]);
  expect(requestCount(TIMELINE)).toBeGreaterThan(0);
});
