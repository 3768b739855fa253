import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A line to a server on loopback, of which a test may take away what a network takes away. */
export interface TestProxy {
  readonly port: number;
  /** What the server says stays on the way: requests arrive, and nobody hears what became of them. */
  holdAnswers(): void;
  /** Nothing gets through in either direction, and no end tells of it, as when a host vanishes. New connections get through. */
  fallSilent(): void;
  /** Connections end, what was held is lost, and new ones get through again. */
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
    holdAnswers: () => {
      for (const { client, server } of connections) server.unpipe(client);
    },
    fallSilent: () => {
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
