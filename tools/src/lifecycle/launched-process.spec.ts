import { once } from 'node:events';
import { endProcess, startServer } from './launched-process.js';
import { ResourceStack } from './resource-stack.js';

/** Prints one line when it is ready. */
const run = (script: string, resources: ResourceStack) =>
  startServer(
    process.execPath,
    ['--eval', `${script}; setInterval(() => {}, 1_000); console.log('ready')`],
    ['ignore', 'pipe', 'inherit'],
    resources,
  );

it('a server ends with the resources', async () => {
  const resources = new ResourceStack();
  const server = await run('', resources);
  await resources.release();
  expect(server.signalCode).toBe('SIGTERM');
});

it('a process that ignores SIGTERM is killed', async () => {
  const resources = new ResourceStack();
  const child = await run("process.on('SIGTERM', () => {})", resources);
  await once(child.stdout!, 'data');
  await endProcess({ child, kill: (signal) => child.kill(signal) }, 'SIGTERM', 50);
  expect(child.signalCode).toBe('SIGKILL');
  await resources.release();
});

it('a program that does not exist is reported', async () => {
  await expect(startServer('/no/such/program', [], 'ignore', new ResourceStack())).rejects.toThrow('ENOENT');
});
