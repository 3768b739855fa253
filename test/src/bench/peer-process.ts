import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A server for comparison, in a process of its own. */
export interface PeerProcess {
  readonly port: number;
  stop(): Promise<void>;
}

/** @param program compiled module, which sends `{ port }` to its parent when it listens */
export async function startPeer(program: URL, args: readonly string[]): Promise<PeerProcess> {
  const child = fork(fileURLToPath(program), args, { stdio: 'inherit' });
  const exited = once(child, 'exit');
  const failed = exited.then(([status]) => {
    throw new Error(`the peer ended with ${String(status)}`);
  });
  const [{ port }] = (await Promise.race([once(child, 'message'), failed])) as [{ port: number }];
  return {
    port,
    stop: async () => {
      child.kill('SIGTERM');
      await exited;
    },
  };
}
