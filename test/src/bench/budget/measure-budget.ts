import { connectRedis } from '@ssb/redis';
import { type BudgetWindow, RedisBudgetStore, RequestBudget } from '@ssb/request-budget';
import { startTestRedis } from '@ssb/testing';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent } from 'undici';
import { fenced } from '../figures.js';
import type { Section } from '../section.js';
import { mostInAnyWindow } from './most-in-any-window.js';

const REPLICAS = 4;
const WORKERS = 4;
/** The prudential interface's public rule: 50 calls a minute, 200 in five minutes. */
const RULE: readonly BudgetWindow[] = [
  { requests: 50, ms: 60_000 },
  { requests: 200, ms: 300_000 },
];

/** Four replicas with more work than they may do, against a server that notes when each request arrived. */
export const budget: Section = {
  name: 'budget',
  about: 'a request budget shared by replicas, over two of its longest windows',
  async run({ scale }, say, stops) {
    const windows = RULE.map(({ requests, ms }) => ({ requests, ms: ms / scale }));
    const longest = windows[1]?.ms ?? 0;
    const redis = await startTestRedis();
    stops.add(() => redis.stop());
    const server = await startCounting();
    stops.add(() => server.stop());
    const client = new Agent();
    stops.add(() => client.close());
    say(`${(2 * longest) / 1000} s of asking as often as allowed …`);
    const end = performance.now() + 2 * longest;
    const replica = async (): Promise<void> => {
      const connection = connectRedis(redis.url, { name: 'bench', onError: (error) => say(error.message) });
      const store = new RedisBudgetStore({ redis: connection, name: 'bench', windows });
      const shared = new RequestBudget({ name: 'bench', store, maxWaitMs: longest });
      const worker = async (): Promise<void> => {
        for (;;) {
          const stop = AbortSignal.timeout(Math.ceil(Math.max(1, end - performance.now())));
          const permit = await shared.take(stop).catch((error: unknown) => {
            // The end of the measurement ends the wait; anything else would show as a budget less used than it is.
            if (!stop.aborted) throw error;
            return undefined;
          });
          if (permit === undefined) return;
          const answer = await client.request({ origin: server.url, path: '/', method: 'GET' });
          await answer.body.dump();
          permit.settle();
        }
      };
      await Promise.all(Array.from({ length: WORKERS }, worker));
      await connection.quit();
    };
    await Promise.all(Array.from({ length: REPLICAS }, replica));
    const asked = server.arrivals;
    const ideal = 2 * (RULE[1]?.requests ?? 0);
    const rows = [
      ['requests in two longest windows', String(asked.length), `${ideal} allowed`],
      ['share used (goal: at least 0.95)', (asked.length / ideal).toFixed(3), ''],
      ...windows.map(({ requests, ms }) => [
        `most in any ${ms / 1000} s`,
        String(mostInAnyWindow(asked, ms)),
        `${requests} allowed`,
      ]),
    ];
    const speed = scale === 1 ? 'in real time' : `with windows ${scale} times shorter`;
    const report = [
      `${REPLICAS} replicas of ${WORKERS} workers each, one Redis, ${speed} (\`--scale\`).`,
      '',
      fenced(['what', 'measured', ''], rows),
    ].join('\n');
    return { figures: { asked: asked.length, ideal, scale }, report };
  },
};

interface Counting {
  readonly url: string;
  /** Milliseconds on the server's clock, in order. */
  readonly arrivals: readonly number[];
  stop(): Promise<void>;
}

async function startCounting(): Promise<Counting> {
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
