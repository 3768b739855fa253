import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { add, lastLine, tallyOfCheck, tallyOfJest, type Tally } from './check/tally.js';
import { describeMissing, ensurePrograms } from './programs/ensure-programs.js';
import { TEST_PROGRAMS } from './programs/needed-programs.js';
import { REPOSITORY } from './system/app-process.js';

/** `npm test`: everything that must hold before a change lands. Types are checked by the build that ran before this. */
const CHECKS: readonly { readonly name: string; readonly command: readonly string[] }[] = [
  { name: 'generated docs', command: ['node', 'tools/dist/docs.js', '--check'] },
  { name: 'format', command: ['prettier', '--check', '--log-level', 'warn', '.'] },
  { name: 'lint', command: ['eslint', '.'] },
  {
    name: 'dependency rules',
    command: ['depcruise', 'libs', 'apps', 'tools', 'test', '--config', '.dependency-cruiser.cjs'],
  },
];

const PROJECTS = ['unit', 'system'] as const;

let tally: Tally = { passed: 0, failed: 0 };
const missing = ensurePrograms(TEST_PROGRAMS, { searchPath: process.env['PATH'] ?? '', onProgress: say });
if (missing.length > 0) {
  say(describeMissing(missing));
  tally = tallyOfCheck(false);
} else {
  for (const { name, command } of CHECKS) tally = add(tally, tallyOfCheck(await check(name, command)));
  for (const project of PROJECTS) tally = add(tally, await runJest(project));
}
say(`\n${lastLine(tally)}`);
process.exit(tally.failed === 0 ? 0 : 1);

async function check(name: string, command: readonly string[]): Promise<boolean> {
  say(`── ${name}`);
  const started = Date.now();
  const ok = await succeeds(command);
  say(`── ${name}: ${ok ? 'ok' : 'FAILED'} after ${Math.round((Date.now() - started) / 1000)} s`);
  return ok;
}

/** Runs one Jest project and counts its tests. */
async function runJest(project: (typeof PROJECTS)[number]): Promise<Tally> {
  const folder = mkdtempSync(join(tmpdir(), 'jest-result-'));
  const outputFile = join(folder, 'result.json');
  // System tests start many processes each: one file at a time on a small machine.
  const workers = project === 'system' ? ['--runInBand'] : ['--maxWorkers=2'];
  const ok = await check(`${project} tests`, [
    'jest',
    '--selectProjects',
    project,
    '--json',
    '--outputFile',
    outputFile,
    ...workers,
    ...process.argv.slice(2),
  ]);
  try {
    return tallyOfJest(existsSync(outputFile) ? readFileSync(outputFile, 'utf8') : undefined, ok);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function succeeds([program = '', ...args]: readonly string[]): Promise<boolean> {
  const executable = program === 'node' ? process.execPath : join(REPOSITORY, 'node_modules/.bin', program);
  const child = spawn(executable, args, {
    cwd: REPOSITORY,
    // Everything goes to one place, in order: a failure must be readable in a log that holds standard output alone. Jest reports on its
    // standard error, and would repeat all of it as JSON on the other.
    stdio: ['ignore', program === 'jest' ? 'ignore' : process.stdout.fd, process.stdout.fd],
    env: { ...process.env, NODE_OPTIONS: '--experimental-vm-modules --disable-warning=ExperimentalWarning' },
  });
  return new Promise((resolve) => {
    child.once('error', () => resolve(false));
    child.once('close', (code) => resolve(code === 0));
  });
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
