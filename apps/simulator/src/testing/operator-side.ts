import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  InvoiceLoad,
  OPERATOR_PATHS,
  parseJson,
  PrudentialLoad,
  StatementLoad,
  TimelineLoad,
  type Resource,
} from '@ssb/market';

/** One record that came in, as its JSON text. */
export interface Taken {
  path: string;
  body: string;
}

/**
 * The operator's side of the contract over real HTTP: tokens and the door. It judges every record by the shared strict
 * definitions and remembers what it took.
 */
export interface OperatorSide {
  url: string;
  taken: Taken[];
  /** What the next requests are answered with before anything is looked at; shifted one a request. */
  failures: number[];
  /** Resolves once so many records were taken. */
  untilTaken(count: number): Promise<void>;
  close(): Promise<void>;
}

const LOADS: Record<string, Resource<unknown>> = {
  [OPERATOR_PATHS.prudential]: PrudentialLoad,
  [OPERATOR_PATHS.statements]: StatementLoad,
  [OPERATOR_PATHS.invoices]: InvoiceLoad,
  [OPERATOR_PATHS.timelines]: TimelineLoad,
};

const TOKEN = JSON.stringify({
  access_token: 'abc',
  token_type: 'Bearer',
  expires_in: 300,
  scope: 'MARKETRECORDS|OPERATOR|C',
});

export async function startOperatorSide(): Promise<OperatorSide> {
  const taken: Taken[] = [];
  const failures: number[] = [];
  const waiting = new Set<() => void>();
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = request.url ?? '';
    const body = await textOf(request);
    const failure = failures.shift();
    if (failure !== undefined) return send(response, failure, '{}');
    if (path === '/oauth/v1/token') return send(response, 200, TOKEN);
    const reading = LOADS[path]?.readStrict(parseJson(body));
    if (request.headers.authorization !== 'Bearer abc') return send(response, 401, '{}');
    if (reading?.ok !== true) return send(response, 422, JSON.stringify(reading?.issues));
    const known = taken.some((each) => each.path === path && each.body === body);
    taken.push({ path, body });
    send(response, known ? 200 : 201, JSON.stringify({ loaded: !known }));
    for (const look of waiting) look();
  };
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    taken,
    failures,
    untilTaken: (count) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (taken.length < count) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function send(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(body);
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
