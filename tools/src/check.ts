import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  addSummaries,
  formatSummary,
  summarizeCheck,
  summarizeJest,
  type TestSummary,
} from './check/test-summary.js';
import { describeMissing, ensurePrograms } from './programs/ensure-programs.js';
import { TEST_PROGRAMS } from './programs/required-programs.js';
import { REPOSITORY_ROOT } from './system/processes.js';

/** `npm test` runs these and all tests; `test:unit` and `test:system` run one Jest project. The build before this checks the types. */
const CHECKS: readonly { readonly name: string; readonly command: readonly string[] }[] = [
  { name: 'generated docs', command: ['node', 'tools/dist/docs.js', '--check'] },
  { name: 'format', command: ['oxfmt', '--check'] },
  { name: 'lint', command: ['oxlint'] },
  { name: 'vocabulary', command: ['node', 'tools/dist/vocabulary.js'] },
  {
    name: 'dependency rules',
    command: ['depcruise', 'libs', 'apps', 'tools', 'test', '--config', '.dependency-cruiser.cjs'],
  },
];

const PROJECTS = ['unit', 'system'] as const;

type Project = (typeof PROJECTS)[number];

/** Test files at a time. This suits two cores, because most tests wait for servers and processes. */
const WORKERS: Readonly<Record<Project, number>> = { unit: 4, system: 3 };

/** Several times the duration of a check on a busy machine. Jest's own timeout cannot end a test that blocks its thread. */
const CHECK_TIMEOUT_MINUTES = 30;

/** Characters; the end of a failed check's output is printed. */
const MAX_OUTPUT_LENGTH = 100_000;

const [firstArgument, ...otherArguments] = process.argv.slice(2);
const selectedProject = PROJECTS.find((project) => project === firstArgument);
const patterns = selectedProject === undefined ? process.argv.slice(2) : otherArguments;
const runningProcessGroups = new Set<number>();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    for (const group of runningProcessGroups) process.kill(-group, signal);
    process.exit(1);
  });
}

let summary: TestSummary = { passed: 0, failed: 0 };
const missing = ensurePrograms(TEST_PROGRAMS, { searchPath: process.env['PATH'] ?? '', onProgress: print });
if (missing.length > 0) {
  print(describeMissing(missing));
  summary = summarizeCheck(false);
} else if (selectedProject !== undefined) {
  summary = await runJest(selectedProject);
} else {
  // Checks and unit tests share two cores. System tests run alone, because they start many processes.
  const checks = runChecks();
  summary = addSummaries(summary, await runJest('unit'));
  summary = addSummaries(summary, await checks);
  summary = addSummaries(summary, await runJest('system'));
}
print(`\n${formatSummary(summary)}`);
process.exit(summary.failed === 0 ? 0 : 1);

/** Runs the checks one after the other. The output of a check is printed as one piece, and only if the check fails. */
async function runChecks(): Promise<TestSummary> {
  let total: TestSummary = { passed: 0, failed: 0 };
  for (const { name, command } of CHECKS) {
    const started = Date.now();
    const { ok, output } = await runCommand(command, 'pipe');
    print(`${ok ? '' : output}${formatOutcome(name, ok, started)}`);
    total = addSummaries(total, summarizeCheck(ok));
  }
  return total;
}

function formatOutcome(name: string, ok: boolean, started: number): string {
  return `── ${name}: ${ok ? 'ok' : 'FAILED'} after ${Math.round((Date.now() - started) / 1000)} s`;
}

/** Runs one Jest project and counts its tests. */
async function runJest(project: Project): Promise<TestSummary> {
  const folder = mkdtempSync(join(tmpdir(), 'jest-result-'));
  const outputFile = join(folder, 'result.json');
  print(`── ${project} tests`);
  const started = Date.now();
  const { ok } = await runCommand(
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
  print(formatOutcome(`${project} tests`, ok, started));
  try {
    return summarizeJest(existsSync(outputFile) ? readFileSync(outputFile, 'utf8') : undefined, ok);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @param outputTarget file descriptor of the output; `pipe` returns the output instead */
async function runCommand(
  [program = '', ...args]: readonly string[],
  outputTarget: number | 'pipe',
): Promise<{ ok: boolean; output: string }> {
  const executable =
    program === 'node' ? process.execPath : join(REPOSITORY_ROOT, 'node_modules/.bin', program);
  const child = spawn(executable, args, {
    cwd: REPOSITORY_ROOT,
    // Both streams go to one target, in order. Jest reports on standard error and repeats everything as JSON on standard output.
    stdio: ['ignore', program === 'jest' ? 'ignore' : outputTarget, outputTarget],
    env: {
      ...process.env,
      NODE_OPTIONS: '--enable-source-maps --disable-warning=ExperimentalWarning',
      // Jest's workers are threads and share one libuv thread pool, whose default size is four.
      UV_THREADPOOL_SIZE: String(4 * Math.max(...Object.values(WORKERS))),
    },
    // A process group of its own, so that child processes end with it.
    detached: true,
  });
  if (child.pid !== undefined) runningProcessGroups.add(child.pid);
  const timer = setTimeout(() => {
    print(`${program} was killed: no check may take more than ${CHECK_TIMEOUT_MINUTES} minutes.`);
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  }, CHECK_TIMEOUT_MINUTES * 60_000);
  let output = '';
  const append = (chunk: Buffer): void => {
    output = (output + chunk.toString()).slice(-MAX_OUTPUT_LENGTH);
  };
  child.stdout?.on('data', append);
  child.stderr?.on('data', append);
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ ok: false, output: `${output}${error.message}\n` }));
    child.once('close', (code) => {
      clearTimeout(timer);
      if (child.pid !== undefined) runningProcessGroups.delete(child.pid);
      resolve({ ok: code === 0, output });
    });
  });
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
