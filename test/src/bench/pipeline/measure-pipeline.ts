import { setTimeout as pause } from 'node:timers/promises';
import { PROCESSES } from '@ssb/tools';
import { RunningSystem } from '../../harness/running-system.js';
import { memoryOf } from '../process-usage.js';
import type { Section } from '../section.js';
import { measureLatency, type Latency } from '../road/latency.js';
import { queueAlone } from './queue-baseline.js';
import { renderPipeline, type PipelineFigures } from './report.js';
import { measureThroughput } from '../road/throughput.js';

const QUEUE_JOBS = 10_000;
const WARM_UP = 20;
const REST_MS = 20_000;

/** The whole road of an event, and the raw limit of its queue in the same run. */
export const road: Section = {
  name: 'road',
  about: 'one event from detection to webhook, and BullMQ alone',
  async run({ runs, samples, burst }, say, stops) {
    say('starting the system …');
    const running = await RunningSystem.start();
    stops.add(() => running.stop());
    const latency: Latency[] = [];
    const throughput: number[] = [];
    const alone: number[] = [];
    // A first, unmeasured pass: compilers and caches warm up.
    await measureLatency(running, WARM_UP);
    for (let run = 1; run <= runs; run += 1) {
      say(`run ${run} of ${runs}: ${samples} margin changes …`);
      latency.push(await measureLatency(running, samples));
      say(`run ${run} of ${runs}: a burst of ${burst} statements …`);
      throughput.push(await measureThroughput(running, burst));
      say(`run ${run} of ${runs}: ${QUEUE_JOBS} jobs through BullMQ alone …`);
      alone.push(await queueAlone(running.redis.url, QUEUE_JOBS));
    }
    say(`${REST_MS / 1000} s without work, for the memory at rest …`);
    await pause(REST_MS);
    const processes = PROCESSES.filter((name) => name !== 'simulator').map((name) =>
      running.system.process(name),
    );
    const figures: PipelineFigures = {
      latency,
      throughput,
      burst,
      queueAlone: alone,
      memory: memoryOf(processes.map(({ name, pid }) => ({ name, pid }))),
    };
    return { figures, report: renderPipeline(figures) };
  },
};
