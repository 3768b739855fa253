import type { SinkConfig } from '@ssb/config';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { ReceivedMessage } from '@ssb/testing/sinks';
import type { Behaviour, SinkAdapter, SinkReceiver } from './sink-adapter.js';

export interface HttpSinkKind {
  readonly kind: string;
  readonly files: (url: string) => Readonly<Record<string, string>>;
  /** Default: as it is. */
  readonly shows?: (text: string) => string;
  readonly config: (url: string) => SinkConfig;
  /** Reads a message with the receiver's own rules. Throws for a request that the receiver would refuse. */
  readonly read: (request: Pick<IncomingMessage, 'headers' | 'url'>, body: string) => ReceivedMessage;
}

/** The adapter of a sink that posts to an HTTP address. */
export function httpAdapter({
  kind,
  files: filesOf,
  shows = (text) => text,
  config,
  read,
}: HttpSinkKind): SinkAdapter {
  return {
    kind,
    hasFiles: Object.keys(filesOf('')).length > 0,
    shows,
    behaviours: ['accept', 'refuse', 'fail', 'hang', 'close', 'flood', 'echo'],
    start: async () => {
      const received: ReceivedMessage[] = [];
      const state: { behaviour: Behaviour; connections: number } = { behaviour: 'accept', connections: 0 };
      let files: SinkReceiver['files'] = {};
      let open = 0;
      const server = createServer((request, response) => {
        // A client that leaves within its request gets no response.
        void text(request).then(
          (body) => {
            received.push(read(request, body));
            const repeated = JSON.stringify({
              headers: request.headers,
              body,
              secrets: Object.values(files),
            });
            respond(response, state.behaviour, repeated);
          },
          () => undefined,
        );
      });
      server.on('connection', (socket) => {
        state.connections = Math.max(state.connections, (open += 1));
        socket.once('close', () => (open -= 1));
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as AddressInfo;
      const url = `http://127.0.0.1:${port}`;
      files = filesOf(url);
      const stop = () =>
        new Promise<void>((resolve) => {
          server.close(() => resolve());
          server.closeAllConnections();
        });
      return Object.assign(state, {
        received,
        stop,
        files,
        config: config(url),
      }) satisfies SinkReceiver;
    },
  };
}

function respond(response: ServerResponse, behaviour: Behaviour, repeated: string): void {
  switch (behaviour) {
    case 'accept':
      return void response.writeHead(202).end('accepted');
    case 'refuse':
      return void response.writeHead(400).end('refused');
    case 'fail':
      return void response.writeHead(503, { 'retry-after': '7' }).end('later');
    case 'echo':
      return void response.writeHead(400).end(repeated);
    case 'close':
      return void response.destroy();
    case 'hang':
      return;
    case 'flood': {
      const fill = (): void => {
        while (!response.destroyed && response.write('x'.repeat(10_000)));
      };
      response.on('drain', fill).writeHead(200);
      return fill();
    }
  }
}
