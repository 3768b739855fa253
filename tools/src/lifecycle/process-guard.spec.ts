import { waitFor } from '@ssb/testing';
import { isAlive } from '@ssb/dev/postgres-server';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { ProcessGuard } from './process-guard.js';

const MODULE = new URL('./process-guard.js', import.meta.url).href;
const started: ChildProcess[] = [];

afterEach(() => started.splice(0).forEach((child) => child.kill('SIGKILL')));

/** A process that ignores SIGTERM; it has printed a line. */
async function startServer(): Promise<ChildProcess> {
  const script = `process.on('SIGTERM', () => console.log('ignored')); setInterval(() => {}, 1_000); console.log('ready')`;
  const child = spawn(process.execPath, ['--eval', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  started.push(child);
  await once(child.stdout, 'data');
  return child;
}

it('a process ends with its guarding one, also when that is killed', async () => {
  const server = await startServer();
  const script = `
    import { ProcessGuard } from '${MODULE}';
    new ProcessGuard(${server.pid}, ['SIGINT', 'SIGKILL']);
    setInterval(() => {}, 1_000);
    console.log('ready');`;
  const starter = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  started.push(starter);
  await once(starter.stdout, 'data');
  const end = once(server, 'exit');
  starter.kill('SIGKILL');
  expect(await end).toEqual([null, 'SIGINT']);
});

it('a released process continues, and the guard has ended', async () => {
  const server = await startServer();
  const guard = new ProcessGuard(server.pid!, ['SIGKILL']);
  await guard.release();
  expect(isAlive(server.pid!)).toBe(true);
});

it('a guard of a process that has ended ends too', async () => {
  const server = await startServer();
  server.kill('SIGKILL');
  await once(server, 'exit');
  await new ProcessGuard(server.pid!, ['SIGKILL']).release();
  await waitFor('the end', () => !isAlive(server.pid!));
});
