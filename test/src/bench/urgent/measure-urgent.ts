import { waitFor } from '@ssb/testing';
import { ResourceStack } from '@ssb/tools';
import { writeFileSync } from 'node:fs';
import { PARTICIPANT, RunningSystem } from '../../harness/running-system.js';
import { median, renderFencedTable } from '../figures.js';
import { readMemoryUsage } from '../process-usage.js';
import { reduced, type BenchOptions, type Section } from '../section.js';
import { PlayedOperator } from './played-operator.js';

/** With its escapes nearly the default `maxMsgSize` of a channel. A larger statement is summarised. */
const STATEMENT_BYTES = 750_000;
const SMALL_STATEMENT_BYTES = 1_000;
/** Of a slow receiver. */
const RESPONSE_MS = 500;
const BREACHED = 'settlementbus.margin.breached.v1';
const RESTORED = 'settlementbus.margin.restored.v1';
const MAX_WAIT_MS = 120_000;
/** Until all events of a situation are archived. */
const MAX_DRAIN_MS = 900_000;
const PROCESSES = [
  'poller',
  'bus-publisher',
  'gateway-publisher',
  'broker',
  'gateway-subscriber',
  'subscriber',
] as const;

/** What stands before the breach. */
interface Situation {
  readonly name: string;
  readonly prepare: (system: MeasuredSystem) => Promise<void> | void;
  /** Calculations in the response with the breach. */
  readonly calculations: number;
}

interface Figure {
  readonly name: string;
  /** Milliseconds from the last byte of the operator's response to the receipt at the webhook, of each run; Infinity when it did not come. */
  readonly delays: number[];
  /** Highest resident size of each process, MiB. */
  readonly memory: Record<string, number>;
}

/** A margin breach behind work that is not urgent, from the operator's response to the webhook. */
export const urgent: Section = {
  name: 'urgent',
  about: 'a margin breach behind large responses, large statements and many notices',
  async run(options, print, resources) {
    const figures: Figure[] = listSituations(options).map(({ name }) => ({ name, delays: [], memory: {} }));
    for (let run = 1; run <= options.runs; run += 1) {
      print(`run ${run} of ${options.runs}: starting the system …`);
      // The operator plays the same weeks in each run, so each has a poller that does not know them.
      const ofRun = new ResourceStack();
      await resources.defer(() => ofRun.release());
      const system = await MeasuredSystem.start();
      await ofRun.defer(() => system.stop());
      await system.measureBreach({ name: 'warm-up', calculations: 1, prepare: () => undefined });
      for (const [index, situation] of listSituations(options).entries()) {
        system.resetMemory();
        const delay = await system.measureBreach(situation);
        print(`run ${run}: a breach ${situation.name}: ${Math.round(delay)} ms`);
        const figure = figures[index];
        figure?.delays.push(delay);
        raiseTo(figure?.memory, system.readMemory());
      }
      await ofRun.release();
    }
    return { figures, report: render(figures) };
  },
};

function listSituations({ calculations, statements, divisor }: BenchOptions): Situation[] {
  const few = Math.ceil((calculations * 3) / 20);
  const prepare = (): void => undefined;
  return [
    { name: 'alone', calculations: 1, prepare },
    { name: `in a response of ${few} calculations`, calculations: few, prepare },
    { name: `in a response of ${calculations} calculations`, calculations, prepare },
    {
      name: `after a response of ${few} calculations`,
      calculations: 1,
      prepare: (system) => system.queueCalculations(few),
    },
    {
      name: `behind ${statements} statements of ${STATEMENT_BYTES / 1e6} MB`,
      calculations: 1,
      prepare: (system) => system.queueStatements(statements),
    },
    ...[600, 1_500].map((count): Situation => {
      const notices = reduced(count, { divisor });
      return {
        name: `behind ${notices} notices, ${RESPONSE_MS / 1_000} s each`,
        calculations: 1,
        prepare: (system) => system.queueNotices(notices),
      };
    }),
  ];
}

function raiseTo(highest: Record<string, number> = {}, memory: Readonly<Record<string, number>>): void {
  for (const [name, mebibytes] of Object.entries(memory))
    highest[name] = Math.max(highest[name] ?? 0, mebibytes);
}

/** The whole system with an operator whose responses the benchmark sets. */
class MeasuredSystem {
  private constructor(
    private readonly operator: PlayedOperator,
    private readonly running: RunningSystem,
  ) {}

  static async start(): Promise<MeasuredSystem> {
    const operator = new PlayedOperator(PARTICIPANT);
    const url = await operator.start();
    const poller = { PRUDENTIAL_URL: url, SETTLEMENT_URL: url, LOG_LEVEL: 'info' };
    operator.playCalculations(1, false);
    const running = await RunningSystem.start({ poller });
    return new MeasuredSystem(operator, running);
  }

