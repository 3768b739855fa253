import { addDays, toMarketDate, toMarketDateTime } from '@ssb/market';
import { waitFor } from '@ssb/testing';
import { CALCULATIONS } from './support/market-responses.js';
import { health } from './support/health.js';
import { drain, facts, market, participant, setUpPollerTests, start } from './support/running-poller.js';

setUpPollerTests();

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

const LocalDate = Date;
afterEach(() => {
  globalThis.Date = LocalDate;
});

/** Sets the clock of the poller. Redis and the operator keep theirs. */
function shiftClock(ms: number): void {
  globalThis.Date = class extends LocalDate {
    constructor(...given: [] | [number | string]) {
      if (given.length === 0) super(LocalDate.now() + ms);
      else super(given[0]);
    }
    static override now(): number {
      return LocalDate.now() + ms;
    }
  } as DateConstructor;
  market.clockAheadMs = -ms;
}

function row(tradingMargin: string, calculatedAt: Date): string {
  const tradingDay = toMarketDate(calculatedAt);
  return `{"participantCode":"${participant}","tradingDay":"${tradingDay}T00:00:00","tradingMargin":${tradingMargin},"calculatedAt":"${toMarketDateTime(calculatedAt)}"}`;
}

it.each([
  ['25 hours behind', -25 * 60 * MINUTE_MS],
  ['16 days ahead', 16 * DAY_MS],
])('a breach is queued at once by a poller whose clock is %s', async (_, shiftMs) => {
  const before = new Date();
  shiftClock(shiftMs);
  market.responses.set(CALCULATIONS, `[${row('-1.00', before)}]`);
  await start();
  await waitFor('the breach', () => facts().length === 1);
  const [event] = await drain();
  expect(event?.type).toBe('settlementbus.margin.breached.v1');
  const detectedAt = LocalDate.parse(event?.detectedat ?? '') - before.getTime();
  expect(detectedAt).toBeGreaterThan(-2_000);
  expect(detectedAt).toBeLessThan(MINUTE_MS);
  const today = toMarketDate(before);
  const windows = market.requests.filter((url) => url.startsWith(CALCULATIONS));
  for (const url of windows) {
    const { searchParams } = new URL(url, market.url);
    expect((searchParams.get('dateFrom') ?? '') <= addDays(today, -1)).toBe(true);
    expect((searchParams.get('dateTo') ?? '') >= today).toBe(true);
  }
});

it('a calculation 50 minutes in the future is reported with its figures, and decided when its time comes', async () => {
  const [present, ahead] = [new Date(), new Date(Date.now() + 50 * MINUTE_MS)];
  market.responses.set(CALCULATIONS, `[${row('-1.00', present)},${row('300000.00', ahead)}]`);
  const first = await start();
  const detail = expect.stringMatching(
    `performed at ${toMarketDateTime(ahead)}, .* trading margin 300000.00\\.`,
  );
  const fault = { reason: 'calculation-in-future', participant, interface: 'prudential', detail };
  await waitFor('the fault', async () => (await health(first.url)).faults.length > 0);
  expect((await health(first.url)).faults).toMatchObject([fault]);
  await first.close();
  const second = await start();
  await waitFor('the fault', async () => (await health(second.url)).faults.length > 0);
  expect((await health(second.url)).faults).toMatchObject([fault]);
  expect(facts().map(({ eventType }) => eventType)).toEqual(['settlementbus.margin.breached.v1']);
  shiftClock(49.5 * MINUTE_MS);
  market.clockAheadMs = 0;
  await waitFor('the end of the breach', () => facts().length === 2);
  expect(facts()[1]?.['eventType']).toBe('settlementbus.margin.restored.v1');
  await waitFor('the end of the fault', async () =>
    (await health(second.url)).faults.every(({ reason }) => reason !== 'calculation-in-future'),
  );
});
