import {
  type Cycle,
  type Designation,
  parseDecimal,
  parseMarketDate,
  parseMarketDateTime,
  type SettlementStatementSummary,
  toInstant,
  TokenSource,
} from '@ssb/market';
import { OperatorClient, OperatorUnavailableError } from '@ssb/market/admin';
import { waitFor } from '@ssb/testing';
import type { SystemPlan } from '@ssb/tools';
import { readFileSync } from 'node:fs';

const DAY_MS = 24 * 3_600_000;
const MARKET_UTC_OFFSET_MS = 8 * 3_600_000;
/** More than TIMELINE_LOOKBACK_DAYS of the test systems. */
const ENDED_RUN_AGE_DAYS = 200;
/** After the first reminder, and long before the second one. */
const DAYS_TO_PAYMENT = 3;
/** Above the id of every first run. */
const FIRST_REVISED_RUN_ID = 1_000_000;
const DESIGNATIONS: readonly Designation[] = ['INITIAL', 'ADJ1', 'ADJ2', 'ADJ3'];

/** Identifies an expected event. */
export interface Fact {
  readonly type: string;
  readonly subject: string;
}

/** Publishes facts through the operator API, as an operator's systems would. */
export class Market {
  private readonly tokens: TokenSource;
  private readonly operator: OperatorClient;
  /** All days are relative to this time, so that a run keeps its period when the market's midnight passes. */
  private readonly started = Date.now();
  private weeks = 0;
  /** The runs of the weeks that the poller requests, by each subject of the week. */
  private readonly openWeeks = new Map<string, readonly number[]>();
  private lastCalculatedAt = 0;

  constructor(private readonly plan: SystemPlan) {
    const ca = readFileSync(plan.certificates.ca);
    const { id, secret } = plan.secrets.operatorClient;
    this.tokens = new TokenSource({
      authUrl: `https://127.0.0.1:${plan.ports.token}`,
      clientId: id,
      clientSecret: secret,
      ca,
    });
    this.operator = new OperatorClient({
      baseUrl: `http://127.0.0.1:${plan.ports.operator}`,
      tokenSource: this.tokens,
    });
  }

  /** Publishes `count` WEM statements that are due today, each of another run with this many variables. @returns the expected facts */
  async publishStatements(
    count: number,
    value = '1.00',
    variables = 1,
    publishedAt = Date.now(),
  ): Promise<Fact[]> {
    const first = this.weeks * DESIGNATIONS.length;
    const numbers = Array.from({ length: count }, (_, index) => first + index);
    const weeks = Array.from({ length: Math.ceil(count / DESIGNATIONS.length) }, (_, week) =>
      numbers.slice(week * DESIGNATIONS.length, (week + 1) * DESIGNATIONS.length),
    );
    this.weeks += weeks.length;
    const statements = numbers.map((number) => this.statement(number, value, variables, publishedAt));
    const timeline = { cycles: weeks.map((runs) => this.cycle(runs, this.started)) };
    // One transaction, because the poller requests a run as soon as the timeline names it.
    await this.operator.loadAll([
      ...statements.map((statement) => ({ kind: 'statements' as const, record: { statement } })),
      { kind: 'timelines', record: { timeline } },
    ]);
    for (const runs of weeks) for (const number of runs) this.openWeeks.set(this.subject(number), runs);
    return numbers.map((number) => ({
      type: 'settlementbus.statement.published.v1',
      subject: this.subject(number),
    }));
  }

  /** Publishes another version of a statement that was published. @returns the expected fact */
  async reviseStatement(
    { subject }: Fact,
    value: string,
    variables = 1,
    publishedAt = Date.now(),
  ): Promise<Fact> {
    const number = this.openWeeks.get(subject)?.find((each) => this.subject(each) === subject);
    if (number === undefined) throw new RangeError(`${subject} was not published`);
    const runId = FIRST_REVISED_RUN_ID + number;
    const statement = { ...this.statement(number, value, variables, publishedAt), runId };
    await this.operator.load({ kind: 'statements', record: { statement } });
    return { type: 'settlementbus.statement.revised.v1', subject };
  }

  /**
   * Publishes the invoice of a statement that was published. It is due in some days, after its first reminder.
   * @returns its day of payment, market date
   */
  async publishInvoice({ subject }: Fact, id: string, payableAmount: string): Promise<string> {
    const [, , day = '', designation] = subject.split('/');
    const dueDate = parseMarketDate(toMarketTime(Date.now() + DAYS_TO_PAYMENT * DAY_MS).slice(0, 10));
    const amount = parseDecimal(payableAmount);
    await this.operator.load({
      kind: 'invoices',
      record: {
        participantCode: this.plan.participant,
        marketService: 'WEM',
        periodFrom: parseMarketDate(day),
        designation: designation as Designation,
        invoice: {
          id,
          invoiceDate: parseMarketDate(toMarketTime(Date.now()).slice(0, 10)),
          dueDate,
          market: 'WEM',
          adjustment: 0,
          paymentSummary: {
            lineItems: [{ code: 'ENERGY', amount }],
            ...{ total: amount, payableAmount: amount, settlementRequired: true },
          },
        },
      },
    });
    return dueDate;
  }

