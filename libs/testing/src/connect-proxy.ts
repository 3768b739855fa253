import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';

/** An HTTP proxy (CONNECT) that reaches every host name on loopback, so that a target can have a name that does not exist. */
export interface ConnectProxy {
  readonly url: string;
  /** Host and port of each tunnel that was opened. */
  readonly tunnels: readonly string[];
  /** Tunnels that are open. */
  readonly open: number;
  /** Connections of clients, tunnels or not. */
  readonly clients: number;
  /** Leaves CONNECT without a response. */
  silent: boolean;
  /** `user:password` that a client needs. */
  credentials: string | undefined;
  stop(): Promise<void>;
}

export async function startConnectProxy(): Promise<ConnectProxy> {
  const tunnels: string[] = [];
  const sockets = new Set<Socket>();
  const clients = new Set<Socket>();
  let open = 0;
  const server = createServer((_, response) => void response.writeHead(405).end());
  server.on('connection', (client: Socket) => {
    clients.add(client);
    client.once('close', () => clients.delete(client));
  });
  const onConnect = (request: IncomingMessage, client: Socket, head: Buffer): void => {
    client.on('error', () => client.destroy());
    if (proxy.silent) return void client.once('end', () => client.destroy()).resume();
    const expected = proxy.credentials && `Basic ${Buffer.from(proxy.credentials).toString('base64')}`;
    if (expected !== undefined && request.headers['proxy-authorization'] !== expected)
      return void client.end('HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n');
    const { port } = new URL(`http://${request.url ?? ''}`);
    const target = connect(Number(port || 443), '127.0.0.1');
    sockets.add(target);
    target.once('connect', () => {
      tunnels.push(request.url ?? '');
      open += 1;
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      target.write(head);
      target.pipe(client).pipe(target);
      target.once('close', () => (open -= 1));
    });
    target.on('error', () => client.destroy());
    target.once('close', () => {
      sockets.delete(target);
      client.destroy();
    });
    client.once('close', () => target.destroy());
  };
  server.on('connect', onConnect);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy: ConnectProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    tunnels,
    get open() {
      return open;
    },
    get clients() {
      return clients.size;
    },
    silent: false,
    credentials: undefined,
    stop: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of [...sockets, ...clients]) socket.destroy();
      await closed;
    },
  };
  return proxy;
}
