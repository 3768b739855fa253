import { OperatorClient } from '@ssb/market/admin';
import {
  addDays,
  toMarketDateTime,
  parseDecimal,
  parseMarketDateTime,
  toMarketDate,
  type Cycle,
  type MarketDateTime,
  type SettlementStatementSummary,
} from '@ssb/market';
import type { LogLine } from '@ssb/tools';
import { setTimeout } from 'node:timers/promises';
import { formatTradingWeek } from '../../harness/market.js';

const HOUR_MS = 3_600_000;
/** A calculation of each participant in so many hours. */
const CALCULATION_INTERVAL_HOURS = 2;
/** Every so many calculations are below zero. */
const BREACH_EVERY = 5;
/** When the statements of the day are published. */
const PUBLICATION_HOUR = 10;

/** When a record was inserted at the operator, by the key of its event. */
type Insertions = Map<string, number>;

/** Plays a day of the operator for many participants, and compares the poller's events with it. Times are those of `performance`. */
export class PlayedDay {
  private readonly insertions: Insertions = new Map();
  private readonly queued = new Map<string, number[]>();
  private readonly day = toMarketDate(new Date());
  private readonly first = addDays(this.day, -14);

  constructor(
    private readonly operator: OperatorClient,
    private readonly codes: readonly string[],
    private readonly speed: number,
  ) {}

  /** Publishes the timeline: the statement of one run is due today, and its invoice in two days. */
  async prepare(): Promise<void> {
    const at = (date: string): MarketDateTime => parseMarketDateTime(`${date}T00:00:00`);
    const cycles: Cycle[] = [
      {
        period: formatTradingWeek(this.first),
        marketService: 'WEM',
        periodFrom: at(this.first),
        periodTo: at(addDays(this.first, 6)),
        runs: [
          {
            designation: 'INITIAL',
            commencementDate: at(addDays(this.day, -1)),
            statementDate: at(this.day),
            invoiceDate: at(addDays(this.day, 2)),
            settlementDate: at(addDays(this.day, 7)),
          },
        ],
      },
    ];
    await this.operator.load({ kind: 'timelines', record: { timeline: { cycles } } });
  }

  /** @param hours of the played day */
  async play(hours: number, print: (text: string) => void): Promise<void> {
    const started = performance.now();
    const steps = this.codes
      .flatMap((code, index) =>
        Array.from({ length: Math.floor(hours / CALCULATION_INTERVAL_HOURS) }, (_, number) => ({
          // Participants publish at different moments.
          hour: (number + (index + 0.5) / this.codes.length) * CALCULATION_INTERVAL_HOURS,
          run: () => this.publishCalculation(code, number),
        })),
      )
      .concat(
        hours > PUBLICATION_HOUR ? [{ hour: PUBLICATION_HOUR, run: () => this.publishStatements() }] : [],
      )
      .sort((a, b) => a.hour - b.hour);
    let printed = 0;
    for (const { hour, run } of steps) {
      await setTimeout(Math.max(0, started + (hour * HOUR_MS) / this.speed - performance.now()));
      await run();
      if (hour - printed < 1) continue;
      printed = Math.floor(hour);
      print(`hour ${printed} of ${hours} …`);
    }
    await setTimeout(Math.max(0, started + (hours * HOUR_MS) / this.speed - performance.now()));
  }

  /** Takes in a log line of the poller. */
  record({ step, eventType, factTime, subject, participant }: LogLine): void {
    if (step !== 'queued') return;
    const key =
      eventType === 'settlementbus.position.calculated.v1'
        ? `${String(participant)} ${String(factTime)}`
        : eventType === 'settlementbus.statement.published.v1'
          ? String(subject)
          : undefined;
    if (key !== undefined) this.queued.set(key, [...(this.queued.get(key) ?? []), performance.now()]);
  }

  /** Delays from the insertion to the queue, milliseconds, and what was not detected or more than once. */
  result(): { readonly delays: readonly number[]; readonly missed: number; readonly repeated: number } {
    const times = [...this.insertions].map(([key, at]) => ({ at, found: this.queued.get(key) ?? [] }));
    return {
      delays: times.flatMap(({ at, found }) => found.slice(0, 1).map((time) => time - at)),
      missed: times.filter(({ found }) => found.length === 0).length,
      repeated: times.filter(({ found }) => found.length > 1).length,
    };
  }

  private async publishCalculation(code: string, number: number): Promise<void> {
    const calculatedAt = toMarketDateTime(new Date());
    const calculation = {
      participantCode: code,
      tradingDay: parseMarketDateTime(`${calculatedAt.slice(0, 10)}T00:00:00`),
      tradingMargin: parseDecimal(number % BREACH_EVERY === 0 ? '-1000.00' : '900000.00'),
      outstandingAmount: parseDecimal('1000.00'),
      calculatedAt,
      isForecast: false,
    };
    await this.operator.load({ kind: 'prudential', record: { participantCode: code, calculation } });
    this.insertions.set(`${code} ${calculatedAt.slice(0, 19)}+08:00`, performance.now());
  }

  private async publishStatements(): Promise<void> {
    const statements = this.codes.map((code, index) => this.statementOf(code, index + 1));
    await this.operator.loadAll(
      statements.map((statement) => ({ kind: 'statements' as const, record: { statement } })),
    );
    for (const code of this.codes)
      this.insertions.set(`${code}/WEM/${this.first}/INITIAL`, performance.now());
  }

  private statementOf(participantCode: string, runId: number): SettlementStatementSummary {
    const at = (date: string): MarketDateTime => parseMarketDateTime(`${date}T00:00:00`);
    const variable = {
      variable: 'ENERGY',
      pOrC: 'P',
      gstApplicable: 'Y',
      value: parseDecimal('1.00'),
    } as const;
    return {
      runId,
      publishedAt: toMarketDateTime(new Date()),
      marketService: 'WEM',
      designation: 'INITIAL',
      period: formatTradingWeek(this.first),
      periodFrom: at(this.first),
      periodTo: at(addDays(this.first, 6)),
      participantCode,
      tradingDays: [{ tradingDay: at(this.first), variables: [variable] }],
    };
  }
}
