import type { BusEngine } from '../../harness/running-bus.js';
import {
  buildRow,
  formatInteger,
  formatMs,
  formatRate,
  formatRatio,
  median,
  renderFencedTable,
} from '../figures.js';
import type { MemoryUsage } from '../process-usage.js';
import type { SignatureRates } from './baselines/baselines.js';
import type { IdleClients } from './idle-clients.js';
import { type DeliveryFigures, UNUSED_GATEWAY } from './measured-bus.js';
import { type Component, IN_FLIGHT, type PublishFigures } from './publish.js';

export const ENGINES: readonly BusEngine[] = ['redis', 'nats'];

/** Figures of one engine in a run. */
export interface EngineRun {
  readonly published: PublishFigures;
  readonly deliveries: DeliveryFigures;
  /** Appends per second of the engine alone. */
  readonly append: number;
}

/** One run: both engines and the baselines. */
export interface BusRun {
  readonly engines: Readonly<Record<BusEngine, EngineRun>>;
  readonly fastify: PublishFigures;
  readonly nest: PublishFigures;
  readonly signatures: SignatureRates;
}

export interface BusFigures {
  readonly runs: readonly BusRun[];
  readonly messages: number;
  readonly idle: readonly IdleClients[];
  readonly memory: readonly MemoryUsage[];
}

export type Goal = { readonly atLeast: number } | { readonly atMost: number } | { readonly below: number };

/** Goals of the bus: messages per second, ratio, milliseconds, megabytes, addresses per second. */
const GOALS = {
  published: { atLeast: 3_800 },
  publishedToNest: { atLeast: 1 / 3 },
  deliveryP50: { below: 5 },
  deliveryP99: { below: 20 },
  quietDelayed: { atMost: 20 },
  idleMemory: { below: 200 },
  recover: { atLeast: 12_000 },
} as const satisfies Record<string, Goal>;

export function isMet(goal: Goal, value: number): boolean {
  if ('atLeast' in goal) return value >= goal.atLeast;
  if ('atMost' in goal) return value <= goal.atMost;
  return value < goal.below;
}

/** Goal and result as a table cell: `≥ 3 800/s, met`. */
export function formatGoal(goal: Goal, value: number, format: (value: number) => string): string {
  const result = isMet(goal, value) ? 'met' : 'MISSED';
  if ('atLeast' in goal) return `≥ ${format(goal.atLeast)}, ${result}`;
  if ('atMost' in goal) return `≤ ${format(goal.atMost)}, ${result}`;
  return `< ${format(goal.below)}, ${result}`;
}

type Format = (value: number) => string;

const formatMegabytes: Format = (value) => `${formatInteger(value)} MB`;
const formatMicros: Format = (value) => `${formatInteger(value)} µs`;

const COMPONENTS: readonly Component[] = ['gateway', 'broker', 'engine', 'load'];
const MB_PER_MIB = 1.048576;

export function renderBus(figures: BusFigures): string {
  const { runs, messages, memory } = figures;
  return [
    `${runs.length} runs of ${formatInteger(messages)} messages of 1 kB, ${IN_FLIGHT} in flight, schema and signature checked, durable at the broker; engines and peers alternate.`,
    'Delivery is the time from the request to the subscriber’s socket, at 500 messages per second (quiet channel: 50). Peers only respond to the same request.',
    '',
    renderFencedTable(
      ['what', 'Redis Streams', 'runs', 'goal', 'JetStream', 'runs', 'goal'],
      buildEngineRows(runs),
    ),
    '',
    renderFencedTable(['alone, in the same run', 'median', 'runs', 'goal'], buildAloneRows(runs)),
    '',
    renderFencedTable(
      ['processor time of a message', 'Redis Streams', 'JetStream'],
      buildProcessorRows(runs),
    ),
    '',
    renderFencedTable(
      ['process', 'resident MiB', 'highest MiB'],
      memory.map(({ name, resident, highest }) => [name, String(resident), String(highest)]),
    ),
    '',
    renderFencedTable(
      ['idle clients of a gateway', 'without', 'with', 'goal', 'growth'],
      buildIdleRows(figures),
    ),
  ].join('\n');
}

