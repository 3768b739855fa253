import { once } from 'node:events';
import { chmodSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { Controller, Get } from '@nestjs/common';
import { createAuthority, type Authority } from '@ssb/dev/certificates';
import { freePort } from '@ssb/dev/free-ports';
import { waitFor } from '@ssb/testing/in-process';
import { buildApp, type BuiltApp, type ListeningUrls } from '../lifecycle/build-app.js';
import { createLogger } from '../logging/logger.js';
import { businessMetricsSettings, commonSettings, managementPortSettings } from '../settings/common.js';
import { port } from '../settings/schemas.js';
import { defineSettings, readSettings } from '../settings/settings.js';
import { Metrics } from '../observability/metrics.js';
import { Readiness } from '../observability/readiness.js';
import { describeStartFailure } from '../lifecycle/start-failure.js';
import { managementAddress } from './management-address.js';

const definition = defineSettings({
  ...commonSettings,
  ...managementPortSettings,
  ...businessMetricsSettings,
  PORT: { schema: port(), default: '0', doc: 'Port of the interface.' },
});

const TOKEN = 'a token of at least thirty-two bytes';
const MANAGEMENT_PATHS = ['/health/live', '/health/ready', '/health', '/metrics'];

@Controller()
class InterfaceController {
  constructor(readiness: Readiness, metrics: Metrics) {
    readiness.register('database', () => {
      throw new Error('the database is down');
    });
    metrics.counter({ type: 'counter', name: 'requests_total', help: 'Requests.' }).inc();
    metrics.gauge({ type: 'gauge', business: true, name: 'margin_aud', help: 'Margin.' }).set(5);
  }

  @Get('operation')
  operation(): string {
    return 'done';
  }
}

let folder: string;
let authority: Authority;
let app: BuiltApp | undefined;

beforeAll(async () => {
  authority = await createAuthority({ name: 'Test authority', now: new Date() });
});

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'management-'));
});

afterEach(async () => {
  await app?.close();
  app = undefined;
  rmSync(folder, { recursive: true });
});

function write(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(`${path}.next`, content);
  chmodSync(`${path}.next`, 0o600);
  renameSync(`${path}.next`, path);
  return path;
}

/** Builds an app; `hasInterface: false` is an app without one, such as the poller. */
async function build(environment: Record<string, string> = {}, hasInterface = true): Promise<BuiltApp> {
  app = await buildApp(
    {
      name: 'sample',
      definition,
      module: () => ({ module: class Sample {}, controllers: [InterfaceController] }),
      http: ({ PORT }) => ({ port: PORT }),
      ...(hasInterface && {
        management: managementAddress,
        errorResponder: () => (_error, reply) => void reply.status(404).send({ own: 'form' }),
      }),
    },
    readSettings(definition, environment),
    createLogger({ name: 'sample', level: 'silent', format: 'json' }),
  );
  return app;
}

const start = async (environment?: Record<string, string>, hasInterface?: boolean): Promise<ListeningUrls> =>
  (await build(environment, hasInterface)).listen();

const statuses = (url: string, headers: Record<string, string> = {}): Promise<number[]> =>
  Promise.all(MANAGEMENT_PATHS.map(async (path) => (await fetch(url + path, { headers })).status));

const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });

describe('the management addresses of an app with an interface', () => {
  it('are on a port of their own, and a 404 in the form of the interface on that one', async () => {
    const { urls, managementUrl } = await start();
    expect(urls).toHaveLength(1);
    expect(managementUrl).not.toBe(urls[0]);
    expect(await statuses(managementUrl)).toEqual([200, 503, 503, 200]);
    for (const path of MANAGEMENT_PATHS) {
      const response = await fetch(`${urls[0]}${path}`);
      expect([response.status, await response.json()]).toEqual([404, { own: 'form' }]);
    }
    expect((await fetch(`${managementUrl}/operation`)).headers.get('content-type')).toContain('problem+json');
    expect(await (await fetch(`${urls[0]}/operation`)).text()).toBe('done');
  });

  it('listen on MANAGEMENT_HOST, whatever HOST is', async () => {
    const { urls, managementUrl } = await start({ HOST: 'localhost' });
    expect([new URL(urls[0] ?? '').hostname, new URL(managementUrl).hostname]).toEqual([
      'localhost',
      '127.0.0.1',
    ]);
  });

  it('are not served while the interface does not listen', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const MANAGEMENT_PORT = String(await freePort());
    const { port: taken } = other.address() as { port: number };
    try {
      const built = await build({ PORT: String(taken), MANAGEMENT_PORT });
      await expect(built.listen()).rejects.toMatchObject({ code: 'EADDRINUSE' });
      await expect(fetch(`http://127.0.0.1:${MANAGEMENT_PORT}/health/live`)).rejects.toThrow();
    } finally {
      other.close();
    }
  });
});

