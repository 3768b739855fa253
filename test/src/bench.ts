import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { PROCESSES, REPOSITORY, whenInterrupted } from '@ssb/tools';
import { memoryOf } from './bench/memory.js';
import { queueAlone } from './bench/queue-alone.js';
import { renderReport, type BenchResult } from './bench/report.js';
import { roadLatency } from './bench/road-latency.js';
import { roadThroughput } from './bench/road-throughput.js';
import { RunningSystem } from './harness/running-system.js';

/** `npm run bench`: how fast the whole road is, and the raw limit of its queue in the same run. */
const USAGE = `npm run bench -- [--runs 3] [--samples 100] [--burst 1000] [--json] [--write]

  --runs     how often each measurement is repeated; medians are reported
  --samples  margin changes in a run of the latency measurement
  --burst    statements in a run of the throughput measurement
  --json     print the figures as JSON
  --write    put the result into docs/benchmarks.md
`;

const QUEUE_JOBS = 10_000;
const BEGIN = '<!-- figures: npm run bench -- --write -->';
const END = '<!-- end of figures -->';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '3' },
    samples: { type: 'string', default: '100' },
    burst: { type: 'string', default: '1000' },
    json: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) process.stdout.write(USAGE);
else await bench(Number(values.runs), Number(values.samples), Number(values.burst));

async function bench(runs: number, samples: number, burst: number): Promise<void> {
  say('starting the system …');
  const running = await RunningSystem.start();
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopped ??= running.stop());
  whenInterrupted(stop, 130);
  try {
    const latency: BenchResult['latency'][number][] = [];
    const throughput: number[] = [];
    const alone: number[] = [];
    // A first, unmeasured pass: compilers and caches warm up.
    await roadLatency(running, 20);
    for (let run = 1; run <= runs; run += 1) {
      say(`run ${run} of ${runs}: ${samples} margin changes …`);
      latency.push(await roadLatency(running, samples));
      say(`run ${run} of ${runs}: a burst of ${burst} statements …`);
      throughput.push(await roadThroughput(running, burst));
      say(`run ${run} of ${runs}: ${QUEUE_JOBS} jobs through BullMQ alone …`);
      alone.push(await queueAlone(running.redis.url, QUEUE_JOBS));
    }
    const processes = PROCESSES.filter((name) => name !== 'simulator').map((name) =>
      running.system.process(name),
    );
    const result: BenchResult = {
      at: new Date().toISOString().slice(0, 10),
      latency,
      throughput,
      burst,
      queueAlone: alone,
      memory: memoryOf(processes.map(({ name, pid }) => ({ name, pid }))),
    };
    const report = renderReport(result);
    process.stdout.write(`${values.json ? JSON.stringify(result, null, 2) : report}\n`);
    if (values.write) writeInto(join(REPOSITORY, 'docs/benchmarks.md'), report);
  } finally {
    await stop();
  }
}

function writeInto(file: string, report: string): void {
  const text = readFileSync(file, 'utf8');
  const from = text.indexOf(BEGIN);
  const to = text.indexOf(END);
  if (from < 0 || to < from) throw new Error(`${file} has no place for the figures`);
  writeFileSync(file, `${text.slice(0, from + BEGIN.length)}\n\n${report}\n\n${text.slice(to)}`);
}

function say(text: string): void {
  process.stderr.write(`  ${text}\n`);
}
