import { once } from 'node:events';
import { connect } from 'node:net';
import { waitFor } from './wait-for.js';

/**
 * Waits until nothing listens on a port of loopback. A listener that this process has closed is there a moment longer when another thread
 * starts a process just then: the new process holds it until it runs its program.
 */
export async function nothingListensOn(port: number): Promise<void> {
  await waitFor(`the end of the listener on port ${port}`, async () => !(await listensOn(port)));
}

async function listensOn(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
