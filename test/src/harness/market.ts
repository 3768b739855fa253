import {
  type Cycle,
  type Designation,
  parseDecimal,
  parseMarketDateTime,
  type SettlementStatementSummary,
  TokenSource,
} from '@ssb/market';
import { OperatorClient } from '@ssb/market-admin';
import type { SystemPlan } from '@ssb/tools';
import { readFileSync } from 'node:fs';

const DAY_MS = 24 * 3_600_000;
const MARKET_OFFSET_MS = 8 * 3_600_000;
/** More days than TIMELINE_LOOKBACK_DAYS of the test systems. */
const LONG_AGO_DAYS = 200;
const DESIGNATIONS: readonly Designation[] = ['INITIAL', 'ADJ1', 'ADJ2', 'ADJ3'];

export interface ExpectedFact {
  readonly type: string;
  readonly subject: string;
}

/** Publishes facts at the operator's door, as an operator's systems would. */
export class Market {
  private readonly tokens: TokenSource;
  private readonly door: OperatorClient;
  /** Days are counted from here, whatever the time is later: over the market’s midnight a run must keep its period. */
  private readonly began = Date.now();
  private weeks = 0;
  /** So many of them, counted from the first, have left the days that the poller requests. */
  private endedWeeks = 0;
  private lastCalculation = 0;

  constructor(private readonly plan: SystemPlan) {
    const ca = readFileSync(plan.certificates.ca);
    const { id, secret } = plan.secrets.operatorClient;
    this.tokens = new TokenSource({
      authUrl: `https://127.0.0.1:${plan.ports.token}`,
      clientId: id,
      clientSecret: secret,
      ca,
    });
    this.door = new OperatorClient({
      baseUrl: `http://127.0.0.1:${plan.ports.operator}`,
      tokenSource: this.tokens,
    });
  }

  /** Publishes `count` WEM statements that are due today, each of another run, and returns the facts to expect. */
  async publishStatements(count: number, value = '1.00'): Promise<ExpectedFact[]> {
    const weeks = Math.ceil(count / DESIGNATIONS.length);
    const first = this.weeks * DESIGNATIONS.length;
    this.weeks += weeks;
    const numbers = Array.from({ length: count }, (_, at) => first + at);
    // Statements first: a run that the timeline names is asked for at once, and a burst must be there to be found.
    for (const number of numbers) await this.door.loadStatement(this.statement(number, value));
    const byWeek = Array.from({ length: weeks }, (_, at) =>
      numbers.slice(at * DESIGNATIONS.length, (at + 1) * DESIGNATIONS.length),
    );
    await this.door.loadTimeline({ cycles: byWeek.map((week) => this.cycle(week, this.began)) });
    return numbers.map((number) => {
      const { day, designation } = this.run(number);
      return {
        type: 'settlementbus.statement.published.v1',
        subject: `${this.plan.participant}/WEM/${day}/${designation}`,
      };
    });
  }

  /**
   * Moves all runs so far before the days that the poller requests. This market issues no invoices; without this, the poller would request
   * the invoice of each run at every poll.
   */
  async endRuns(): Promise<void> {
    const cycles = Array.from({ length: this.weeks - this.endedWeeks }, (_, at) => {
      const first = (this.endedWeeks + at) * DESIGNATIONS.length;
      const numbers = DESIGNATIONS.map((_designation, index) => first + index);
      return this.cycle(numbers, this.began - LONG_AGO_DAYS * DAY_MS);
    });
    if (cycles.length > 0) await this.door.loadTimeline({ cycles });
    this.endedWeeks = this.weeks;
  }

  /** Publishes a new calculation of the prudential position with this trading margin, AUD. */
  async publishMargin(tradingMargin: string): Promise<void> {
    // Calculations are told apart by their second: never publish two for the same one.
    this.lastCalculation = Math.max(this.lastCalculation + 1_000, Date.now());
    const calculatedAt = marketTime(this.lastCalculation);
    await this.door.loadPrudential(this.plan.participant, {
      participantCode: this.plan.participant,
      tradingDay: parseMarketDateTime(`${calculatedAt.slice(0, 10)}T00:00:00`),
      outstandingAmount: parseDecimal('1000.00'),
      tradingMargin: parseDecimal(tradingMargin),
      calculatedAt: parseMarketDateTime(calculatedAt),
      isForecast: false,
    });
  }

  async close(): Promise<void> {
    await this.door.close();
    await this.tokens.close();
  }

  /** Runs are four to a week, going back from last week, so that no two share period and designation. */
  private run(number: number): { day: string; last: string; designation: Designation } {
    const from = this.began - (7 * (1 + Math.floor(number / DESIGNATIONS.length)) + 7) * DAY_MS;
    return {
      day: marketTime(from).slice(0, 10),
      last: marketTime(from + 6 * DAY_MS).slice(0, 10),
      designation: DESIGNATIONS[number % DESIGNATIONS.length] ?? 'INITIAL',
    };
  }

  private statement(number: number, value: string): SettlementStatementSummary {
    const { day, last, designation } = this.run(number);
    const at = (date: string): ReturnType<typeof parseMarketDateTime> =>
      parseMarketDateTime(`${date}T00:00:00`);
    return {
      runId: number + 1,
      publishedAt: parseMarketDateTime(marketTime(Date.now())),
      marketService: 'WEM',
      designation,
      period: tradingWeek(day),
      periodFrom: at(day),
      periodTo: at(last),
      participantCode: this.plan.participant,
      tradingDays: [
        {
          tradingDay: at(day),
          variables: [{ variable: 'ENERGY', pOrC: 'P', gstApplicable: 'Y', value: parseDecimal(value) }],
        },
      ],
    };
  }

  /**
   * A cycle of the timeline holds all the runs of its week.
   * @param due epoch milliseconds of the day on which they are settled
   */
  private cycle(numbers: readonly number[], due: number): Cycle {
    const { day, last } = this.run(numbers[0] ?? 0);
    const date = parseMarketDateTime(`${marketTime(due).slice(0, 10)}T00:00:00`);
    const dates = { commencementDate: date, statementDate: date, invoiceDate: date, settlementDate: date };
    return {
      period: tradingWeek(day),
      marketService: 'WEM',
      periodFrom: parseMarketDateTime(`${day}T00:00:00`),
      periodTo: parseMarketDateTime(`${last}T00:00:00`),
      runs: numbers.map((number) => ({ designation: this.run(number).designation, ...dates })),
    };
  }
}

/** Zone-less market time of an instant, to the second. */
function marketTime(epochMs: number): string {
  return new Date(epochMs + MARKET_OFFSET_MS).toISOString().slice(0, 19);
}

/** `TW DD MMM YYYY`, the name of a WEM trading week. */
function tradingWeek(day: string): string {
  const [, dd = '', mmm = '', yyyy = ''] = new Date(`${day}T00:00:00Z`).toUTCString().split(' ');
  return `TW ${dd} ${mmm} ${yyyy}`;
}
