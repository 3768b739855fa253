import { renderRow } from '@ssb/platform';
import { load, type LoadRequest, type LoadResult } from '../load.js';
import { memoryOf, type Memory } from '../process-usage.js';
import { startReporting, type RunningReporting } from '../reporting/running-reporting.js';
import type { Stops } from '../section.js';
import { bodiesOf } from './bodies.js';
import { marketStore, participantCode, type StoreShape } from './market-store.js';
import { storeQuestions } from './operations.js';

const IN_FLIGHT = 50;
/** Connections of one participant: requests of one participant must not wait for each other. */
const CONNECTIONS = 4;

export interface StoreFigures {
  readonly records: number;
  readonly jsonBytes: number;
  readonly loadSeconds: number;
  readonly diskBytes: number;
  readonly operations: readonly (LoadResult & { operation: string })[];
  /** Operation 6 while one more body was loaded: the worst round of them. */
  readonly whileLoading: LoadResult;
  readonly memory: Memory;
}

/** Starts the reporting API, loads the store, requests each operation, and stops it. */
export async function measureOperations(
  shape: StoreShape,
  requests: number,
  say: (text: string) => void,
  stops: Stops,
): Promise<StoreFigures> {
  const running = await startReporting();
  const stop = once(() => running.stop());
  stops.add(stop);
  try {
    const loaded = await loadStore(running, shape, say);
    const ask = await asking(running, shape.participants, stops);
    const questions = storeQuestions(shape);
    const operations = [];
    // All of them are asked unmeasured first, so that no operation pays for connections and compilers that are cold.
    for (const { path } of questions) await load(() => ask(path()), 4 * IN_FLIGHT, IN_FLIGHT);
    for (const { operation, path } of questions) {
      const result = await load(() => ask(path()), requests, IN_FLIGHT);
      say(renderRow([operation, `p50 ${result.p50.toFixed(1)} ms, p99 ${result.p99.toFixed(1)} ms`], [32]));
      operations.push({ operation, ...result });
    }
    const detail = questions.find(({ operation }) => operation.startsWith('6'));
    const whileLoading = await readWhileLoading(running, shape, () => ask(detail?.path() ?? ''));
    say(`while a body is loaded, p99 ${whileLoading.p99.toFixed(1)} ms`);
    const [size] = await running.database.query<{ bytes: string }>(
      'SELECT pg_database_size(current_database()) AS bytes',
    );
    const [memory = { name: 'reporting', resident: 0, highest: 0 }] = memoryOf([
      { name: 'reporting', pid: running.process.pid },
    ]);
    return { ...loaded, diskBytes: Number(size?.bytes), operations, whileLoading, memory };
  } finally {
    await stop();
  }
}

async function loadStore(running: RunningReporting, shape: StoreShape, say: (text: string) => void) {
  let records = 0;
  let jsonBytes = 0;
  let milliseconds = 0;
  for (const part of bodiesOf(marketStore(shape))) {
    const began = performance.now();
    await running.loadLines(part.body);
    milliseconds += performance.now() - began;
    records += part.records;
    jsonBytes += part.body.length;
    say(
      `${records} records, ${Math.round(jsonBytes / 1024 / 1024)} MiB, loaded in ${Math.round(milliseconds / 1000)} s`,
    );
  }
  return { records, jsonBytes, loadSeconds: milliseconds / 1000 };
}

/** Requests of up to 50 participants in turn, each with a certificate and a token of its own. */
async function asking(
  running: RunningReporting,
  participants: number,
  stops: Stops,
): Promise<(path: string) => LoadRequest> {
  const callers = await Promise.all(
    Array.from({ length: Math.min(participants, IN_FLIGHT) }, async (_, number) => {
      const participant = participantCode(number);
      const client = await running.connect(participant, CONNECTIONS);
      stops.add(() => client.close());
      return { client, headers: { authorization: `Bearer ${await running.token(participant)}` } };
    }),
  );
  let next = 0;
  return (path) => {
    const caller = callers[next++ % callers.length];
    if (caller === undefined) throw new RangeError('a store needs a participant');
    return { ...caller, origin: running.url, path };
  };
}

async function readWhileLoading(
  running: RunningReporting,
  shape: StoreShape,
  request: () => LoadRequest,
): Promise<LoadResult> {
  const [more] = bodiesOf(
    marketStore({ ...shape, participants: shape.participants + 2 }, shape.participants),
  );
  if (more === undefined) throw new RangeError('a store needs records');
  let loading = true;
  const loaded = running.loadLines(more.body).finally(() => (loading = false));
  let worst: LoadResult | undefined;
  while (loading) {
    const round = await load(request, 4 * IN_FLIGHT, IN_FLIGHT);
    if (worst === undefined || round.p99 > worst.p99) worst = round;
  }
  await loaded;
  return worst ?? load(request, 4 * IN_FLIGHT, IN_FLIGHT);
}

function once(stop: () => Promise<void>): () => Promise<void> {
  let stopping: Promise<void> | undefined;
  return () => (stopping ??= stop());
}
