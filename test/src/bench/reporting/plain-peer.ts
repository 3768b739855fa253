import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { CredentialFiles } from '@ssb/tools';

export interface PlainPeer {
  readonly url: string;
  stop(): Promise<void>;
}

/** Plain Fastify in a process of its own, serving the bytes of the file. */
export async function startPlainPeer(
  bodyFile: string,
  server: CredentialFiles,
  ca: string,
): Promise<PlainPeer> {
  const program = fileURLToPath(new URL('./peer-server.js', import.meta.url));
  const child = fork(program, [bodyFile, server.certificate, server.key, ca], { stdio: 'inherit' });
  const [message] = (await Promise.race([once(child, 'message'), failed(child)])) as [{ port: number }];
  return {
    url: `https://127.0.0.1:${message.port}`,
    stop: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}

async function failed(child: ReturnType<typeof fork>): Promise<never> {
  const [status] = (await once(child, 'exit')) as [number | null];
  throw new Error(`the plain peer ended with ${status}`);
}
