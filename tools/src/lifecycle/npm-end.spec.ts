import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { REPOSITORY_ROOT } from '../system/processes.js';
import { isStartedByNpm } from './npm-end.js';

const MODULE = new URL('./npm-end.js', import.meta.url).href;
const START = { npm_lifecycle_event: 'start', npm_package_json: join(REPOSITORY_ROOT, 'package.json') };

it.each<[string, NodeJS.ProcessEnv, boolean]>([
  ['npm start', START, true],
  ['another script', { ...START, npm_lifecycle_event: 'test' }, false],
  ['the start script of another package', { ...START, npm_package_json: '/other/package.json' }, false],
  ['a shell', {}, false],
])('%s', (_, environment, expected) => {
  expect(isStartedByNpm(environment)).toBe(expected);
});

/** What npm runs: it prints a line when it is ready, and one when it notices the end of npm. It ends by itself when it notices nothing. */
const SCRIPT = `
  import { onEndOfNpm } from '${MODULE}';
  onEndOfNpm(() => { console.log('npm has ended'); process.exit(); }, 20);
  setTimeout(() => {}, 60_000);
  console.log('ready');`;
const NODE = [process.execPath, '--input-type=module', '--eval', SCRIPT];

it.each([
  ['in a shell', ['/bin/sh', '-c', '"$@"; exit', 'sh', ...NODE]],
  ['in a shell that replaces itself', ['/bin/sh', '-c', 'exec "$@"', 'sh', ...NODE]],
])('notices that npm was killed, which ran the script %s', async (_, [program, ...args]) => {
  const npm = `require('node:child_process').spawn(${JSON.stringify(program)}, ${JSON.stringify(args)}, { stdio: 'inherit' })`;
  const child = spawn(process.execPath, ['--eval', npm], {
    env: { ...process.env, ...START },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child.stdout.setEncoding('utf8');
  expect(await once(child.stdout, 'data')).toEqual(['ready\n']);
  child.kill('SIGKILL');
  expect(await once(child.stdout, 'data')).toEqual(['npm has ended\n']);
  await once(child.stdout, 'close');
});
