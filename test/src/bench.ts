import { renderTable, standardError, standardOutput } from '@ssb/platform';
import { onInterrupt, REPOSITORY_ROOT, ResourceStack } from '@ssb/tools';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { writeFigures } from './bench/figures.js';
import type { BenchOptions, Section } from './bench/section.js';
import { SECTIONS } from './bench/sections.js';

/** `npm run bench` measures the product, and raw limits in the same run. */
const USAGE = `npm run bench -- [--only ${SECTIONS.map(({ name }) => name).join(',')}] [options]

${renderTable(
  ['section', 'what it measures'],
  SECTIONS.map(({ name, about }) => [name, about]),
)}

  --only          sections to measure, separated by commas; all but archive when omitted
  --runs          how often each measurement is repeated; medians are reported (3)
  --samples       margin changes in a run of the pipeline's latency (100)
  --burst         statements in a run of the pipeline's throughput (1000)
  --calculations  calculations in a response with a breach (20000)
  --statements    large statements before a breach (150)
  --requests      requests in a run of a load (10000)
  --participants  participants of the poller (100)
  --hours         hours that are played to the poller (3)
  --speed         how many times faster they are played (30)
  --events        events of the archive (1000000)
  --divisor       divisor of all other counts and waits (1); the tests use 1000
  --json          print the figures as JSON
  --write         write the results to docs/benchmarks.md
`;

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    runs: { type: 'string', default: '3' },
    samples: { type: 'string', default: '100' },
    burst: { type: 'string', default: '1000' },
    calculations: { type: 'string', default: '20000' },
    statements: { type: 'string', default: '150' },
    requests: { type: 'string', default: '10000' },
    participants: { type: 'string', default: '100' },
    hours: { type: 'string', default: '3' },
    speed: { type: 'string', default: '30' },
    events: { type: 'string', default: '1000000' },
    divisor: { type: 'string', default: '1' },
    json: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const selected =
  values.only?.split(',') ?? SECTIONS.filter(({ onlyWhenNamed }) => !onlyWhenNamed).map(({ name }) => name);
const unknown = selected.filter((name) => !SECTIONS.some((section) => section.name === name));
const options: BenchOptions = {
  runs: Number(values.runs),
  samples: Number(values.samples),
  burst: Number(values.burst),
  calculations: Number(values.calculations),
  statements: Number(values.statements),
  requests: Number(values.requests),
  participants: Number(values.participants),
  hours: Number(values.hours),
  speed: Number(values.speed),
  events: Number(values.events),
  divisor: Number(values.divisor),
};
const invalid = Object.entries(options).filter(([, value]) => !Number.isInteger(value) || value < 1);

let resources = new ResourceStack();
onInterrupt(() => resources.release(), 130);

if (values.help) standardOutput.write(USAGE);
else if (unknown.length > 0) reject(`there is no section ${unknown.join(', ')}`);
else if (invalid.length > 0) reject(`--${invalid[0]?.[0]} takes a whole number from 1`);
else for (const section of SECTIONS) if (selected.includes(section.name)) await measure(section);

async function measure(section: Section): Promise<void> {
  resources = new ResourceStack();
  try {
    const { figures, report } = await section.run(
      options,
      (text) => standardError.write(`  ${section.name}: ${text}\n`),
      resources,
    );
    const fullReport = `Measured ${describeMachine()}\n\n${report}`;
    standardOutput.write(
      `${values.json ? JSON.stringify({ section: section.name, figures }, null, 2) : fullReport}\n`,
    );
    if (values.write) writeFigures(join(REPOSITORY_ROOT, 'docs/benchmarks.md'), section.name, fullReport);
  } finally {
    await resources.release();
  }
}

function describeMachine(): string {
  const day = new Date().toISOString().slice(0, 10);
  const processor = cpus()[0]?.model.trim() ?? 'unknown';
  return `${day} on ${cpus().length} cores (${processor}), Node ${process.versions.node}.`;
}

function reject(message: string): void {
  standardError.write(`${message}\n\n${USAGE}`);
  process.exitCode = 2;
}