  /**
   * Moves the runs of these facts, by default of all, before the days that the poller requests. Otherwise each poll would request their
   * invoices.
   */
  async endRuns(facts?: readonly Fact[]): Promise<void> {
    const subjects = facts?.map(({ subject }) => subject) ?? [...this.openWeeks.keys()];
    const weeks = new Set(subjects.flatMap((subject) => [this.openWeeks.get(subject) ?? []]));
    const due = this.started - ENDED_RUN_AGE_DAYS * DAY_MS;
    const cycles = [...weeks].filter((runs) => runs.length > 0).map((runs) => this.cycle(runs, due));
    if (cycles.length > 0) await waitFor('the operator API', () => this.loadTimeline({ cycles }));
    for (const subject of subjects) this.openWeeks.delete(subject);
  }

  /** Publishes a new calculation of the prudential position with this trading margin, AUD. */
  async publishMargin(tradingMargin: string, calculatedAt = this.nextCalculation()): Promise<void> {
    const participantCode = this.plan.participant;
    const calculation = {
      participantCode,
      tradingDay: parseMarketDateTime(`${calculatedAt.slice(0, 10)}T00:00:00`),
      outstandingAmount: parseDecimal('1000.00'),
      tradingMargin: parseDecimal(tradingMargin),
      calculatedAt: parseMarketDateTime(calculatedAt),
      isForecast: false,
    };
    await this.operator.load({ kind: 'prudential', record: { participantCode, calculation } });
  }

  /** The market time of a calculation that is not published yet. */
  nextCalculation(): string {
    // The API identifies a calculation by its second, so each one needs another second.
    this.lastCalculatedAt = Math.max(this.lastCalculatedAt + 1_000, Date.now());
    return toMarketTime(this.lastCalculatedAt);
  }

  /** Waits until no published calculation lies in the future, so that a calculation of the simulator is the newest. */
  async waitForCalculations(): Promise<void> {
    await waitFor('the time of the last calculation', () => Date.now() >= this.lastCalculatedAt + 1_000);
  }

  /** The next calculations are later than this one of the simulator. @param calculatedAt market time */
  continueAfter(calculatedAt: string): void {
    const last = toInstant(parseMarketDateTime(calculatedAt)).getTime();
    this.lastCalculatedAt = Math.max(this.lastCalculatedAt, last);
  }

  async close(): Promise<void> {
    await this.operator.close();
    await this.tokens.close();
  }

  /** @returns false while a fault that the test has injected ends */
  private loadTimeline(timeline: { cycles: Cycle[] }): Promise<boolean> {
    return this.operator.load({ kind: 'timelines', record: { timeline } }).then(
      () => true,
      (error: unknown) => {
        if (error instanceof OperatorUnavailableError) return false;
        throw error;
      },
    );
  }

  /** Each week has four runs, going back from last week, so that no two runs share period and designation. */
  private run(number: number): { day: string; last: string; designation: Designation } {
    const from = this.started - (7 * (1 + Math.floor(number / DESIGNATIONS.length)) + 7) * DAY_MS;
    return {
      day: toMarketTime(from).slice(0, 10),
      last: toMarketTime(from + 6 * DAY_MS).slice(0, 10),
      designation: DESIGNATIONS[number % DESIGNATIONS.length] ?? 'INITIAL',
    };
  }

  private subject(number: number): string {
    const { day, designation } = this.run(number);
    return `${this.plan.participant}/WEM/${day}/${designation}`;
  }

  private statement(
    number: number,
    value: string,
    variables: number,
    publishedAt: number,
  ): SettlementStatementSummary {
    const { day, last, designation } = this.run(number);
    const toMidnight = (date: string): ReturnType<typeof parseMarketDateTime> =>
      parseMarketDateTime(`${date}T00:00:00`);
    return {
      runId: number + 1,
      publishedAt: parseMarketDateTime(toMarketTime(publishedAt)),
      marketService: 'WEM',
      designation,
      period: formatTradingWeek(day),
      periodFrom: toMidnight(day),
      periodTo: toMidnight(last),
      participantCode: this.plan.participant,
      tradingDays: [
        {
          tradingDay: toMidnight(day),
          variables: Array.from({ length: variables }, (_, index) => ({
            variable: index === 0 ? 'ENERGY' : `ENERGY_${index}`,
            pOrC: 'P',
            gstApplicable: 'Y',
            value: parseDecimal(value),
          })),
        },
      ],
    };
  }

  /**
   * A cycle of the timeline, which holds all runs of its week.
   * @param due epoch milliseconds of the settlement day
   */
  private cycle(numbers: readonly number[], due: number): Cycle {
    const { day, last } = this.run(numbers[0] ?? 0);
    const date = parseMarketDateTime(`${toMarketTime(due).slice(0, 10)}T00:00:00`);
    const dates = { commencementDate: date, statementDate: date, invoiceDate: date, settlementDate: date };
    return {
      period: formatTradingWeek(day),
      marketService: 'WEM',
      periodFrom: parseMarketDateTime(`${day}T00:00:00`),
      periodTo: parseMarketDateTime(`${last}T00:00:00`),
      runs: numbers.map((number) => ({ designation: this.run(number).designation, ...dates })),
    };
  }
}

/** Market time without zone, to the second. */
function toMarketTime(epochMs: number): string {
  return new Date(epochMs + MARKET_UTC_OFFSET_MS).toISOString().slice(0, 19);
}

/** Name of a WEM trading week: `TW DD MMM YYYY`. */
export function formatTradingWeek(day: string): string {
  const [, dd = '', mmm = '', yyyy = ''] = new Date(`${day}T00:00:00Z`).toUTCString().split(' ');
  return `TW ${dd} ${mmm} ${yyyy}`;
}
