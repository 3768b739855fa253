import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const DAY_MS = 86_400_000;
const MARKET_OFFSET_MS = 8 * 3_600_000;
/** JSON of one variable of a statement, in its event. */
const VARIABLE_BYTES = 112;
const DESIGNATIONS = ['INITIAL', 'ADJ1', 'ADJ2', 'ADJ3'];

/** A reporting API whose responses the benchmark sets, and that knows when the last byte of each was written. */
export class PlayedOperator {
  /** When the last byte of the response with the breach was written, epoch milliseconds. */
  breachSentAt: number | undefined;
  /** Statements that were requested. */
  requestedStatements = 0;
  private calculations = '';
  private hasBreach = false;
  private runs: readonly string[] = [];
  private cycles = '[]';
  private statementBytes = 0;
  private lastCalculatedAt = Date.now() - 20 * 3_600_000;
  private readonly server = createServer((request, response) =>
    this.respond(new URL(request.url ?? '', 'http://operator').pathname, response),
  );

  constructor(private readonly participant: string) {}

  /** @returns the base address */
  async start(): Promise<string> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  /** The next responses of operation 1 have this many new calculations, the last of which may be below the threshold. */
  playCalculations(count: number, hasBreach: boolean): void {
    const rows = Array.from({ length: count }, (_, index) =>
      this.calculation(hasBreach && index === count - 1 ? -1_000_000 : 900_000),
    );
    this.breachSentAt = undefined;
    this.hasBreach = hasBreach;
    this.calculations = rows.join(',');
  }

  /** The timeline has this many runs of last weeks, each with a statement of this size. */
  playStatements(count: number, bytes: number): void {
    this.statementBytes = bytes;
    this.requestedStatements = 0;
    const today = toMarketTime(Date.now()).slice(0, 10);
    const weeks = Math.ceil(count / DESIGNATIONS.length);
    const cycles = Array.from({ length: weeks }, (_, week) => {
      const { from, to } = weekOf(week);
      const runs = DESIGNATIONS.slice(0, count - week * DESIGNATIONS.length).map((designation) => {
        const day = `${today}T00:00:00`;
        const dates = { commencementDate: day, statementDate: day, invoiceDate: day, settlementDate: day };
        return { designation, ...dates };
      });
      return {
        period: periodOf(from),
        marketService: 'WEM',
        periodFrom: `${from}T00:00:00`,
        periodTo: `${to}T00:00:00`,
        runs,
      };
    });
    this.runs = cycles.flatMap(({ periodFrom, runs }) =>
      runs.map(({ designation }) => `${periodFrom.slice(0, 10)}/${designation}`),
    );
    this.cycles = JSON.stringify(cycles);
  }

  private respond(path: string, response: ServerResponse): void {
    const send = (data: string, onSent?: () => void): void => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(`{"data":${data}}`, onSent);
    };
    if (path === '/api/v2/prudential') {
      const { hasBreach } = this;
      send(`[${this.calculations}]`, () => {
        if (hasBreach) this.breachSentAt ??= Date.now();
      });
      return;
    }
    if (path === '/api/v2/settlements/timeline') return send(`{"cycles":${this.cycles}}`);
    const [, day = '', designation = ''] =
      /^\/api\/v2\/settlements\/WEM\/summary\/(\d{4}-\d\d-\d\d)[^/]*\/(\w+)$/.exec(path) ?? [];
    const run = this.runs.indexOf(`${day}/${designation}`);
    if (run >= 0) {
      this.requestedStatements += 1;
      return send(this.statement(run, day, designation));
    }
    response.writeHead(404, { 'content-type': 'application/problem+json' });
    response.end('{"type":"about:blank","title":"Not Found","status":404}');
  }

  /** Each is half a second later than the one before, so that those of several runs are in the past. */
  private calculation(tradingMargin: number): string {
    this.lastCalculatedAt += 500;
    const calculatedAt = toMarketTime(this.lastCalculatedAt, 'milliseconds');
    return JSON.stringify({
      participantCode: this.participant,
      tradingDay: `${calculatedAt.slice(0, 10)}T00:00:00`,
      prepayment: 0,
      invoiceNotPaid: 120_000.5,
      cumulativeEstimatedExposure: 340_000.25,
      outstandingAmount: 460_000.75,
      creditSupport: 2_000_000,
      creditLimit: 1_500_000,
      tradingLimit: 1_800_000,
      tradingMargin,
      calculatedAt,
      isForecast: false,
    });
  }

  private statement(run: number, day: string, designation: string): string {
    const count = Math.ceil(this.statementBytes / VARIABLE_BYTES);
    const variables = Array.from({ length: count }, (_, index) => ({
      variable: `ENERGY_${index}`,
      pOrC: 'P',
      gstApplicable: 'Y',
      value: 1_000 + index / 100,
    }));
    return JSON.stringify({
      runId: run + 1,
      publishedAt: toMarketTime(Date.now()),
      marketService: 'WEM',
      designation,
      period: periodOf(day),
      periodFrom: `${day}T00:00:00`,
      periodTo: `${addDays(day, 6)}T00:00:00`,
      participantCode: this.participant,
      tradingDays: [{ tradingDay: `${day}T00:00:00`, variables }],
    });
  }
}

/** Market time without zone. */
function toMarketTime(epochMs: number, precision: 'seconds' | 'milliseconds' = 'seconds'): string {
  const digits = precision === 'seconds' ? 19 : 23;
  return new Date(epochMs + MARKET_OFFSET_MS).toISOString().slice(0, digits);
}

function addDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}

function weekOf(week: number): { readonly from: string; readonly to: string } {
  const from = addDays(toMarketTime(Date.now()).slice(0, 10), -7 * (week + 2));
  return { from, to: addDays(from, 6) };
}

function periodOf(day: string): string {
  const [, dd = '', mmm = '', yyyy = ''] = new Date(`${day}T00:00:00Z`).toUTCString().split(' ');
  return `TW ${dd} ${mmm} ${yyyy}`;
}
