import { parseJson } from '@ssb/market';
import { ActiveFault, BULK_PATH, Fault, FAULTS_PATH, parseBulkLine } from '@ssb/market/admin';
import { waitFor } from '@ssb/testing';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A loaded record: its JSON and the path of its kind. */
export interface LoadedRecord {
  path: string;
  body: string;
}

/** A test double of the token service and the operator API, over HTTP. It validates and stores every record. */
export interface TestOperatorApi {
  url: string;
  records: LoadedRecord[];
  /** Status codes with which the next requests fail, one for each request. */
  failures: number[];
  /** The response is 409 when a record contains one of these texts. */
  conflicts: string[];
  faults: Fault[];
  /** Resolves when this many records are loaded. */
  untilLoaded(count: number): Promise<unknown>;
  close(): Promise<void>;
}

const TOKEN = JSON.stringify({
  access_token: 'abc',
  token_type: 'Bearer',
  expires_in: 300,
  scope: 'MARKETRECORDS|OPERATOR|C MARKETFAULTS|OPERATOR|C',
});

type Reply = readonly [status: number, body: string];

export async function startOperatorApi(): Promise<TestOperatorApi> {
  const loaded: LoadedRecord[] = [];
  const failures: number[] = [];
  const faults: Fault[] = [];
  const conflicts: string[] = [];
  const known = new Set<string>();

  const load = (body: string): Reply => {
    const records: LoadedRecord[] = [];
    for (const line of body.split('\n').filter((line) => line !== '')) {
      const reading = parseBulkLine(line);
      if (!reading.ok) return [422, JSON.stringify(reading.issues)];
      const { kind } = reading.value;
      const record = line.slice(`{"kind":"${kind}","record":`.length, -1);
      records.push({ path: `/operator/v1/${kind}`, body: record });
    }
    if (records.some(({ body }) => conflicts.some((text) => body.includes(text)))) return [409, '{}'];
    const newRecords = records.filter(({ path, body }) => !known.has(`${path} ${body}`));
    for (const { path, body } of newRecords) known.add(`${path} ${body}`);
    loaded.push(...records);
    const alreadyThere = records.length - newRecords.length;
    return [200, JSON.stringify({ loaded: newRecords.length, alreadyThere })];
  };

  const handle = ({ url, headers }: IncomingMessage, body: string): Reply => {
    const failure = failures.shift();
    if (failure !== undefined) return [failure, '{}'];
    if (url === '/oauth/v1/token') return [200, TOKEN];
    if (headers.authorization !== 'Bearer abc') return [401, '{}'];
    if (url === BULK_PATH) return load(body);
    if (url !== FAULTS_PATH) return [404, '{}'];
    const reading = Fault.readStrict(parseJson(body));
    if (!reading.ok) return [422, JSON.stringify(reading.issues)];
    faults.push(reading.value);
    return [201, ActiveFault.serialise({ id: faults.length, fault: reading.value, applied: 0 })];
  };

  const server = createServer((request, response) => {
    // A client that leaves within its request gets no response.
    void text(request).then(
      (body) => {
        const [status, reply] = handle(request, body);
        response.writeHead(status, { 'content-type': 'application/json' }).end(reply);
      },
      () => undefined,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    records: loaded,
    failures,
    conflicts,
    faults,
    untilLoaded: (count) => waitFor(`${count} records`, () => loaded.length >= count),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
