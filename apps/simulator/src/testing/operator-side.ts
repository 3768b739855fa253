import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  ActiveTrouble,
  BULK_PATH,
  parseJson,
  readBulkLine,
  RECORD_KINDS,
  Trouble,
  TROUBLES_PATH,
  type RecordKind,
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
  /** A record with one of these texts in it is there with another content. */
  conflicts: string[];
  /** The troubles that were switched on. */
  troubles: Trouble[];
  /** Resolves once so many records were taken. */
  untilTaken(count: number): Promise<void>;
  close(): Promise<void>;
}

const KIND_OF = new Map<string, RecordKind>(
  RECORD_KINDS.map((kind) => [`/operator/v1/${kind}`, kind] as const),
);

const TOKEN = JSON.stringify({
  access_token: 'abc',
  token_type: 'Bearer',
  expires_in: 300,
  scope: 'MARKETRECORDS|OPERATOR|C MARKETTROUBLE|OPERATOR|C',
});

export async function startOperatorSide(): Promise<OperatorSide> {
  const taken: Taken[] = [];
  const failures: number[] = [];
  const troubles: Trouble[] = [];
  const conflicts: string[] = [];
  const known = new Set<string>();
  const waiting = new Set<() => void>();
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = request.url ?? '';
    const body = await textOf(request);
    const failure = failures.shift();
    if (failure !== undefined) return send(response, failure, '{}');
    if (path === '/oauth/v1/token') return send(response, 200, TOKEN);
    if (request.headers.authorization !== 'Bearer abc') return send(response, 401, '{}');
    if (path === TROUBLES_PATH) return setTrouble(body, troubles, response);
    const kind = KIND_OF.get(path);
    const lines =
      path === BULK_PATH
        ? body.split('\n').filter((line) => line !== '')
        : [`{"kind":"${kind}","record":${body}}`];
    const records: Taken[] = [];
    for (const line of lines) {
      const reading = readBulkLine(line);
      if (!reading.ok) return send(response, 422, JSON.stringify(reading.issues));
      const of = reading.value.kind;
      records.push({ path: `/operator/v1/${of}`, body: line.slice(`{"kind":"${of}","record":`.length, -1) });
    }
    if (records.some(({ body }) => conflicts.some((text) => body.includes(text))))
      return send(response, 409, '{}');
    const fresh = records.filter(({ path, body }) => !known.has(`${path} ${body}`));
    for (const { path, body } of fresh) known.add(`${path} ${body}`);
    taken.push(...records);
    if (path === BULK_PATH) {
      send(
        response,
        200,
        JSON.stringify({ loaded: fresh.length, alreadyThere: records.length - fresh.length }),
      );
    } else send(response, fresh.length > 0 ? 201 : 200, JSON.stringify({ loaded: fresh.length > 0 }));
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
    conflicts,
    troubles,
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

function setTrouble(body: string, troubles: Trouble[], response: ServerResponse): void {
  const reading = Trouble.readStrict(parseJson(body));
  if (!reading.ok) return send(response, 422, JSON.stringify(reading.issues));
  troubles.push(reading.value);
  const active = { id: troubles.length, trouble: reading.value, applied: 0 };
  send(response, 201, ActiveTrouble.serialise(active));
}

function send(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(body);
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
