import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** What `post-server` can be. */
export type PeerKind = 'fastify' | 'nest';

/** A server that takes the same request and does nothing with it, as a process of its own. */
export class Peer {
  private constructor(
    readonly port: number,
    private readonly child: ChildProcess,
    private readonly ended: Promise<unknown[]>,
  ) {}

  static async start(kind: PeerKind): Promise<Peer> {
    const file = fileURLToPath(new URL('./bus/baselines/peer-server.js', import.meta.url));
    const child = fork(file, [kind], { stdio: 'inherit' });
    const ended = once(child, 'exit');
    const [{ port }] = (await Promise.race([once(child, 'message'), failed(ended)])) as [{ port: number }];
    return new Peer(port, child, ended);
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  async stop(): Promise<void> {
    this.child.kill('SIGTERM');
    await this.ended;
  }
}

async function failed(ended: Promise<unknown[]>): Promise<never> {
  const [status] = await ended;
  throw new Error(`the peer ended with ${String(status)}`);
}
