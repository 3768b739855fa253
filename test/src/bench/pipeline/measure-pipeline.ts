import { waitFor } from '@ssb/testing';
import { PROCESSES } from '@ssb/tools';
import { setTimeout as delay } from 'node:timers/promises';
import { RunningSystem } from '../../harness/running-system.js';
import { percentile } from '../figures.js';
import { readMemoryUsage } from '../process-usage.js';
import { type BenchOptions, reduced, type Section, type SectionResult } from '../section.js';
import { measureQueue } from './queue-baseline.js';
import { type Latency, type PipelineFigures, renderPipeline } from './report.js';

const QUEUE_JOBS = 10_000;
const WARM_UP_SAMPLES = 20;
const IDLE_MS = 20_000;
const MARGIN_CHANGE = '"type":"settlementbus.margin.';

/** The pipeline from detection to webhook, and BullMQ alone as the raw limit. */
export const pipeline: Section = {
  name: 'pipeline',
  about: 'one event from detection to webhook, and BullMQ alone',
  async run(options, print, resources) {
    print('starting the system …');
    const running = await RunningSystem.start();
    await resources.defer(() => running.stop());
    return measurePipeline(running, options, print);
  },
};

/** Measures a running system that nothing else uses. */
export async function measurePipeline(
  running: RunningSystem,
  options: Pick<BenchOptions, 'runs' | 'samples' | 'burst' | 'divisor'>,
  print: (text: string) => void,
): Promise<SectionResult & { readonly figures: PipelineFigures }> {
  const { runs, samples, burst } = options;
  const [jobs, idleMs] = [reduced(QUEUE_JOBS, options), reduced(IDLE_MS, options)];
  // Each sample is a change, also after an odd number of samples.
  const level = { isBreached: false };
  const latency: Latency[] = [];
  const throughput: number[] = [];
  const queueAlone: number[] = [];
  // A first pass without measurement warms up compilers and caches.
  await measureLatency(running, reduced(WARM_UP_SAMPLES, options), level);
  for (let run = 1; run <= runs; run += 1) {
    print(`run ${run} of ${runs}: ${samples} margin changes …`);
    latency.push(await measureLatency(running, samples, level));
    print(`run ${run} of ${runs}: a burst of ${burst} statements …`);
    throughput.push(await measureThroughput(running, burst));
    print(`run ${run} of ${runs}: ${jobs} jobs through BullMQ alone …`);
    queueAlone.push(await measureQueue(running.redis.url, jobs));
  }
  print(`${idleMs / 1000} s without events, for the idle memory …`);
  await delay(idleMs);
  const processes = PROCESSES.filter((name) => name !== 'simulator').map((name) =>
    running.system.process(name),
  );
  const figures: PipelineFigures = {
    latency,
    throughput,
    burst,
    queueAlone,
    memory: readMemoryUsage(processes.map(({ name, pid }) => ({ name, pid }))),
  };
  return { figures, report: renderPipeline(figures) };
}

/** Publishes margin changes one at a time on an idle system. Each arrives before the next is published. */
async function measureLatency(
  { market, receiver }: RunningSystem,
  samples: number,
  level: { isBreached: boolean },
): Promise<Latency> {
  const latencies: number[] = [];
  for (let sample = 0; sample < samples; sample += 1) {
    const before = receiver.deliveries.length;
    level.isBreached = !level.isBreached;
    await market.publishMargin(level.isBreached ? '-1.00' : '900000.00');
    // Other events, such as changes of the timeline, can arrive meanwhile.
    const { body, receivedAt } = await waitFor(`margin change ${sample + 1}`, () =>
      receiver.deliveries.slice(before).find((delivery) => delivery.body.includes(MARGIN_CHANGE)),
    );
    const { detectedat } = JSON.parse(body) as { detectedat: string };
    latencies.push(receivedAt - Date.parse(detectedat));
  }
  return { p50: percentile(latencies, 0.5), p99: percentile(latencies, 0.99), samples };
}

/** Events per second of a burst of statements, from the first detection to the last delivery. */
async function measureThroughput(running: RunningSystem, events: number): Promise<number> {
  const facts = await running.market.publishStatements(events);
  await running.waitForDeliveries(facts, 120_000);
  // Otherwise the poller requests their invoices in what is measured next.
  await running.market.endRuns(facts);
  const subjects = new Set(facts.map(({ subject }) => subject));
  const deliveries = running.receiver.deliveries.map(({ body, receivedAt }) => ({
    receivedAt,
    event: JSON.parse(body) as { subject: string; detectedat: string },
  }));
  const burst = deliveries.filter(({ event }) => subjects.has(event.subject));
  const first = Math.min(...burst.map(({ event }) => Date.parse(event.detectedat)));
  const last = Math.max(...burst.map(({ receivedAt }) => receivedAt));
  return burst.length / ((last - first) / 1000);
}
