import { connectRedis } from '@ssb/redis';
import { type BudgetWindow, RedisBudgetStore, RequestBudget } from '@ssb/request-budget';
import { startTestRedis } from '@ssb/testing';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent } from 'undici';
import { renderFencedTable } from '../figures.js';
import type { Section } from '../section.js';

const REPLICAS = 4;
const WORKERS = 4;
/** The public request limits of the prudential interface: 50 calls per minute, 200 in five minutes. */
const LIMITS: readonly BudgetWindow[] = [
  { requests: 50, ms: 60_000 },
  { requests: 200, ms: 300_000 },
];

/** Four replicas that request as often as the budget allows, from a server that records arrival times. */
export const budget: Section = {
  name: 'budget',
  about: 'a request budget that replicas share, over two of its longest windows',
  async run({ scale }, print, resources) {
    const windows = LIMITS.map(({ requests, ms }) => ({ requests, ms: ms / scale }));
    const longestMs = windows[1]?.ms ?? 0;
    const redis = await startTestRedis();
    await resources.defer(() => redis.stop());
    const server = await startRecordingServer();
    await resources.defer(() => server.stop());
    const client = new Agent();
    await resources.defer(() => client.close());
    print(`${(2 * longestMs) / 1000} s of requests, as many as allowed …`);
    const end = performance.now() + 2 * longestMs;
    const runReplica = async (): Promise<void> => {
      const connection = connectRedis(redis.url, { name: 'bench', onError: (error) => print(error.message) });
      const store = new RedisBudgetStore({ redis: connection, prefix: '{bench}', name: 'bench', windows });
      const requestBudget = new RequestBudget({ name: 'bench', store, maxWaitMs: longestMs });
      const worker = async (): Promise<void> => {
        for (;;) {
          const signal = AbortSignal.timeout(Math.ceil(Math.max(1, end - performance.now())));
          const permit = await requestBudget.acquire(signal).catch((error: unknown) => {
            // The signal ends the wait at the end of the measurement. Any other error would falsify the figures.
            if (!signal.aborted) throw error;
            return undefined;
          });
          if (permit === undefined) return;
          const response = await client.request({ origin: server.url, path: '/', method: 'GET' });
          await response.body.dump();
          permit.release();
        }
      };
      await Promise.all(Array.from({ length: WORKERS }, worker));
      await connection.quit();
    };
    await Promise.all(Array.from({ length: REPLICAS }, runReplica));
    const { arrivals } = server;
    const allowed = 2 * (LIMITS[1]?.requests ?? 0);
    const rows = [
      ['requests in two longest windows', String(arrivals.length), `${allowed} allowed`],
      ['share used (goal: at least 0.95)', (arrivals.length / allowed).toFixed(3), ''],
      ...windows.map(({ requests, ms }) => [
        `maximum in any ${ms / 1000} s`,
        String(maxInAnyWindow(arrivals, ms)),
        `${requests} allowed`,
      ]),
    ];
    const speed = scale === 1 ? 'in real time' : `with windows ${scale} times shorter`;
    const report = [
      `${REPLICAS} replicas of ${WORKERS} workers each, one Redis, ${speed} (\`--scale\`).`,
      '',
      renderFencedTable(['what', 'measured', ''], rows),
    ].join('\n');
    return { figures: { requests: arrivals.length, allowed, scale }, report };
  },
};

interface RecordingServer {
  readonly url: string;
  /** Milliseconds of the server's clock, ascending. */
  readonly arrivals: readonly number[];
  stop(): Promise<void>;
}

async function startRecordingServer(): Promise<RecordingServer> {
  const arrivals: number[] = [];
  const server: Server = createServer((_request, response) => {
    arrivals.push(performance.now());
    response.end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrivals,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** The maximum number of times within any window. @param times milliseconds, ascending */
function maxInAnyWindow(times: readonly number[], windowMs: number): number {
  let max = 0;
  let first = 0;
  times.forEach((time, index) => {
    while (time - (times[first] ?? 0) >= windowMs) first += 1;
    max = Math.max(max, index - first + 1);
  });
  return max;
}
