import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** Sends only the head of a request. @returns the status of the response */
export async function sendHead(url: string, lines: readonly string[]): Promise<number> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(`${[...lines, `Host: ${hostname}`].join('\r\n')}\r\n\r\n`);
  const [data] = (await once(socket, 'data', { signal: AbortSignal.timeout(20_000) })) as [Buffer];
  socket.destroy();
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(data.toString('latin1'))?.[1]);
}

/** Sends only the head of a request, keeps its side open, and resolves when the server has closed the connection. */
export async function closedAfter(url: string, lines: readonly string[]): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
  // A half-closed server accepts further data; a closed one responds with a reset.
  const closed = new Promise<void>((resolve) => {
    socket.once('error', () => resolve());
  });
  const push = setInterval(() => socket.write('x'), 20);
  socket.resume();
  socket.write(`${[...lines, `Host: ${hostname}`].join('\r\n')}\r\n\r\n`);
  try {
    await Promise.race([closed, timeout()]);
  } finally {
    clearInterval(push);
    socket.destroy();
  }
}

async function timeout(): Promise<never> {
  await pause(20_000, undefined, { ref: false });
  throw new Error('the server still holds the connection after twenty seconds');
}
