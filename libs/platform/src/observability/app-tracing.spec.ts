import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAuthority } from '@ssb/dev/certificates';
import {
  type ScriptedServer,
  startConnectProxy,
  startScriptedServer,
  waitFor,
} from '@ssb/testing/in-process';
import { startTrace } from '../tracing/spans.js';
import { type Tracing } from '../tracing/start-tracing.js';
import { createLogger } from '../logging/logger.js';
import { commonSettings } from '../settings/common.js';
import { outgoingConnectionSettings } from '../settings/connection-settings.js';
import { readSettings } from '../settings/settings.js';
import { startAppTracing } from './app-tracing.js';

let folder: string;
let server: ScriptedServer | undefined;
let tracing: Tracing | undefined;
let lines: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ssb-tracing-'));
  lines = [];
});

afterEach(async () => {
  await tracing?.stop(1_000);
  await server?.stop();
  [tracing, server] = [undefined, undefined];
  rmSync(folder, { recursive: true });
});

function writeSecret(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

async function start(environment: Readonly<Record<string, string>>): Promise<void> {
  const stream = { write: (line: string) => void lines.push(line) };
  const log = createLogger({ name: 'test', level: 'info', format: 'json', stream });
  const settings = readSettings({ ...commonSettings, ...outgoingConnectionSettings }, environment);
  tracing = await startAppTracing('test', settings, log);
}

it('does not start by default', async () => {
  await start({});
  expect(tracing).toBeUndefined();
});

it('exports over the proxy, with the authority and the headers of the settings', async () => {
  const authority = await createAuthority({ name: 'Private authority', now: new Date() });
  server = await startScriptedServer(await authority.issue({ commonName: 'c', hosts: ['collector.test'] }));
  server.respond = () => ({ status: 200, body: '{}' });
  const proxy = await startConnectProxy();
  try {
    await start({
      TRACES_EXPORTER: 'otlp',
      TRACES_OTLP_ENDPOINT: `https://collector.test:${new URL(server.url).port}/v1/traces`,
      TRACES_CA_FILE: writeSecret('ca.crt', authority.cert),
      TRACES_OTLP_HEADERS_FILE: writeSecret('headers', 'Authorization: Bearer first\nx-tenant: a\n'),
      HTTPS_PROXY: proxy.url,
    });
    writeSecret('headers', 'Authorization: Bearer second\n');
    startTrace('event detect').succeed('detected');
    await tracing?.stop(5_000);
    expect(server.received.map(({ url, headers }) => [url, headers['authorization']])).toEqual([
      ['/v1/traces', 'Bearer second'],
    ]);
    expect(proxy.tunnels).toHaveLength(1);
  } finally {
    await proxy.stop();
  }
});

it('refuses a file that holds no headers, and shows nothing of it', async () => {
  const path = writeSecret('headers', 'x-tenant: a\nBearer secret\n');
  await expect(start({ TRACES_EXPORTER: 'otlp', TRACES_OTLP_HEADERS_FILE: path })).rejects.toThrow(
    `${path} cannot be used. Line 2 is not a header. Write one "name: value" a line.`,
  );
});

it('logs one line a minute while the collector refuses', async () => {
  server = await startScriptedServer();
  const { received } = server;
  server.respond = () => ({ status: 400 });
  await start({ TRACES_EXPORTER: 'otlp', TRACES_OTLP_ENDPOINT: server.url });
  // A full batch is sent at once.
  for (const requests of [1, 2]) {
    for (let spans = 0; spans < 512; spans += 1) startTrace('event detect').succeed('detected');
    await waitFor('the request', () => received.length === requests);
  }
  await tracing?.stop(1_000);
  expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual(['trace export failed']);
});
