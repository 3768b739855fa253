import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { add, lastLine, tallyOfCheck, tallyOfJest, type Tally } from './check/test-summary.js';
import { describeMissing, ensurePrograms } from './programs/ensure-programs.js';
import { TEST_PROGRAMS } from './programs/required-programs.js';
import { REPOSITORY } from './system/app-process.js';

/**
 * `npm test`: everything that must hold before a change lands. `npm run test:unit` and `npm run test:system` run one kind of test, with
 * patterns of file names if given. Types are checked by the build that ran before this.
 */
const CHECKS: readonly { readonly name: string; readonly command: readonly string[] }[] = [
  { name: 'generated docs', command: ['node', 'tools/dist/docs.js', '--check'] },
  { name: 'format', command: ['oxfmt', '--check'] },
  { name: 'lint', command: ['oxlint'] },
  {
    name: 'dependency rules',
    command: ['depcruise', 'libs', 'apps', 'tools', 'test', '--config', '.dependency-cruiser.cjs'],
  },
];

const PROJECTS = ['unit', 'system'] as const;

type Project = (typeof PROJECTS)[number];

/** Test files at a time, on two cores: most of them wait for servers and processes of theirs for some of their time. */
const WORKERS: Readonly<Record<Project, number>> = { unit: 4, system: 3 };

/** Several times what any check takes on a busy machine. A test that keeps its process busy is not ended by its own time-out. */
const MAX_CHECK_MINUTES = 30;

/** Characters of a failed check that are shown, the last ones. */
const MOST_OUTPUT = 100_000;

const [first, ...others] = process.argv.slice(2);
const only = PROJECTS.find((project) => project === first);
const patterns = only === undefined ? process.argv.slice(2) : others;
/** Process groups of the checks in progress. */
const running = new Set<number>();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    for (const group of running) process.kill(-group, signal);
    process.exit(1);
  });
}

let tally: Tally = { passed: 0, failed: 0 };
const missing = ensurePrograms(TEST_PROGRAMS, { searchPath: process.env['PATH'] ?? '', onProgress: say });
if (missing.length > 0) {
  say(describeMissing(missing));
  tally = tallyOfCheck(false);
} else if (only !== undefined) {
  tally = await runJest(only);
} else {
  // None of the checks keeps two cores busy; the unit tests take what they leave. The system tests start many processes, so they run alone.
  const checks = runChecks();
  tally = add(tally, await runJest('unit'));
  tally = add(tally, await checks);
  tally = add(tally, await runJest('system'));
}
say(`\n${lastLine(tally)}`);
process.exit(tally.failed === 0 ? 0 : 1);

/** One after the other, beside the unit tests: what a check prints is shown, in one piece, if it fails. */
async function runChecks(): Promise<Tally> {
  let sum: Tally = { passed: 0, failed: 0 };
  for (const { name, command } of CHECKS) {
    const started = Date.now();
    const { ok, output } = await outcomeOf(command, 'pipe');
    say(`${ok ? '' : output}${verdict(name, ok, started)}`);
    sum = add(sum, tallyOfCheck(ok));
  }
  return sum;
}

function verdict(name: string, ok: boolean, started: number): string {
  return `── ${name}: ${ok ? 'ok' : 'FAILED'} after ${Math.round((Date.now() - started) / 1000)} s`;
}

/** Runs one Jest project and counts its tests. */
async function runJest(project: Project): Promise<Tally> {
  const folder = mkdtempSync(join(tmpdir(), 'jest-result-'));
  const outputFile = join(folder, 'result.json');
  say(`── ${project} tests`);
  const started = Date.now();
  const { ok } = await outcomeOf(
    [
      'jest',
      '--selectProjects',
      project,
      '--json',
      '--outputFile',
      outputFile,
      `--maxWorkers=${WORKERS[project]}`,
      ...patterns,
    ],
    process.stdout.fd,
  );
  say(verdict(`${project} tests`, ok, started));
  try {
    return tallyOfJest(existsSync(outputFile) ? readFileSync(outputFile, 'utf8') : undefined, ok);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @param to where what it prints goes; `pipe` gathers it */
async function outcomeOf(
  [program = '', ...args]: readonly string[],
  to: number | 'pipe',
): Promise<{ ok: boolean; output: string }> {
  const executable = program === 'node' ? process.execPath : join(REPOSITORY, 'node_modules/.bin', program);
  const child = spawn(executable, args, {
    cwd: REPOSITORY,
    // Everything goes to one place, in order: a failure must be readable in a log that holds standard output alone. Jest reports on its
    // standard error, and would repeat all of it as JSON on the other.
    stdio: ['ignore', program === 'jest' ? 'ignore' : to, to],
    env: {
      ...process.env,
      NODE_OPTIONS: '--enable-source-maps --disable-warning=ExperimentalWarning',
      // Jest's workers are threads of one process and share its thread pool; the default of four is meant for one.
      UV_THREADPOOL_SIZE: String(4 * Math.max(...Object.values(WORKERS))),
    },
    // A group of its own, so that the workers end with it.
    detached: true,
  });
  if (child.pid !== undefined) running.add(child.pid);
  const timer = setTimeout(() => {
    say(`${program} was ended: no check may take more than ${MAX_CHECK_MINUTES} minutes.`);
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  }, MAX_CHECK_MINUTES * 60_000);
  let output = '';
  const gather = (chunk: Buffer): void => {
    output = (output + chunk.toString()).slice(-MOST_OUTPUT);
  };
  child.stdout?.on('data', gather);
  child.stderr?.on('data', gather);
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ ok: false, output: `${output}${error.message}\n` }));
    child.once('close', (code) => {
      clearTimeout(timer);
      if (child.pid !== undefined) running.delete(child.pid);
      resolve({ ok: code === 0, output });
    });
  });
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
