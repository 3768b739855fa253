import { fenced, milliseconds, whole } from '../figures.js';
import { median } from '../statistics.js';
import { GOALS, verdict, type Goal } from './goals.js';
import { ENGINES, type BusFigures, type BusRun, type EngineRun } from './bus-figures.js';
import { FRESH } from './measured-bus.js';
import { IN_FLIGHT, type Part } from './publish.js';

type Write = (value: number) => string;

const perSecond: Write = (value) => `${whole(value)}/s`;
const ratio: Write = (value) => value.toFixed(2);
const megabytes: Write = (value) => `${whole(value)} MB`;
const microseconds: Write = (value) => `${whole(value)} µs`;

const PARTS: readonly Part[] = ['gateway', 'broker', 'engine', 'load'];
const MB_PER_MIB = 1.048576;

export function renderBus(figures: BusFigures): string {
  const { runs, messages, memory } = figures;
  return [
    `${runs.length} runs of ${whole(messages)} messages of 1 kB, ${IN_FLIGHT} in flight, schema and signature checked, durable at the broker; engines and peers by turns.`,
    'Delivery is the time from the request to the subscriber’s socket, at 500 messages a second; on the quiet channel, at 50. Peers take the same request and do nothing with it.',
    '',
    fenced(['what', 'Redis Streams', 'runs', 'goal', 'JetStream', 'runs', 'goal'], engineRows(runs)),
    '',
    fenced(['alone, in the same run', 'median', 'runs', 'goal'], aloneRows(runs)),
    '',
    fenced(['processor time of a message', 'Redis Streams', 'JetStream'], processorRows(runs)),
    '',
    fenced(
      ['process', 'resident MiB', 'highest MiB'],
      memory.map(({ name, resident, highest }) => [name, String(resident), String(highest)]),
    ),
    '',
    fenced(['idle clients of a gateway', 'without', 'with', 'goal', 'growth'], idleRows(figures)),
  ].join('\n');
}

function engineRows(runs: readonly BusRun[]): string[][] {
  const row = (
    what: string,
    of: (engine: EngineRun, run: BusRun) => number,
    write: Write,
    goal?: Goal,
  ): string[] => [
    what,
    ...ENGINES.flatMap((name) =>
      cells(
        runs.map((run) => of(run.engines[name], run)),
        write,
        goal,
      ),
    ),
  ];
  return [
    row('published', ({ published }) => published.perSecond, perSecond, GOALS.published),
    row('published / Nest alone', toNest, ratio, GOALS.publishedToNest),
    row('published, p50', ({ published }) => published.p50, milliseconds),
    row('published, p99', ({ published }) => published.p99, milliseconds),
    row('delivery, p50', ({ deliveries }) => deliveries.steady.p50, milliseconds, GOALS.deliveryP50),
    row('delivery, p99', ({ deliveries }) => deliveries.steady.p99, milliseconds, GOALS.deliveryP99),
    row('quiet channel by itself, p50', ({ deliveries }) => deliveries.quiet.p50, milliseconds),
    row('quiet channel by itself, p99', ({ deliveries }) => deliveries.quiet.p99, milliseconds),
    row('quiet beside busy, p50', ({ deliveries }) => deliveries.quietBesideBusy.p50, milliseconds),
    row('quiet beside busy, p99', ({ deliveries }) => deliveries.quietBesideBusy.p99, milliseconds),
    row('delayed by the busy one, p99', delayed, milliseconds, GOALS.quietDelayed),
    row('engine append alone', ({ append }) => append, perSecond),
  ];
}

function toNest({ published }: EngineRun, { nest }: BusRun): number {
  return published.perSecond / nest.perSecond;
}

function delayed({ deliveries: { quiet, quietBesideBusy } }: EngineRun): number {
  return Math.max(0, quietBesideBusy.p99 - quiet.p99);
}

function aloneRows(runs: readonly BusRun[]): string[][] {
  const row = (what: string, of: (run: BusRun) => number, goal?: Goal): string[] => [
    what,
    ...cells(runs.map(of), perSecond, goal),
  ];
  return [
    row('Fastify', ({ fastify }) => fastify.perSecond),
    row('Nest on Fastify with validation', ({ nest }) => nest.perSecond),
    row('payloads signed', ({ signatures }) => signatures.sign),
    row('text and signature → address', ({ signatures }) => signatures.recover, GOALS.recover),
  ];
}

function processorRows(runs: readonly BusRun[]): string[][] {
  return PARTS.map((part) => [
    part === 'load' ? 'load generator' : part,
    ...ENGINES.map((name) =>
      microseconds(median(runs.map(({ engines }) => engines[name].published.cpuMicros[part] ?? NaN))),
    ),
  ]);
}

/** The goal is a gateway's that has served nothing else: what a busy one holds besides is garbage that nobody wanted back yet. */
function idleRows({ idle }: BusFigures): string[][] {
  return idle.map(({ gateway, clients, before, with: during }) => {
    const [without, held] = [before.resident * MB_PER_MIB, during.resident * MB_PER_MIB];
    const goal = gateway === FRESH ? verdict(GOALS.idleMemory, held, megabytes) : '';
    return [
      `${whole(clients)}, ${gateway}`,
      megabytes(without),
      megabytes(held),
      goal,
      megabytes(held - without),
    ];
  });
}

function cells(values: readonly number[], write: Write, goal?: Goal): [string, string, string] {
  const middle = median(values);
  const range = `${write(Math.min(...values))} to ${write(Math.max(...values))}`;
  return [write(middle), values.length > 1 ? range : '', goal ? verdict(goal, middle, write) : ''];
}
