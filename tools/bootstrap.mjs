// Installs packages, compiles and bundles where needed, then runs the compiled command that the command line names.
// This file has no dependencies, because nothing is installed when it first runs.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major < 20 || (major === 20 && minor < 19)) {
  fail(
    `This needs Node 20.19 or later; this is ${process.versions.node}. Install a newer one and run the command again.`,
  );
}

/** Debian packages that `npm test` installs if they are missing (tools/src/programs/required-programs.ts). */
const TEST_PACKAGES = ['redis-server', 'postgresql', 'poppler-utils', 'curl', 'nats-server', 'chromium'];
if (runs('check.js') && !process.argv.includes('--pure') && !installIsCurrent()) {
  process.stderr.write(
    `  This installs the npm packages of package-lock.json. It installs missing Debian packages with apt-get: ${TEST_PACKAGES.join(', ')}.\n`,
  );
}

/** Fewer garbage collections of the compiler, which is written in Go: half of its processor time. */
const COMPILER_MEMORY = { GOGC: 'off', GOMEMLIMIT: '1536MiB' };

await step('install', 'npm ci', installIsCurrent, () => {
  // Development packages are needed too, also with NODE_ENV=production or omit=dev.
  const all = ['dev', 'optional', 'peer'].map((kind) => `--include=${kind}`);
  run(findNpm(), ['ci', ...all, '--no-fund', '--no-audit', '--loglevel=error']);
  if (!hasDevelopmentPackages())
    fail('npm ci left out development packages. Run npm ci --include=dev, then the command again.');
  writeFileSync(stampFile(), lockDigest());
});
await step(
  'build',
  'tsc -b',
  () => false,
  () => {
    const compiler = join(root, 'node_modules/@typescript/native/bin/tsc');
    // `npm test` checks the types beside the tests, so a start does not wait for that.
    const options = ['--noCheck', '--builders', String(Math.min(availableParallelism(), 4))];
    run(process.execPath, [compiler, '-b', 'tsconfig.json', ...options], COMPILER_MEMORY);
  },
);
const { bundleApps, bundlesAreCurrent } = await import('./dist/build/bundle-apps.js').catch((error) =>
  fail(`The bundler cannot be loaded: ${error.message}`),
);
await step('bundle', 'esbuild', bundlesAreCurrent, bundleApps);
const { buildConsole, consoleIsCurrent } = await import('./dist/build/build-console.js').catch((error) =>
  fail(`The bundler of the console cannot be loaded: ${error.message}`),
);
await step('console', 'vite build', consoleIsCurrent, buildConsole);

const [program, ...programArguments] = process.argv.slice(2);
if (program !== undefined) {
  process.argv.splice(1, process.argv.length - 1, join(root, program), ...programArguments);
  await import(pathToFileURL(join(root, program)).href);
}

async function step(name, command, isCurrent, work) {
  if (await isCurrent()) return;
  const started = Date.now();
  const quiet = process.argv.includes('--json');
  const print = (text) => !quiet && process.stderr.write(text);
  // A first install takes minutes, so its line is printed before it starts.
  if (name === 'install') print(`  ${name.padEnd(12)} ${command} …\n`);
  try {
    await work();
  } catch (error) {
    fail(`${command} failed: ${error.message}`);
  }
  const seconds = (Date.now() - started) / 1000;
  if (seconds > 1) print(`  ${name.padEnd(12)} done in ${seconds.toFixed(1)} s\n`);
}

function runs(program) {
  return process.argv[2]?.endsWith(program) ?? false;
}

function isCheck() {
  return runs('check.js') || runs('check-deploy.js');
}

function stampFile() {
  return join(root, 'node_modules', '.installed-lock');
}

function lockDigest() {
  return createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
}

function installIsCurrent() {
  return (
    existsSync(stampFile()) && readFileSync(stampFile(), 'utf8') === lockDigest() && hasDevelopmentPackages()
  );
}

/** `npm ci` of another command may have left them out after the stamp was written. */
function hasDevelopmentPackages() {
  const { devDependencies = {} } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return Object.keys(devDependencies).every((name) => existsSync(join(root, 'node_modules', name)));
}

/** The first npm that runs. Some packages of Node have a launcher that does not. */
function findNpm() {
  const folders = [dirname(process.execPath), ...(process.env.PATH ?? '').split(delimiter)];
  const programs = folders.map((folder) => join(folder, 'npm')).filter(existsSync);
  return programs.find((program) => spawnSync(program, ['--version']).status === 0) ?? 'npm';
}

function run(executable, args, environment) {
  const { status, error, stdout, stderr } = spawnSync(executable, args, {
    cwd: root,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status === 0) return;
  // Syntax errors are a test result, so a check prints them on standard output.
  const output = isCheck() ? process.stdout : process.stderr;
  output.write(`${stdout ?? ''}${stderr ?? ''}`);
  fail(`"${executable} ${args.join(' ')}" failed${error ? `: ${error.message}` : ` with status ${status}`}.`);
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  // The last line of a check is its summary, also after a failed build.
  if (isCheck()) process.stdout.write('0 passed, 1 failed\n');
  process.exit(1);
}
