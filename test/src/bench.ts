import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { renderTable } from '@ssb/platform';
import { REPOSITORY_ROOT, onInterrupt } from '@ssb/tools';
import { writeFigures } from './bench/page.js';
import { budget } from './bench/budget/measure-budget.js';
import { reporting } from './bench/reporting/measure-reporting.js';
import { bus } from './bench/bus/measure-bus.js';
import { road } from './bench/pipeline/measure-pipeline.js';
import { signatures } from './bench/signatures/measure-signatures.js';
import { store } from './bench/store/measure-store.js';
import { token } from './bench/token/measure-token.js';
import type { BenchOptions, Section } from './bench/section.js';

/** `npm run bench`: how fast the product is, beside the raw limits taken in the same run. */
const SECTIONS: readonly Section[] = [road, bus, reporting, store, token, budget, signatures];

const USAGE = `npm run bench -- [--only ${SECTIONS.map(({ name }) => name).join(',')}] [options]

${renderTable(
  ['section', 'what it measures'],
  SECTIONS.map(({ name, about }) => [name, about]),
)}

  --only          sections to measure, separated by commas; all when omitted
  --runs          how often each measurement is repeated; medians are reported (3)
  --samples       margin changes in a run of the road's latency (100)
  --burst         statements in a run of the road's throughput (1000)
  --requests      requests in a run of a load (10000)
  --participants  participants of the store (100)
  --scale         how many times shorter the budget's windows are (10); 1 takes ten minutes
  --json          print the figures as JSON
  --write         put the results into docs/benchmarks.md
`;

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    runs: { type: 'string', default: '3' },
    samples: { type: 'string', default: '100' },
    burst: { type: 'string', default: '1000' },
    requests: { type: 'string', default: '10000' },
    participants: { type: 'string', default: '100' },
    scale: { type: 'string', default: '10' },
    json: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const chosen = values.only?.split(',') ?? SECTIONS.map(({ name }) => name);
const unknown = chosen.filter((name) => !SECTIONS.some((section) => section.name === name));
const options: BenchOptions = {
  runs: Number(values.runs),
  samples: Number(values.samples),
  burst: Number(values.burst),
  requests: Number(values.requests),
  participants: Number(values.participants),
  scale: Number(values.scale),
};
const wrong = Object.entries(options).filter(([, value]) => !Number.isInteger(value) || value < 1);

const stops: (() => Promise<void>)[] = [];
onInterrupt(stopAll, 130);

if (values.help) process.stdout.write(USAGE);
else if (unknown.length > 0) refuse(`there is no section ${unknown.join(', ')}`);
else if (wrong.length > 0) refuse(`--${wrong[0]?.[0]} takes a whole number from 1`);
else for (const section of SECTIONS) if (chosen.includes(section.name)) await measure(section);

/** Last started, first stopped; each once, whoever asks. */
async function stopAll(): Promise<void> {
  for (let stop = stops.pop(); stop !== undefined; stop = stops.pop()) await stop();
}

async function measure(section: Section): Promise<void> {
  try {
    const { figures, report } = await section.run(
      options,
      (text) => process.stderr.write(`  ${section.name}: ${text}\n`),
      { add: (stop) => stops.push(stop) },
    );
    const whole = `Measured ${measuredWhere()}\n\n${report}`;
    process.stdout.write(
      `${values.json ? JSON.stringify({ section: section.name, figures }, null, 2) : whole}\n`,
    );
    if (values.write) writeFigures(join(REPOSITORY_ROOT, 'docs/benchmarks.md'), section.name, whole);
  } finally {
    await stopAll();
  }
}

function measuredWhere(): string {
  const day = new Date().toISOString().slice(0, 10);
  const processor = cpus()[0]?.model.trim() ?? 'unknown';
  return `${day} on ${cpus().length} cores (${processor}), Node ${process.versions.node}.`;
}

function refuse(sentence: string): void {
  process.stderr.write(`${sentence}\n\n${USAGE}`);
  process.exitCode = 2;
}
