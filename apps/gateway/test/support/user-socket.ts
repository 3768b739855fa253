import { once } from 'node:events';
import { basicAuthorization } from '@ssb/bus';
import { WebSocket } from 'ws';

function open(
  { url }: { readonly url: string },
  name: string,
  password: string,
  headers: Readonly<Record<string, string>> = {},
): WebSocket {
  return new WebSocket(`${url.replace('http', 'ws')}/events`, 'dsb-messages', {
    headers: { authorization: basicAuthorization(name, password), ...headers },
  });
}

/** Opens `/events` of a gateway as a user. */
export async function connectAs(...user: Parameters<typeof open>): Promise<WebSocket> {
  const socket = open(...user);
  await once(socket, 'open');
  return socket;
}

/** Requests the upgrade and ends the connection. @returns the response status; 101 when it is accepted */
export function upgradeAs(...user: Parameters<typeof open>): Promise<number> {
  const socket = open(...user);
  return new Promise((resolve) => {
    socket.on('open', () => {
      socket.terminate();
      resolve(101);
    });
    socket.on('unexpected-response', (_request, response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    socket.on('error', () => undefined);
  });
}
