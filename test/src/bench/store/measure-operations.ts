import { renderRow } from '@ssb/platform';
import type { ResourceStack } from '@ssb/tools';
import { type LoadRequest, type LoadResult, runLoad } from '../load.js';
import { type MemoryUsage, readMemoryUsage } from '../process-usage.js';
import { type RunningReporting, startReporting } from '../reporting/running-reporting.js';
import { generateRecords, groupIntoBodies, type StoreSize, toParticipantCode } from './market-store.js';
import { createOperations } from './operations.js';

const IN_FLIGHT = 50;
/** Connections per participant, so that its requests do not wait for each other. */
const CONNECTIONS = 4;

export interface StoreFigures {
  readonly records: number;
  readonly jsonBytes: number;
  readonly loadSeconds: number;
  readonly diskBytes: number;
  readonly operations: readonly (LoadResult & { operation: string })[];
  /** The slowest round of operation 6 while another body was loaded. */
  readonly whileLoading: LoadResult;
  readonly memory: MemoryUsage;
}

/** Starts the reporting API, loads all records, and measures each operation. */
export async function measureOperations(
  size: StoreSize,
  requests: number,
  print: (text: string) => void,
  resources: ResourceStack,
): Promise<StoreFigures> {
  const running = await startReporting();
  await resources.defer(() => running.stop());
  const loaded = await loadRecords(running, size, print);
  const buildRequest = await createRequestBuilder(running, size.participants, resources);
  const operations = createOperations(size);
  // A first pass without measurement warms up compilers and connections.
  for (const { nextPath } of operations)
    await runLoad(() => buildRequest(nextPath()), 4 * IN_FLIGHT, IN_FLIGHT);
  const results = [];
  for (const { operation, nextPath } of operations) {
    const result = await runLoad(() => buildRequest(nextPath()), requests, IN_FLIGHT);
    print(renderRow([operation, `p50 ${result.p50.toFixed(1)} ms, p99 ${result.p99.toFixed(1)} ms`], [32]));
    results.push({ operation, ...result });
  }
  const detail = operations.find(({ operation }) => operation.startsWith('6'));
  const whileLoading = await readWhileLoading(running, size, () => buildRequest(detail?.nextPath() ?? ''));
  print(`while a body is loaded, p99 ${whileLoading.p99.toFixed(1)} ms`);
  const [disk] = await running.database.query<{ bytes: string }>(
    'SELECT pg_database_size(current_database()) AS bytes',
  );
  const [memory = { name: 'reporting', resident: 0, highest: 0 }] = readMemoryUsage([
    { name: 'reporting', pid: running.process.pid },
  ]);
  return { ...loaded, diskBytes: Number(disk?.bytes), operations: results, whileLoading, memory };
}

async function loadRecords(running: RunningReporting, size: StoreSize, print: (text: string) => void) {
  let records = 0;
  let jsonBytes = 0;
  let milliseconds = 0;
  for (const { body, records: count } of groupIntoBodies(generateRecords(size))) {
    const started = performance.now();
    await running.loadLines(body);
    milliseconds += performance.now() - started;
    records += count;
    jsonBytes += body.length;
    print(
      `${records} records, ${Math.round(jsonBytes / 1024 / 1024)} MiB, loaded in ${Math.round(milliseconds / 1000)} s`,
    );
  }
  return { records, jsonBytes, loadSeconds: milliseconds / 1000 };
}

/** Requests of up to 50 participants in turn. Each has its own certificate and token. */
async function createRequestBuilder(
  running: RunningReporting,
  participants: number,
  resources: ResourceStack,
): Promise<(path: string) => LoadRequest> {
  const participantClients = await Promise.all(
    Array.from({ length: Math.min(participants, IN_FLIGHT) }, async (_, number) => {
      const participant = toParticipantCode(number);
      const client = await running.connect(participant, CONNECTIONS);
      await resources.defer(() => client.close());
      return { client, headers: { authorization: `Bearer ${await running.signToken(participant)}` } };
    }),
  );
  let next = 0;
  return (path) => {
    const participant = participantClients[next++ % participantClients.length];
    if (participant === undefined) throw new RangeError('the benchmark needs a participant');
    return { ...participant, origin: running.url, path };
  };
}

async function readWhileLoading(
  running: RunningReporting,
  size: StoreSize,
  buildRequest: () => LoadRequest,
): Promise<LoadResult> {
  const [additional] = groupIntoBodies(
    generateRecords({ ...size, participants: size.participants + 2 }, size.participants),
  );
  if (additional === undefined) throw new RangeError('the benchmark needs records');
  let isLoading = true;
  const loaded = running.loadLines(additional.body).finally(() => (isLoading = false));
  let slowest: LoadResult | undefined;
  while (isLoading) {
    const round = await runLoad(buildRequest, 4 * IN_FLIGHT, IN_FLIGHT);
    if (slowest === undefined || round.p99 > slowest.p99) slowest = round;
  }
  await loaded;
  return slowest ?? runLoad(buildRequest, 4 * IN_FLIGHT, IN_FLIGHT);
}