  async stop(): Promise<void> {
    await this.running.stop();
    await this.operator.stop();
  }

  /** Sets the highest resident size of each process to the present one: proc(5), `clear_refs`. */
  resetMemory(): void {
    for (const { pid } of this.processes()) writeFileSync(`/proc/${pid}/clear_refs`, '5');
  }

  readMemory(): Record<string, number> {
    return Object.fromEntries(readMemoryUsage(this.processes()).map(({ name, highest }) => [name, highest]));
  }

  async queueCalculations(count: number): Promise<void> {
    const queued = this.countEvents('poller', 'queued');
    this.operator.playCalculations(count, false);
    await waitFor('the first calculation', () => queued() > 0);
  }

  async queueStatements(count: number): Promise<void> {
    const queued = this.countEvents('poller', 'queued');
    this.operator.playStatements(count, STATEMENT_BYTES);
    await waitFor('the queued statements', () => queued() >= count, MAX_DRAIN_MS);
  }

  /** Statements whose events wait for a receiver that is slow until the breach is measured. */
  async queueNotices(count: number): Promise<void> {
    const { receiver } = this.running;
    const archived = this.countEvents('subscriber', 'archived');
    receiver.responseDelayMs = RESPONSE_MS;
    this.operator.playStatements(count, SMALL_STATEMENT_BYTES);
    await waitFor('the archived notices', () => archived() >= count, MAX_DRAIN_MS);
  }

  /** @returns milliseconds from the last byte of the operator's response to the receipt at the webhook */
  async measureBreach({ prepare, calculations }: Situation): Promise<number> {
    const { operator } = this;
    await prepare(this);
    const breachedAt = this.watchReceipt(BREACHED);
    operator.playCalculations(calculations, true);
    const at = await waitUntil(breachedAt);
    const delay = at - (operator.breachSentAt ?? NaN);
    const restoredAt = this.watchReceipt(RESTORED);
    this.running.receiver.responseDelayMs = 0;
    operator.playStatements(0, 0);
    operator.playCalculations(1, false);
    await waitUntil(restoredAt);
    await waitFor('the rest of the events', () => this.isIdle(), MAX_DRAIN_MS);
    return delay;
  }

  /** Whether every event that was queued is archived. An interrupted detection queues its events again. */
  private isIdle(): boolean {
    return this.total('poller', 'queued') <= this.total('subscriber', 'archived');
  }

  private readonly totals = new Map<string, { scanned: number; readonly ids: Set<unknown> }>();

  private total(app: string, step: string): number {
    const total = this.totals.get(`${app} ${step}`) ?? { scanned: 0, ids: new Set() };
    this.totals.set(`${app} ${step}`, total);
    const lines = this.running.linesOf(app);
    for (; total.scanned < lines.length; total.scanned += 1) {
      const line = lines[total.scanned];
      if (line?.step === step) total.ids.add(line['eventId']);
    }
    return total.ids.size;
  }

  private countEvents(app: string, step: string): () => number {
    const before = this.total(app, step);
    return () => this.total(app, step) - before;
  }

  /** When the webhook receives the next event of a type. */
  private watchReceipt(type: string): () => number | undefined {
    let receivedAt: number | undefined;
    this.running.receiver.onDelivery((delivery) => {
      if ((JSON.parse(delivery.body) as { type: string }).type === type) receivedAt ??= delivery.receivedAt;
    });
    return () => receivedAt;
  }

  private processes(): { readonly name: string; readonly pid: number | undefined }[] {
    return PROCESSES.map((name) => ({ name, pid: this.running.system.process(name).pid }));
  }
}

async function waitUntil(receivedAt: () => number | undefined): Promise<number> {
  let at: number | undefined;
  try {
    await waitFor('the event', () => (at ??= receivedAt()) !== undefined, MAX_WAIT_MS);
  } catch {
    return Infinity;
  }
  return at ?? Infinity;
}

function render(figures: readonly Figure[]): string {
  const format = (ms: number): string =>
    Number.isFinite(ms) ? `${(ms / 1_000).toFixed(2)} s` : `none in ${MAX_WAIT_MS / 1_000} s`;
  return [
    `Time from the last byte of the operator's response to the receipt at the webhook, ${figures[0]?.delays.length ?? 0} runs. The goal is below 3 s.`,
    '',
    renderFencedTable(
      ['a breach', 'median', 'runs'],
      figures.map(({ name, delays }) => [name, format(median(delays)), delays.map(format).join(', ')]),
    ),
    '',
    'Highest resident size of each process in these runs.',
    '',
    renderFencedTable(
      ['a breach', ...PROCESSES],
      figures.map(({ name, memory }) => [name, ...PROCESSES.map((each) => `${memory[each]} MiB`)]),
    ),
  ].join('\n');
}
