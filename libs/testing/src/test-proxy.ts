import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A TCP proxy to a server on loopback that simulates network faults. */
export interface TestProxy {
  readonly port: number;
  /** Requests reach the server, but no response reaches a client. */
  holdResponses(): void;
  /** Nothing passes on open connections, and they do not end, as when a host vanishes. New connections work. */
  dropTraffic(): void;
  /** Ends the open connections. Held responses are lost; new connections work. */
  cut(): void;
  stop(): Promise<void>;
}

interface Connection {
  readonly client: Socket;
  readonly server: Socket;
}

export async function startTestProxy(serverPort: number): Promise<TestProxy> {
  const connections = new Set<Connection>();
  const listener = createServer((client) => {
    const server = connect(serverPort, '127.0.0.1');
    const connection = { client, server };
    connections.add(connection);
    client.pipe(server);
    server.pipe(client);
    for (const socket of [client, server]) {
      socket.on('error', () => end(connection));
      socket.on('close', () => end(connection));
    }
  });
  const end = (connection: Connection): void => {
    connections.delete(connection);
    connection.client.destroy();
    connection.server.destroy();
  };
  const endAll = (): void => [...connections].forEach(end);
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  return {
    port: (listener.address() as AddressInfo).port,
    holdResponses: () => {
      for (const { client, server } of connections) server.unpipe(client);
    },
    dropTraffic: () => {
      for (const { client, server } of connections) {
        server.unpipe(client);
        client.unpipe(server);
      }
    },
    cut: endAll,
    stop: async () => {
      listener.close();
      endAll();
      await once(listener, 'close');
    },
  };
}

/** The URL with another port, such as that of a proxy. */
export function withPort(url: string, port: number): string {
  const changed = new URL(url);
  changed.port = String(port);
  return changed.toString();
}
