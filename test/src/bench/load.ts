import type { Dispatcher } from 'undici';
import { percentile } from './statistics.js';

export interface LoadRequest {
  readonly client: Dispatcher;
  readonly origin: string;
  readonly path: string;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface LoadResult {
  readonly perSecond: number;
  /** Milliseconds from asking to the last byte. */
  readonly p50: number;
  readonly p99: number;
}

/** An answer that the load did not expect: the figures would be those of something else. */
export class UnexpectedAnswerError extends Error {
  override readonly name = 'UnexpectedAnswerError';

  constructor(
    readonly path: string,
    readonly status: number,
    body: string,
  ) {
    super(`${path} was answered with ${status}: ${body.slice(0, 300)}`);
  }
}

/**
 * Sends `total` requests, `inFlight` at any moment, and waits for every last byte.
 * @param request the request with this number
 * @throws UnexpectedAnswerError for any status but 200
 */
export async function load(
  request: (number: number) => LoadRequest,
  total: number,
  inFlight: number,
): Promise<LoadResult> {
  const sample = await take(request, total, inFlight);
  return resultOf([sample]);
}

/** How often two loads take turns within a run, so that what else the machine does meets both. */
const TURNS = 10;

/** Two loads of `total` requests each, by turns. @throws UnexpectedAnswerError for any status but 200 */
export async function loadByTurns(
  one: LoadRequest,
  other: LoadRequest,
  total: number,
  inFlight: number,
): Promise<[LoadResult, LoadResult]> {
  const ones: Sample[] = [];
  const others: Sample[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    ones.push(await take(() => one, total / TURNS, inFlight));
    others.push(await take(() => other, total / TURNS, inFlight));
  }
  return [resultOf(ones), resultOf(others)];
}

interface Sample {
  readonly seconds: number;
  /** Milliseconds. */
  readonly latencies: readonly number[];
}

function resultOf(samples: readonly Sample[]): LoadResult {
  const latencies = samples.flatMap((sample) => sample.latencies);
  const seconds = samples.reduce((sum, sample) => sum + sample.seconds, 0);
  return {
    perSecond: latencies.length / seconds,
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
  };
}

async function take(
  request: (number: number) => LoadRequest,
  total: number,
  inFlight: number,
): Promise<Sample> {
  const latencies: number[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < total) {
      const { client, origin, path, method = 'GET', headers = {}, body } = request(next++);
      const began = performance.now();
      const answer = await client.request({
        origin,
        path,
        method,
        headers: { ...headers },
        body: body ?? null,
      });
      const bytes = await answer.body.arrayBuffer();
      latencies.push(performance.now() - began);
      if (answer.statusCode !== 200)
        throw new UnexpectedAnswerError(path, answer.statusCode, Buffer.from(bytes).toString('utf8'));
    }
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: inFlight }, worker));
  return { seconds: (performance.now() - began) / 1000, latencies };
}
