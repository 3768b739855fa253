import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { endProcess } from './launched-process.js';

it('a process that ignores SIGTERM is killed', async () => {
  const script = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1_000); console.log('ready')";
  const child = spawn(process.execPath, ['--eval', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  await endProcess({ child, kill: (signal) => child.kill(signal) }, 'SIGTERM', 50);
  expect(child.signalCode).toBe('SIGKILL');
});
