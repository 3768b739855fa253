import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { Writable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { Body, Controller, Get, Inject, Injectable, Module, Post, type DynamicModule } from '@nestjs/common';
import { ProblemException } from '../http-errors/problem-exception.js';
import { createLogger, LOGGER, type Logger } from '../logging/logger.js';
import { Degradations } from '../observability/degradations.js';
import { Metrics } from '../observability/metrics.js';
import { VERSION } from '../version.js';
import { Readiness } from '../observability/readiness.js';
import { SETTINGS } from '../platform.module.js';
import { commonSettings } from '../settings/common.js';
import { readSettings } from '../settings/settings.js';
import { buildApp, type BuiltApp } from './build-app.js';

@Injectable()
class Database {
  up = true;
}

@Controller()
class SampleController {
  constructor(
    private readonly database: Database,
    readiness: Readiness,
    metrics: Metrics,
    @Inject(LOGGER) private readonly log: Logger,
    @Inject(SETTINGS) readonly settings: unknown,
  ) {
    metrics.counter({ type: 'counter', name: 'sample_total', help: 'Samples taken.' }).inc(3);
    readiness.register('database', () => {
      if (!this.database.up) throw new Error('the database is down');
    });
  }

  @Get('problem')
  problem(): never {
    throw new ProblemException(403, 'Forbidden', 'The scope METER is missing.', { missing: 'METER' });
  }

  @Get('fault')
  fault(): never {
    const careless: object = { password: 'hunter2', of: { privateKey: '0xabc' } };
    this.log.info(careless, 'about to fail');
    throw new Error('connection string postgres://user:secret@host');
  }

  @Post('echo')
  echo(@Body() body: unknown): unknown {
    return body;
  }
}

@Module({})
class SampleModule {}

const lines: string[] = [];
const log = createLogger({
  name: 'sample',
  level: 'info',
  format: 'json',
  stream: new Writable({
    write(chunk: Buffer, _, done) {
      lines.push(chunk.toString());
      done();
    },
  }),
});

let app: BuiltApp;
let url: string;
let secondaryUrl: string;

beforeAll(async () => {
  const module: DynamicModule = {
    module: SampleModule,
    controllers: [SampleController],
    providers: [Database],
  };
  app = await buildApp(
    {
      name: 'sample',
      definition: commonSettings,
      module: () => module,
      http: () => ({ port: 0, bodyLimit: 1_000 }),
      secondaryServers: () => [{ module: { module: class Empty {} }, http: { port: 0, host: 'localhost' } }],
    },
    readSettings(commonSettings, {}),
    log,
  );
  ({
    urls: [url = '', secondaryUrl = ''],
  } = await app.listen());
});

beforeEach(() => {
  lines.length = 0;
  app.nest.get(Database).up = true;
});
afterAll(() => app.close());

describe('an app', () => {
  it('serves liveness, readiness and metrics', async () => {
    expect(await (await fetch(`${url}/health/live`)).json()).toEqual({ status: 'ok', checks: {} });
    expect(await (await fetch(`${url}/health/ready`)).json()).toEqual({
      status: 'ok',
      checks: { database: { status: 'up' } },
    });
    const metrics = await fetch(`${url}/metrics`);
    expect(metrics.headers.get('content-type')).toContain('text/plain');
    expect(await metrics.text()).toContain('sample_total 3');
  });

  it('shows its faults at /health, without credentials, and stays ready', async () => {
    expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ status: 'ok', faults: [] });
    const since = new Date('2026-03-02T00:00:00Z');
    const detail = 'no response from redis://user:hunter2@redis \u009b2J\u202e';
    app.nest.get(Degradations).set('key', { reason: 'token-refused', participant: 'WPGENCO', detail, since });
    const degraded = await fetch(`${url}/health`);
    const shown = await degraded.text();
    expect(shown).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect([degraded.status, JSON.parse(shown)]).toEqual([
      200,
      {
        status: 'degraded',
        checks: { database: { status: 'up' } },
        faults: [
          {
            reason: 'token-refused',
            participant: 'WPGENCO',
            detail: 'no response from redis://***@redis \u009b2J\u202e',
            since: '2026-03-02T00:00:00.000Z',
          },
        ],
        version: VERSION,
        certificates: [],
      },
    ]);
    expect((await fetch(`${url}/health/ready`)).status).toBe(200);
    app.nest.get(Database).up = false;
    const down = await fetch(`${url}/health`);
    expect([down.status, ((await down.json()) as { status: string }).status]).toEqual([503, 'error']);
    app.nest.get(Degradations).delete('key');
  });

  it('listens on HOST, and on the host of a secondary server, which has no health addresses', async () => {
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:/);
    expect(secondaryUrl).toMatch(/^http:\/\/localhost:/);
    expect((await fetch(`${secondaryUrl}/health/live`)).status).toBe(404);
  });

  it('responds to a ProblemException with problem+json', async () => {
    const response = await fetch(`${url}/problem`);
    expect(response.status).toBe(403);
    expect(response.headers.get('content-type')).toContain('application/problem+json');
    expect(await response.json()).toEqual({
      type: 'about:blank',
      title: 'Forbidden',
      status: 403,
      detail: 'The scope METER is missing.',
      missing: 'METER',
    });
  });

  it('logs an unexpected error without secrets, and hides it from the client', async () => {
    const response = await fetch(`${url}/fault`);
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain('postgres');
    expect(lines.join('')).toMatch(/about to fail[^]*request failed/);
    expect(lines.join('')).not.toMatch(/hunter2|0xabc/);
  });

  it.each([
    ['malformed JSON', '/echo', '{', 'application/json', 400],
    ['a body over the limit', '/echo', JSON.stringify('x'.repeat(2_000)), 'application/json', 413],
    ['an unknown media type', '/echo', 'a', 'application/x-nothing', 415],
    ['an address that cannot be decoded', '/%zz', '{}', 'application/json', 400],
  ])('responds to %s with a 4xx problem', async (_, path, body, type, status) => {
    const response = await fetch(url + path, { method: 'POST', body, headers: { 'content-type': type } });
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toContain('application/problem+json');
  });

  it.each(['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data; boundary=x', ';;'])(
    'refuses a body that a page of another origin can send, and names the type it reads: %s',
    async (type) => {
      const headers = { 'content-type': type };
      const response = await fetch(`${url}/echo`, { method: 'POST', body: 'a=1', headers });
      const { detail } = (await response.json()) as { detail: string };
      expect([response.status, detail]).toEqual([415, expect.stringContaining('application/json')]);
    },
  );
});

