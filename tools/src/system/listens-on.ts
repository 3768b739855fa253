import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/**
 * A server of ours on a port of loopback; it hears nobody out.
 * @returns undefined when the port is taken
 */
export async function listensOn(port: number): Promise<Server | undefined> {
  const server = createServer((socket) => socket.destroy());
  server.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
    return server;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return undefined;
    throw error;
  }
}
