import { addDays, type MarketDate } from '@ssb/market';

/** The runs of a period, in order. */
export const RUNS = ['INITIAL', 'ADJ1', 'ADJ2', 'ADJ3'] as const;

export interface StoreSize {
  readonly participants: number;
  readonly weeks: number;
  /** First trading day, a Sunday. */
  readonly from: MarketDate;
}

const MIDNIGHT = 'T00:00:00';

export const toParticipantCode = (number: number): string => `P${String(number).padStart(4, '0')}`;

/**
 * Generates JSON lines for the operator API: the prudential and settlement records of each participant, then the timeline. Equal sizes
 * give equal lines.
 * @param first number of the first participant
 */
export function* generateRecords({ participants, weeks, from }: StoreSize, first = 0): Generator<string> {
  for (let number = first; number < participants; number++) {
    const code = toParticipantCode(number);
    const figure = createFigureGenerator(number + 1);
    for (let week = 0; week < weeks; week++) {
      const first = addDays(from, 7 * week);
      const days = Array.from({ length: 7 }, (_, day) => addDays(first, day));
      for (const day of days) yield* generatePrudential(code, day, figure);
      for (const [index, designation] of RUNS.entries()) {
        const run = { code, market: 'WEM', first, days, designation, runId: 10 * week + index + 1 };
        yield* generateStatement(run, figure);
        for (const day of days) yield toLine('statement-details', buildDetail(run, day, 'DI', 288, figure));
        if (week % 4 === 0) {
          const monthly = { ...run, market: 'NSTEM' };
          yield* generateStatement(monthly, figure);
          for (const day of days)
            yield toLine('statement-estimations', buildDetail(monthly, day, 'I', 48, figure));
        }
      }
      yield* generateStatement(
        { code, market: 'STEM', first, days, designation: 'INITIAL', runId: 10 * week + 1 },
        figure,
      );
    }
  }
  yield buildTimeline(weeks, from);
}

interface Run {
  code: string;
  market: string;
  first: MarketDate;
  days: MarketDate[];
  designation: string;
  runId: number;
}
/** Returns the next figure. */
type Figure = () => string;

function* generatePrudential(code: string, day: MarketDate, figure: Figure): Generator<string> {
  const calculatedAt = `${day}T08:00:00`;
  for (const ahead of [2, 1])
    yield buildCalculation(code, day, `${addDays(day, -ahead)}T08:00:00`, true, figure);
  yield buildCalculation(code, day, calculatedAt, false, figure);
  yield buildCalculation(code, day, `${day}T14:00:00`, false, figure);
  for (const kind of ['prudential-details', 'prudential-estimations']) {
    const output = `{"tradingDay":"${day}${MIDNIGHT}","tradingDays":[${buildDay(code, day, 'I', 48, figure)}]}`;
    yield toLine(kind, `{"participantCode":"${code}","calculatedAt":"${calculatedAt}","output":${output}}`);
  }
}

function buildCalculation(
  code: string,
  day: MarketDate,
  calculatedAt: string,
  isForecast: boolean,
  figure: Figure,
): string {
  return toLine(
    'prudential',
    `{"participantCode":"${code}","calculation":{"participantCode":"${code}","tradingDay":"${day}${MIDNIGHT}","outstandingAmount":${figure()},"creditLimit":${figure()},"tradingLimit":${figure()},"tradingMargin":${figure()},"calculatedAt":"${calculatedAt}","isForecast":${isForecast}}}`,
  );
}

function* generateStatement(run: Run, figure: Figure): Generator<string> {
  const { code, market, first, days, designation, runId } = run;
  const tradingDays = days.map(
    (day) =>
      `{"tradingDay":"${day}${MIDNIGHT}","variables":[{"variable":"ENERGY","pOrC":"P","gstApplicable":"Y","value":${figure()}}]}`,
  );
  yield toLine('statements', `{"statement":{${buildHead(run)},"tradingDays":[${tradingDays.join(',')}]}}`);
  const total = figure().slice(0, -6);
  const invoice = `{"id":"${market}-${first.slice(2)}-${runId}","invoiceDate":"${addDays(first, 12)}","dueDate":"${addDays(first, 20)}","market":"${market}","paymentSummary":{"lineItems":[{"code":"ENERGY","amount":${total}}],"total":${total},"payableAmount":${total},"settlementRequired":true}}`;
  yield toLine(
    'invoices',
    `{"participantCode":"${code}","marketService":"${market}","periodFrom":"${first}","designation":"${designation}","invoice":${invoice}}`,
  );
}