/** RFC 9110 §8.4, §12.5.3, §15.5.16. */
describe('the content coding of a body', () => {
  const post = (path: string, coding: string, body: string | Uint8Array = '{"a":1}') =>
    fetch(url + path, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', 'content-encoding': coding },
    });

  it.each(['gzip', 'GZIP', 'x-gzip', 'br', 'deflate, identity', 'identity, zstd', 'nonsense'])(
    'is refused with the accepted codings: %s',
    async (coding) => {
      const response = await post('/echo', coding, gzipSync('{"a":1}'));
      expect([response.status, response.headers.get('accept-encoding')]).toEqual([415, 'identity']);
      expect(await response.json()).toMatchObject({ status: 415, allowed: ['identity'] });
    },
  );

  it.each(['', 'identity', 'Identity , identity'])('may be none: %j', async (coding) => {
    const response = await post('/echo', coding);
    expect([response.status, await response.json()]).toEqual([201, { a: 1 }]);
  });

  it('is refused in a chunked body', async () => {
    const response = await fetch(`${url}/echo`, {
      method: 'POST',
      body: new Blob(['{}']).stream(),
      headers: { 'content-encoding': 'gzip', 'content-type': 'application/json' },
      duplex: 'half',
    });
    expect(response.status).toBe(415);
  });

  it('does not matter where no body is read: in a GET, and at an unknown address', async () => {
    const headers = { 'content-encoding': 'gzip', 'content-length': '2' };
    const sent = request(`${url}/health/live`, { headers }).end('{}');
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    expect(response.resume().statusCode).toBe(200);
    expect((await post('/nothing', 'gzip')).status).toBe(404);
  });
});
