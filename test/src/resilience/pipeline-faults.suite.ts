import type { TestRedis } from '@ssb/testing';
import type { ProcessName } from '@ssb/tools';
import type { Fact } from '../harness/market.js';
import { running } from './shared-system.js';

const BURST = 20;
/** The fault is injected after this many arrivals. */
const ARRIVALS_BEFORE_FAULT = 5;

/** Publishes a burst, injects the fault in the middle of it, and waits until everything has arrived. */
async function publishBurstWith(injectFault: () => Promise<void>): Promise<readonly Fact[]> {
  const before = listFacts().length;
  const countArrivals = (): number => listFacts().length - before;
  const inTheMiddle = new Promise<void>((resolve) =>
    running.receiver.onDelivery(() => {
      if (countArrivals() >= ARRIVALS_BEFORE_FAULT) resolve();
    }),
  );
  const published = running.market.publishStatements(BURST);
  await Promise.race([inTheMiddle, published.then(() => inTheMiddle)]);
  expect(countArrivals()).toBeLessThan(BURST);
  await injectFault();
  const facts = await published;
  await running.waitForDetection(facts);
  await running.waitForDeliveries(facts);
  return facts;
}

function expectExactlyOnce(facts: readonly Fact[]): void {
  const counts = new Map<string, number>();
  for (const { subject } of running.deliveredEvents()) counts.set(subject, (counts.get(subject) ?? 0) + 1);
  expect(facts.filter(({ subject }) => counts.get(subject) !== 1)).toEqual([]);
}

/** Deliveries of facts; operational alerts may come from the bus and from an app, with the same webhook id. */
const listFacts = () =>
  running.receiver.deliveries.filter(({ body }) => !body.includes('settlementbus.bridge.'));
/** Deliveries whose response was lost. They are repeated with the same webhook id, and the receiver drops the repeat. */
const countRepeats = (): number => listFacts().filter(({ attempts }) => attempts > 1).length;

async function killApps(names: readonly ProcessName[]): Promise<void> {
  const apps = names.map((name) => running.system.process(name));
  await Promise.all(apps.map((app) => app.kill()));
  await Promise.all(apps.map((app) => app.start()));
}

async function restartAndKill(server: Pick<TestRedis, 'restart' | 'kill' | 'start'>): Promise<void> {
  await server.restart();
  await server.kill();
  await server.start();
}

describe(`each of ${BURST} events reaches the webhook exactly once when, during the burst,`, () => {
  it.each<[string, () => Promise<void>]>([
    [
      'poller, publisher and its gateway are killed',
      () => killApps(['poller', 'bus-publisher', 'gateway-publisher']),
    ],
    [
      'the broker and the gateway of the subscriber are killed',
      () => killApps(['broker', 'gateway-subscriber']),
    ],
    ['Redis is restarted, then killed', () => restartAndKill(running.redis)],
  ])('%s', async (_, injectFault) => {
    const repeatedBefore = countRepeats();
    expectExactlyOnce(await publishBurstWith(injectFault));
    expect(countRepeats()).toBe(repeatedBefore);
  });

  // An attempt without a recorded outcome is repeated with the same webhook id, and the receiver drops the repeat.
  it.each<[string, () => Promise<void>]>([
    ['the subscriber is killed', () => killApps(['subscriber'])],
    ['PostgreSQL is restarted, then killed', () => restartAndKill(running.database)],
  ])('%s', async (_, injectFault) => {
    expectExactlyOnce(await publishBurstWith(injectFault));
  });
});

it('none of these faults quarantines an event or creates a dead letter', () => {
  const steps = new Set(running.lines.map(({ line }) => line.step));
  expect(steps.has('quarantined')).toBe(false);
  expect(steps.has('dead-lettered')).toBe(false);
  const deadLetters = running.lines.filter(
    ({ line }) => typeof line.msg === 'string' && /dead letter/i.test(line.msg),
  );
  expect(deadLetters).toEqual([]);
});
