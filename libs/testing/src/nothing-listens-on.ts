import { once } from 'node:events';
import { connect } from 'node:net';
import { waitFor } from './wait-for.js';

/**
 * Waits until nothing listens on a port of loopback. A closed listener stays open while a process that another thread is starting still
 * holds its descriptor.
 */
export async function nothingListensOn(port: number): Promise<void> {
  await waitFor(`the end of the listener on port ${port}`, () => isRefused(port));
}

async function isRefused(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return false;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ECONNREFUSED') return true;
    if (code === 'ECONNRESET') return false;
    throw error;
  } finally {
    socket.destroy();
  }
}
