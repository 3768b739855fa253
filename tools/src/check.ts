import { standardOutput } from '@ssb/platform';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type CommandResult,
  endRunningCommands,
  GO_PROGRAM_ENVIRONMENT,
  runCommand,
} from './check/run-command.js';
import {
  addSummaries,
  formatOutcome,
  formatSummary,
  summarizeCheck,
  summarizeJest,
  type TestSummary,
} from './check/test-summary.js';
import { describeMissing, ensurePrograms } from './programs/ensure-programs.js';
import { TEST_PROGRAMS } from './programs/required-programs.js';
import { REPOSITORY_ROOT } from './system/processes.js';

/** `npm test` runs these and all tests; `test:unit` and `test:system` run one Jest project. `check:deploy` has the linter and the dependency rules. */
const CHECKS: readonly { readonly name: string; readonly command: readonly string[] }[] = [
  { name: 'generated docs', command: ['node', 'tools/dist/docs.js', '--check'] },
  { name: 'format', command: ['oxfmt', '--check'] },
  { name: 'types', command: ['tsc', '-p', 'tsconfig.lint.json', '--checkers', '1'] },
  {
    name: 'types of the console',
    command: ['tsc', '-p', 'apps/console/tsconfig.json', '--noEmit', '--composite', 'false'],
  },
];

/** File descriptor, for the output of Jest. */
const STANDARD_OUTPUT = 1;

const PROJECTS = ['unit', 'system'] as const;

type Project = (typeof PROJECTS)[number];

/** Test files at a time. More than two keep two cores busy, because most tests wait for servers. */
const WORKERS: Readonly<Record<Project, number>> = { unit: 7, system: 3 };

const USAGE = `npm test                                 checks, unit tests and tests of the whole system
npm run test:unit -- [--pure] [pattern…]  unit tests in files whose path contains a pattern
npm run test:system -- [pattern…]         tests of the whole system

--pure   only tests that start no server or other process; needs no root and no Debian package
`;

const [firstArgument, ...otherArguments] = process.argv.slice(2);
const selectedProject = PROJECTS.find((project) => project === firstArgument);
const givenArguments = selectedProject === undefined ? process.argv.slice(2) : otherArguments;
const isPure = selectedProject === 'unit' && givenArguments.includes('--pure');
const patterns = givenArguments.filter((argument) => !isPure || argument !== '--pure');
if (givenArguments.includes('--help')) {
  print(USAGE);
  process.exit(0);
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    endRunningCommands(signal);
    process.exit(1);
  });
}

/** Loading the source maps of all tests takes a twentieth of their time. Without them, a failure names a line of the compiled file. */
const SOURCE_MAPS = selectedProject === undefined ? '' : '--enable-source-maps ';

const startedAt = Date.now();
let summary: TestSummary;
const missing = ensurePrograms(isPure ? [] : TEST_PROGRAMS, {
  searchPath: process.env['PATH'] ?? '',
  onProgress: print,
});
if (missing.length > 0) {
  print(describeMissing(missing));
  summary = summarizeCheck(false);
} else if (selectedProject !== undefined) {
  summary = await runJest(selectedProject);
} else {
  // Unit tests come later, because the apps of a running system use processor time as long as its tests last.
  const checksAndUnitTests = async (): Promise<TestSummary> =>
    addSummaries(await runChecks(), await runJest('unit'));
  const summaries = await Promise.all([checksAndUnitTests(), runJest('system')]);
  summary = summaries.reduce(addSummaries);
}
print(`── everything after ${Math.round((Date.now() - startedAt) / 1_000)} s`);
print(`\n${formatSummary(summary)}`);
process.exit(summary.failed === 0 ? 0 : 1);

/** Runs the checks one after the other. The output of a check is printed as one piece, and only if the check fails. */
async function runChecks(): Promise<TestSummary> {
  let total: TestSummary = { passed: 0, failed: 0 };
  for (const { name, command } of CHECKS) {
    const started = Date.now();
    const { ok, output } = await runProgram(command, 'pipe', GO_PROGRAM_ENVIRONMENT);
    print(`${ok ? '' : output}${formatOutcome(name, ok, started)}`);
    total = addSummaries(total, summarizeCheck(ok));
  }
  return total;
}

/** Runs one Jest project and counts its tests. */
async function runJest(project: Project): Promise<TestSummary> {
  const folder = mkdtempSync(join(tmpdir(), 'jest-result-'));
  const outputFile = join(folder, 'result.json');
  print(`── ${project} tests`);
  const started = Date.now();
  const { ok } = await runProgram(
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
    STANDARD_OUTPUT,
  );
  print(formatOutcome(`${project} tests`, ok, started));
  try {
    return summarizeJest(existsSync(outputFile) ? readFileSync(outputFile, 'utf8') : undefined, ok);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @param outputTarget file descriptor of the output; `pipe` returns the output instead */
async function runProgram(
  [program = '', ...args]: readonly string[],
  outputTarget: number | 'pipe',
  environment: Readonly<Record<string, string>> = {},
): Promise<CommandResult> {
  const executable =
    program === 'node' ? process.execPath : join(REPOSITORY_ROOT, 'node_modules/.bin', program);
  return runCommand(executable, args, {
    // Jest reports on standard error and repeats everything as JSON on standard output.
    stdout: program === 'jest' ? 'ignore' : outputTarget,
    stderr: outputTarget,
    environment: {
      // Fewer garbage collections: tests create many objects that are soon unused.
      NODE_OPTIONS: `${SOURCE_MAPS}--disable-warning=ExperimentalWarning --max-semi-space-size=32`,
      ...(isPure && { PURE_TESTS: 'true' }),
      ...environment,
      // Jest's workers are threads and share one libuv thread pool, whose default size is four.
      UV_THREADPOOL_SIZE: String(4 * Math.max(...Object.values(WORKERS))),
    },
  });
}

function print(text: string): void {
  standardOutput.write(`${text}\n`);
}
