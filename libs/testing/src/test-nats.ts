import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '@ssb/dev/free-ports';
import type { TestServer } from './test-server.js';

/** The NATS server ended, or did not respond in time. */
export class TestNatsError extends Error {
  override readonly name = 'TestNatsError';
}

export interface TestNatsOptions {
  /** Maximum size of JetStream's files, bytes. */
  readonly maxFileStore?: number;
  /** Further lines of the server's configuration file, such as users or certificates. */
  readonly configuration?: string;
  /** Maximum size of a message, bytes. */
  readonly maxPayload?: number;
}

/** A temporary NATS server with JetStream for one test file: real, with file storage, on a free port. */
export type TestNats = TestServer;

/** Debian installs it in a folder that is not on every user's PATH. */
const DEBIAN_PROGRAM = '/usr/sbin/nats-server';

const START_TIMEOUT_MS = 15_000;
const MEBIBYTE = 1_048_576;

export async function startTestNats({
  maxFileStore = 1024 * MEBIBYTE,
  maxPayload = 9 * MEBIBYTE,
  configuration = '',
}: TestNatsOptions = {}): Promise<TestNats> {
  const folder = mkdtempSync(join(tmpdir(), 'test-nats-'));
  const port = await freePort();
  const file = join(folder, 'server.conf');
  const lines = [
    `host: 127.0.0.1`,
    `port: ${port}`,
    `max_payload: ${maxPayload}`,
    `jetstream { store_dir: "${folder}", max_file_store: ${maxFileStore}, max_memory_store: ${MEBIBYTE} }`,
    configuration,
  ];
  writeFileSync(file, lines.join('\n'));
  let server = await launch(file, port);
  const start = async (): Promise<void> => {
    server = await launch(file, port);
  };
  return {
    url: `nats://127.0.0.1:${port}`,
    port,
    get pid() {
      return server.pid ?? 0;
    },
    stop: async () => {
      await endProcess(server, 'SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
    restart: async () => {
      await endProcess(server, 'SIGTERM');
      await start();
    },
    kill: () => endProcess(server, 'SIGKILL'),
    start,
    pause: () => void server.kill('SIGSTOP'),
    resume: () => void server.kill('SIGCONT'),
  };
}

/** Starts the server in the test's process group, so that an interrupted run leaves none behind. */
async function launch(file: string, port: number): Promise<ChildProcess> {
  const program = existsSync(DEBIAN_PROGRAM) ? DEBIAN_PROGRAM : 'nats-server';
  const server = spawn(program, ['-c', file], { stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  server.stderr.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-2_000)));
  let failure: Error | undefined;
  server.once('error', (error) => (failure = error));
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (!(await isReady(port))) {
    if (failure || server.exitCode !== null || Date.now() > deadline) {
      server.kill('SIGKILL');
      throw new TestNatsError(`nats-server does not respond on port ${port}:\n${output}`, { cause: failure });
    }
    await pause(10);
  }
  return server;
}

/** Whether the server sends its INFO line, which it does once JetStream has loaded its files. */
function isReady(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const finish = (ready: boolean): void => {
      socket.destroy();
      resolve(ready);
    };
    socket.setTimeout(1_000, () => finish(false));
    socket.once('error', () => finish(false));
    socket.once('data', (chunk: Buffer) => finish(chunk.toString().startsWith('INFO')));
  });
}

async function endProcess(server: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = once(server, 'exit');
  server.kill(signal);
  await ended;
}