function buildDetail(run: Run, day: MarketDate, granularity: string, count: number, figure: Figure): string {
  return `{"details":{${buildHead(run)},"tradingDay":"${day}${MIDNIGHT}","tradingDays":[${buildDay(run.code, day, granularity, count, figure)}]}}`;
}

function buildHead({ code, market, first, days, designation, runId }: Run): string {
  return `"runId":${runId},"publishedAt":"${addDays(first, 10)}T10:00:00","marketService":"${market}","designation":"${designation}","period":"${first}","periodFrom":"${first}${MIDNIGHT}","periodTo":"${days.at(-1)}${MIDNIGHT}","participantCode":"${code}"`;
}

function buildDay(code: string, day: MarketDate, granularity: string, count: number, figure: Figure): string {
  const variables = ['METERED_SCHEDULE', 'REFERENCE_PRICE'].map(
    (variable) =>
      `{"variable":"${variable}","scope":"${code}","granularity":"${granularity}","value":[${Array.from({ length: count }, figure).join(',')}]}`,
  );
  return `{"tradingDay":"${day}${MIDNIGHT}","variables":[${variables.join(',')}]}`;
}

function toLine(kind: string, record: string): string {
  return `{"kind":"${kind}","record":${record}}`;
}

/** Figures with eight decimals from a linear congruential generator. Equal seeds give equal figures. */
function createFigureGenerator(seed: number): Figure {
  let state = seed;
  const next = (): number => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0);
  return () => `${next() % 10_000}.${String(next() % 100_000_000).padStart(8, '0')}`;
}

/** One line with the weekly WEM cycles. */
function buildTimeline(weeks: number, from: MarketDate): string {
  const cycles = Array.from({ length: weeks }, (_, week) => buildCycle(addDays(from, 7 * week)));
  return `{"kind":"timelines","record":{"timeline":{"cycles":[${cycles.join(',')}]}}}`;
}

function buildCycle(first: MarketDate): string {
  const runs = RUNS.map((designation, index) => {
    const dayAfter = (after: number): string => `"${addDays(first, 28 * index + after)}T00:00:00"`;
    return `{"designation":"${designation}","commencementDate":${dayAfter(8)},"statementDate":${dayAfter(10)},"invoiceDate":${dayAfter(12)},"settlementDate":${dayAfter(20)}}`;
  });
  return `{"period":"TW ${formatTradingWeek(first)}","marketService":"WEM","periodFrom":"${first}T00:00:00","periodTo":"${addDays(first, 6)}T00:00:00","runs":[${runs.join(',')}]}`;
}

/** `01 MAR 2026`, as in the name of a WEM period (document 000). */
function formatTradingWeek(first: MarketDate): string {
  const month = new Date(`${first}T00:00:00Z`).toLocaleString('en-US', { month: 'short', timeZone: 'UTC' });
  return `${first.slice(8)} ${month.toUpperCase()} ${first.slice(0, 4)}`;
}

/** Bytes. Below the limit of the operator API. */
export const MAX_BODY_BYTES = 15 * 1024 * 1024;

/** Groups lines into request bodies. The lines are ASCII, so a character is a byte. */
export function* groupIntoBodies(lines: Iterable<string>): Generator<{ body: string; records: number }> {
  let group: string[] = [];
  let bytes = 0;
  for (const line of lines) {
    if (group.length > 0 && bytes + line.length + 1 > MAX_BODY_BYTES) {
      yield { body: group.join(''), records: group.length };
      group = [];
      bytes = 0;
    }
    group.push(`${line}\n`);
    bytes += line.length + 1;
  }
  if (group.length > 0) yield { body: group.join(''), records: group.length };
}