describe('the management port', () => {
  it.each([
    [{ PORT: 4_001 }, 5_001],
    [{ PORT: 0 }, 0],
    [{ PORT: 64_535 }, 65_535],
    [{ PORT: 65_000, MANAGEMENT_PORT: 4_999 }, 4_999],
  ])('of %p is %d', (settings, expected) => {
    expect(managementAddress({ ...settings, MANAGEMENT_HOST: '::1' })).toEqual({
      port: expected,
      host: '::1',
    });
  });

  it('beyond the highest port ends the start with the setting to change', async () => {
    const error: unknown = await build({ PORT: '65000' }).catch((failure: unknown) => failure);
    expect(describeStartFailure(error)).toEqual({
      exitStatus: 78,
      summary: 'its configuration is wrong',
      problems: [expect.stringMatching(/would be 66000.*Set MANAGEMENT_PORT to a free port\.$/)],
    });
  });

  it('in use is named as MANAGEMENT_PORT, also when it follows from PORT', () => {
    const settings = { PORT: 4_001, MANAGEMENT_PORT: undefined, MANAGEMENT_HOST: '127.0.0.1' };
    const error = { syscall: 'listen', code: 'EADDRINUSE', port: 5_001, address: '127.0.0.1' };
    expect(describeStartFailure(Object.assign(new Error('in use'), error), settings)?.problems).toEqual([
      'The port 5001 of 127.0.0.1 is in use; stop the other process, or set MANAGEMENT_PORT to another port.',
    ]);
  });
});

describe.each([true, false])('MANAGEMENT_TOKEN_FILE (app with an interface: %p)', (hasInterface) => {
  it('protects report and metrics; probes need no token and see no details', async () => {
    const settings = { MANAGEMENT_TOKEN_FILE: write('token', `${TOKEN}\n`), TLS_RELOAD_INTERVAL_MS: '10' };
    const { managementUrl } = await start(settings, hasInterface);
    expect(await statuses(managementUrl)).toEqual([200, 503, 401, 401]);
    expect(await statuses(managementUrl, bearer(`${TOKEN}.`))).toEqual([200, 503, 401, 401]);
    expect(await statuses(managementUrl, bearer(TOKEN))).toEqual([200, 503, 503, 200]);
    const response = await fetch(`${managementUrl}/metrics`);
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
    const ready = async (headers?: Record<string, string>): Promise<unknown> =>
      (await fetch(`${managementUrl}/health/ready`, { headers })).json();
    expect(await ready()).toEqual({ status: 'error' });
    expect(await ready(bearer(TOKEN))).toMatchObject({ checks: { database: { status: 'down' } } });
    const next = TOKEN.toUpperCase();
    write('token', next);
    await waitFor('the new token', async () => (await statuses(managementUrl, bearer(next)))[3] === 200);
    expect((await statuses(managementUrl, bearer(TOKEN)))[3]).toBe(401);
  });
});

it('responds to a missing token with problem+json, and refuses a short one at the start', async () => {
  const { managementUrl } = await start({ MANAGEMENT_TOKEN_FILE: write('token', TOKEN) });
  const response = await fetch(`${managementUrl}/metrics`);
  expect(response.headers.get('content-type')).toContain('application/problem+json');
  expect(await response.text()).not.toContain('requests_total');
  await app?.close();
  await expect(build({ MANAGEMENT_TOKEN_FILE: write('token', 'short') })).rejects.toThrow(
    /token holds 5 bytes; at least 32 are needed/,
  );
  app = undefined;
});

it.each([true, false])(
  'serves HTTPS with MANAGEMENT_TLS_CERT_FILE, and a renewed certificate (app with an interface: %p)',
  async (hasInterface) => {
    const issue = async (commonName: string): Promise<Record<string, string>> => {
      const { cert, key } = await authority.issue({ commonName, hosts: ['127.0.0.1'], usage: 'server' });
      return { MANAGEMENT_TLS_CERT_FILE: write('crt', cert), MANAGEMENT_TLS_KEY_FILE: write('key', key) };
    };
    const settings = { ...(await issue('first')), TLS_RELOAD_INTERVAL_MS: '10' };
    const { urls, managementUrl } = await start(settings, hasInterface);
    expect(managementUrl).toMatch(/^https:/);
    if (hasInterface) expect(urls[0]).toMatch(/^http:/);
    const serverName = async (): Promise<string> => {
      const socket = connect({
        port: Number(new URL(managementUrl).port),
        host: '127.0.0.1',
        ca: authority.cert,
      });
      await once(socket, 'secureConnect');
      const { CN } = socket.getPeerCertificate().subject;
      socket.destroy();
      return String(CN);
    };
    expect(await serverName()).toBe('first');
    await issue('second');
    await waitFor('the renewed certificate', async () => (await serverName()) === 'second');
  },
);

it('names the setting of a management certificate without its key', async () => {
  await expect(build({ MANAGEMENT_TLS_CERT_FILE: write('crt', 'x') })).rejects.toThrow(
    'MANAGEMENT_TLS_CERT_FILE and MANAGEMENT_TLS_KEY_FILE go together: set both, or neither.',
  );
});

it.each([
  [{}, true],
  [{ METRICS_BUSINESS: 'false' }, false],
])('with %p the metrics have amounts: %p', async (environment, expected) => {
  const { managementUrl } = await start(environment);
  const metrics = await (await fetch(`${managementUrl}/metrics`)).text();
  expect(metrics).toContain('requests_total 1');
  expect(metrics.includes('margin_aud')).toBe(expected);
});
