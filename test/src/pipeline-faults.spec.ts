import { waitFor } from '@ssb/testing';
import type { ProcessName } from '@ssb/tools';
import type { Fact } from './harness/market.js';
import { RunningSystem } from './harness/running-system.js';

const BURST = 30;
/** The fault is injected after this many arrivals. */
const ARRIVALS_BEFORE_FAULT = 5;

let running: RunningSystem;

beforeAll(async () => {
  running = await RunningSystem.start();
}, 240_000);

afterAll(() => running.stop());

/** Publishes a burst, injects the fault in the middle of it, and waits until everything has arrived. */
async function publishBurstWith(injectFault: () => Promise<void>): Promise<readonly Fact[]> {
  const before = listFacts().length;
  const countArrivals = (): number => listFacts().length - before;
  const facts = await running.market.publishStatements(BURST);
  await waitFor(
    () => `${ARRIVALS_BEFORE_FAULT} arrivals before the fault, ${countArrivals()} so far`,
    () => countArrivals() >= ARRIVALS_BEFORE_FAULT,
  );
  expect(countArrivals()).toBeLessThan(BURST);
  await injectFault();
  await running.waitForDetection(facts);
  await running.waitForDeliveries(facts, 90_000);
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

describe(`each of ${BURST} events reaches the webhook exactly once when, during the burst,`, () => {
  it.each<ProcessName>(['bus-publisher', 'gateway-publisher', 'broker', 'gateway-subscriber', 'poller'])(
    '%s is killed',
    async (name) => {
      const repeatedBefore = countRepeats();
      const facts = await publishBurstWith(async () => {
        await running.system.process(name).kill();
        await running.system.process(name).start();
      });
      expectExactlyOnce(facts);
      expect(countRepeats()).toBe(repeatedBefore);
    },
  );

  it('the subscriber is killed', async () => {
    const facts = await publishBurstWith(async () => {
      await running.system.process('subscriber').kill();
      await running.system.process('subscriber').start();
    });
    // Requests in flight are repeated with the same webhook id, so the receiver still counts one delivery.
    expectExactlyOnce(facts);
  });

  it('Redis is restarted', async () => {
    const repeatedBefore = countRepeats();
    expectExactlyOnce(await publishBurstWith(() => running.redis.restart()));
    expect(countRepeats()).toBe(repeatedBefore);
  });

  it('Redis is killed', async () => {
    const repeatedBefore = countRepeats();
    const facts = await publishBurstWith(async () => {
      await running.redis.kill();
      await running.redis.start();
    });
    expectExactlyOnce(facts);
    expect(countRepeats()).toBe(repeatedBefore);
  });

  // If an outcome cannot be recorded, the attempt is repeated with the same webhook id, and the receiver drops the repeat.
  it('PostgreSQL is restarted', async () => {
    expectExactlyOnce(await publishBurstWith(() => running.database.restart()));
  });

  it('PostgreSQL is killed', async () => {
    const facts = await publishBurstWith(async () => {
      await running.database.kill();
      await running.database.start();
    });
    expectExactlyOnce(facts);
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
