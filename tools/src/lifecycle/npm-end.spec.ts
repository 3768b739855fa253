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

it('notices that npm was killed', async () => {
  const script = `
    import { onEndOfNpm } from '${MODULE}';
    onEndOfNpm(() => { console.log('npm has ended'); process.exit(); }, 20);
    setInterval(() => {}, 1_000);
    console.log('ready');`;
  // Like npm, the shell starts the process and waits for it.
  const npm = spawn(
    '/bin/sh',
    ['-c', '"$0" --input-type=module --eval "$1" & wait', process.execPath, script],
    {
      env: { ...process.env, ...START },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  npm.stdout.setEncoding('utf8');
  expect(await once(npm.stdout, 'data')).toEqual(['ready\n']);
  npm.kill('SIGKILL');
  expect(await once(npm.stdout, 'data')).toEqual(['npm has ended\n']);
  await once(npm.stdout, 'close');
});
