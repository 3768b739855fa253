import { addDays, type MarketDate } from '@ssb/market';
import { RUNS } from './runs.js';
import { timeline } from './timeline.js';

export interface StoreShape {
  readonly participants: number;
  readonly weeks: number;
  /** First trading day; a Sunday keeps the weeks whole. */
  readonly from: MarketDate;
}

const START = 'T00:00:00';

/** The code of the participant with this number. */
export const participantCode = (number: number): string => `P${String(number).padStart(4, '0')}`;

/**
 * The store that the benchmark reads from, as JSON lines of the operator's door, one participant at a time: weekly WEM runs with three
 * adjustments and a detail of 288 values for each trading day and run, NSTEM by four weeks with its estimations, one STEM run a week, an
 * invoice for each run; for each trading day two forecasts, the calculation of the morning with its figures and its NSTEM estimation, and
 * one more of the afternoon; at the end the timeline. Figures look random and are the same each time.
 * @param first number of the first participant
 */
export function* marketStore({ participants, weeks, from }: StoreShape, first = 0): Generator<string> {
  for (let number = first; number < participants; number++) {
    const code = participantCode(number);
    const figure = figures(number + 1);
    for (let week = 0; week < weeks; week++) {
      const first = addDays(from, 7 * week);
      const days = Array.from({ length: 7 }, (_, day) => addDays(first, day));
      for (const day of days) yield* position(code, day, figure);
      for (const [index, designation] of RUNS.entries()) {
        const run = { code, market: 'WEM', first, days, designation, runId: 10 * week + index + 1 };
        yield* published(run, figure);
        for (const day of days) yield line('statement-details', detail(run, day, 'DI', 288, figure));
        if (week % 4 === 0) {
          const monthly = { ...run, market: 'NSTEM' };
          yield* published(monthly, figure);
          for (const day of days) yield line('statement-estimations', detail(monthly, day, 'I', 48, figure));
        }
      }
      yield* published(
        { code, market: 'STEM', first, days, designation: 'INITIAL', runId: 10 * week + 1 },
        figure,
      );
    }
  }
  yield timeline(weeks, from);
}

interface Run {
  code: string;
  market: string;
  first: MarketDate;
  days: MarketDate[];
  designation: string;
  runId: number;
}
type Figure = () => string;

function* position(code: string, day: MarketDate, figure: Figure): Generator<string> {
  const calculatedAt = `${day}T08:00:00`;
  for (const ahead of [2, 1]) yield calculation(code, day, `${addDays(day, -ahead)}T08:00:00`, true, figure);
  yield calculation(code, day, calculatedAt, false, figure);
  yield calculation(code, day, `${day}T14:00:00`, false, figure);
  for (const kind of ['prudential-details', 'prudential-estimations']) {
    const output = `{"tradingDay":"${day}${START}","tradingDays":[${dayOf(code, day, 'I', 48, figure)}]}`;
    yield line(kind, `{"participantCode":"${code}","calculatedAt":"${calculatedAt}","output":${output}}`);
  }
}

function calculation(
  code: string,
  day: MarketDate,
  calculatedAt: string,
  isForecast: boolean,
  figure: Figure,
): string {
  return line(
    'prudential',
    `{"participantCode":"${code}","calculation":{"participantCode":"${code}","tradingDay":"${day}${START}","outstandingAmount":${figure()},"creditLimit":${figure()},"tradingLimit":${figure()},"tradingMargin":${figure()},"calculatedAt":"${calculatedAt}","isForecast":${isForecast}}}`,
  );
}

function* published(run: Run, figure: Figure): Generator<string> {
  const { code, market, first, days, designation, runId } = run;
  const tradingDays = days.map(
    (day) =>
      `{"tradingDay":"${day}${START}","variables":[{"variable":"ENERGY","pOrC":"P","gstApplicable":"Y","value":${figure()}}]}`,
  );
  yield line('statements', `{"statement":{${head(run)},"tradingDays":[${tradingDays.join(',')}]}}`);
  const total = figure().slice(0, -6);
  const invoice = `{"id":"${market}-${first.slice(2)}-${runId}","invoiceDate":"${addDays(first, 12)}","dueDate":"${addDays(first, 20)}","market":"${market}","paymentSummary":{"lineItems":[{"code":"ENERGY","amount":${total}}],"total":${total},"payableAmount":${total},"settlementRequired":true}}`;
  yield line(
    'invoices',
    `{"participantCode":"${code}","marketService":"${market}","periodFrom":"${first}","designation":"${designation}","invoice":${invoice}}`,
  );
}

function detail(run: Run, day: MarketDate, granularity: string, count: number, figure: Figure): string {
  return `{"details":{${head(run)},"tradingDay":"${day}${START}","tradingDays":[${dayOf(run.code, day, granularity, count, figure)}]}}`;
}

function head({ code, market, first, days, designation, runId }: Run): string {
  return `"runId":${runId},"publishedAt":"${addDays(first, 10)}T10:00:00","marketService":"${market}","designation":"${designation}","period":"${first}","periodFrom":"${first}${START}","periodTo":"${days.at(-1)}${START}","participantCode":"${code}"`;
}

function dayOf(code: string, day: MarketDate, granularity: string, count: number, figure: Figure): string {
  const variables = ['METERED_SCHEDULE', 'REFERENCE_PRICE'].map(
    (variable) =>
      `{"variable":"${variable}","scope":"${code}","granularity":"${granularity}","value":[${Array.from({ length: count }, figure).join(',')}]}`,
  );
  return `{"tradingDay":"${day}${START}","variables":[${variables.join(',')}]}`;
}

function line(kind: string, record: string): string {
  return `{"kind":"${kind}","record":${record}}`;
}

/** Figures of eight decimals by a small congruential generator: cheap, and the same for the same seed. */
function figures(seed: number): Figure {
  let state = seed;
  const next = (): number => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0);
  return () => `${next() % 10_000}.${String(next() % 100_000_000).padStart(8, '0')}`;
}