function buildEngineRows(runs: readonly BusRun[]): string[][] {
  const row = (
    name: string,
    select: (engine: EngineRun, run: BusRun) => number,
    format: Format,
    goal?: Goal,
  ): string[] => [
    name,
    ...ENGINES.flatMap((engine) =>
      toCells(
        runs.map((run) => select(run.engines[engine], run)),
        format,
        goal,
      ),
    ),
  ];
  return [
    row('published', ({ published }) => published.perSecond, formatRate, GOALS.published),
    row('published / Nest alone', computeRatioToNest, formatRatio, GOALS.publishedToNest),
    row('published, p50', ({ published }) => published.p50, formatMs),
    row('published, p99', ({ published }) => published.p99, formatMs),
    row('delivery, p50', ({ deliveries }) => deliveries.steady.p50, formatMs, GOALS.deliveryP50),
    row('delivery, p99', ({ deliveries }) => deliveries.steady.p99, formatMs, GOALS.deliveryP99),
    row('quiet channel by itself, p50', ({ deliveries }) => deliveries.quiet.p50, formatMs),
    row('quiet channel by itself, p99', ({ deliveries }) => deliveries.quiet.p99, formatMs),
    row('quiet beside busy, p50', ({ deliveries }) => deliveries.quietBesideBusy.p50, formatMs),
    row('quiet beside busy, p99', ({ deliveries }) => deliveries.quietBesideBusy.p99, formatMs),
    row('delayed by the busy one, p99', computeDelay, formatMs, GOALS.quietDelayed),
    row('engine append alone', ({ append }) => append, formatRate),
  ];
}

function computeRatioToNest({ published }: EngineRun, { nest }: BusRun): number {
  return published.perSecond / nest.perSecond;
}

function computeDelay({ deliveries: { quiet, quietBesideBusy } }: EngineRun): number {
  return Math.max(0, quietBesideBusy.p99 - quiet.p99);
}

function buildAloneRows(runs: readonly BusRun[]): string[][] {
  const row = (name: string, select: (run: BusRun) => number, goal?: Goal): string[] => [
    name,
    ...toCells(runs.map(select), formatRate, goal),
  ];
  return [
    row('Fastify', ({ fastify }) => fastify.perSecond),
    row('Nest on Fastify with validation', ({ nest }) => nest.perSecond),
    row('payloads signed', ({ signatures }) => signatures.sign),
    row('text and signature → address', ({ signatures }) => signatures.recover, GOALS.recover),
  ];
}

function buildProcessorRows(runs: readonly BusRun[]): string[][] {
  return COMPONENTS.map((component) => [
    component === 'load' ? 'load generator' : component,
    ...ENGINES.map((name) =>
      formatMicros(median(runs.map(({ engines }) => engines[name].published.cpuMicros[component] ?? NaN))),
    ),
  ]);
}

/** The goal applies to the unused gateway. A busy one also holds garbage that is not collected yet. */
function buildIdleRows({ idle }: BusFigures): string[][] {
  return idle.map(({ gateway, clients, before, with: during }) => {
    const [without, held] = [before.resident * MB_PER_MIB, during.resident * MB_PER_MIB];
    const goal = gateway === UNUSED_GATEWAY ? formatGoal(GOALS.idleMemory, held, formatMegabytes) : '';
    return [
      `${formatInteger(clients)}, ${gateway}`,
      formatMegabytes(without),
      formatMegabytes(held),
      goal,
      formatMegabytes(held - without),
    ];
  });
}

function toCells(values: readonly number[], format: Format, goal?: Goal): [string, string, string] {
  const [, middle, range] = buildRow('', values, format);
  return [middle, range, goal ? formatGoal(goal, median(values), format) : ''];
}
