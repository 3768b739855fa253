import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NoRedisError } from './redis/obtain-redis.js';
import { ensureRedisProgram } from './redis/ensure-redis-program.js';
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

interface Tally {
  passed: number;
  failed: number;
}

if (ensureRedisProgram(process.env['PATH'] ?? '', say) === undefined) {
  say(new NoRedisError().message);
  process.exit(1);
}

const tally: Tally = { passed: 0, failed: 0 };
for (const { name, command } of CHECKS) count(await check(name, command));
for (const project of PROJECTS) await runJest(project);
say(`\n${tally.passed} passed, ${tally.failed} failed`);
process.exit(tally.failed === 0 ? 0 : 1);

async function check(name: string, command: readonly string[]): Promise<boolean> {
  say(`── ${name}`);
  const started = Date.now();
  const ok = await succeeds(command);
  say(`── ${name}: ${ok ? 'ok' : 'FAILED'} after ${Math.round((Date.now() - started) / 1000)} s`);
  return ok;
}

function count(ok: boolean): void {
  if (ok) tally.passed += 1;
  else tally.failed += 1;
}

/** Runs one Jest project and adds its tests to the tally; a run that tells of no test counts as a failure. */
async function runJest(project: (typeof PROJECTS)[number]): Promise<void> {
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
  const before = { ...tally };
  try {
    const result = JSON.parse(readFileSync(outputFile, 'utf8')) as {
      numPassedTests: number;
      numFailedTests: number;
    };
    tally.passed += result.numPassedTests;
    tally.failed += result.numFailedTests;
  } finally {
    rmSync(folder, { recursive: true });
  }
  if (!ok && tally.failed === before.failed) tally.failed += 1;
}

async function succeeds([program = '', ...args]: readonly string[]): Promise<boolean> {
  const executable = program === 'node' ? process.execPath : join(REPOSITORY, 'node_modules/.bin', program);
  const child = spawn(executable, args, {
    cwd: REPOSITORY,
    stdio: ['ignore', program === 'jest' ? 'ignore' : 'inherit', 'inherit'],
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
