import type { Dispatcher } from 'undici';
import { percentile } from './figures.js';

export interface LoadRequest {
  readonly client: Dispatcher;
  readonly origin: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface LoadResult {
  readonly perSecond: number;
  /** Milliseconds from the start of the request to the last byte of the response. */
  readonly p50: number;
  readonly p99: number;
}

/** A response had a status other than 200. */
export class UnexpectedResponseError extends Error {
  override readonly name = 'UnexpectedResponseError';

  constructor(
    readonly path: string,
    readonly status: number,
    body: string,
  ) {
    super(`${path} responded with ${status}: ${body.slice(0, 300)}`);
  }
}

/**
 * Sends `total` GET requests with `inFlight` at the same time, and reads all responses.
 * @throws UnexpectedResponseError for any status but 200
 */
export async function runLoad(request: LoadRequest, total: number, inFlight: number): Promise<LoadResult> {
  return summarize([await measureSample(request, total, inFlight)]);
}

/** Two loads alternate this often within a run, so that other work on the machine affects both. */
const ROUNDS = 10;

/** Runs two loads of `total` requests each alternately. @throws UnexpectedResponseError for any status but 200 */
export async function runAlternately(
  first: LoadRequest,
  second: LoadRequest,
  total: number,
  inFlight: number,
): Promise<[LoadResult, LoadResult]> {
  const firstSamples: Sample[] = [];
  const secondSamples: Sample[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    firstSamples.push(await measureSample(first, total / ROUNDS, inFlight));
    secondSamples.push(await measureSample(second, total / ROUNDS, inFlight));
  }
  return [summarize(firstSamples), summarize(secondSamples)];
}

interface Sample {
  readonly seconds: number;
  /** Milliseconds. */
  readonly latencies: readonly number[];
}

function summarize(samples: readonly Sample[]): LoadResult {
  const latencies = samples.flatMap((sample) => sample.latencies);
  const seconds = samples.reduce((sum, sample) => sum + sample.seconds, 0);
  return {
    perSecond: latencies.length / seconds,
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
  };
}

async function measureSample(
  { client, origin, path, headers }: LoadRequest,
  total: number,
  inFlight: number,
): Promise<Sample> {
  const latencies: number[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next++ < total) {
      const started = performance.now();
      const response = await client.request({ origin, path, method: 'GET', headers: { ...headers } });
      const bytes = await response.body.arrayBuffer();
      latencies.push(performance.now() - started);
      if (response.statusCode !== 200)
        throw new UnexpectedResponseError(path, response.statusCode, Buffer.from(bytes).toString('utf8'));
    }
  };
  const started = performance.now();
  await Promise.all(Array.from({ length: inFlight }, worker));
  return { seconds: (performance.now() - started) / 1000, latencies };
}
