import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { Controller, Get, Module, type BeforeApplicationShutdown, type DynamicModule } from '@nestjs/common';
import { createLogger } from '../logging/logger.js';
import { commonSettings } from '../settings/common.js';
import { readSettings } from '../settings/settings.js';
import { buildApp, type BuiltApp } from './build-app.js';

interface Signal {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
}

/** Lets the slow request end. */
let release: Signal;
/** Resolved when the slow request has reached the server. */
let arrived: Signal;
let shutDown: boolean;

const createSignal = (): Signal => {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
};

@Controller()
class SlowController implements BeforeApplicationShutdown {
  @Get('slow')
  async slow(): Promise<string> {
    arrived.resolve();
    await release.promise;
    return 'slow';
  }

  @Get('quick')
  quick(): string {
    return 'quick';
  }

  beforeApplicationShutdown(): void {
    shutDown = true;
  }
}

@Module({})
class SlowModule {}

const module: DynamicModule = { module: SlowModule, controllers: [SlowController] };
const log = createLogger({
  name: 'slow',
  level: 'info',
  format: 'json',
  stream: { write: () => undefined },
});

let app: BuiltApp;
let url: string;
let agent: Agent;

beforeEach(async () => {
  [release, arrived] = [createSignal(), createSignal()];
  shutDown = false;
  agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const options = {
    name: 'slow',
    definition: commonSettings,
    module: () => module,
    http: () => ({ port: 0 }),
  };
  app = await buildApp(options, readSettings(commonSettings, {}), log);
  ({
    urls: [url = ''],
  } = await app.listen());
});

afterEach(async () => {
  release.resolve();
  agent.destroy();
  await app.close();
});

/** One request on the only connection of the agent, which keeps it open as long as the server does. */
async function request(path: string): Promise<{ status?: number; text: string; connection?: string }> {
  const [response] = (await once(get(`${url}${path}`, { agent }), 'response')) as [IncomingMessage];
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk as string;
  return { status: response.statusCode, text, connection: response.headers.connection };
}

async function untilNotListening(): Promise<void> {
  while (app.nest.getHttpServer().listening) await new Promise((resolve) => setImmediate(resolve));
}

/** In each test the server ends the connection: the client never does. */
describe('a server that closes', () => {
  it('sends the pending response, announces the end of the connection, and ends', async () => {
    expect(await request('/quick')).toMatchObject({ status: 200, connection: 'keep-alive' });
    const response = request('/slow');
    await arrived.promise;
    const closed = app.close();
    await untilNotListening();
    expect(shutDown).toBe(true);
    release.resolve();
    expect(await response).toEqual({ status: 200, text: 'slow', connection: 'close' });
    await closed;
  });

  it('serves a request that has partly arrived', async () => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1').setEncoding('utf8');
    let received = '';
    socket.on('data', (text) => (received += String(text)));
    socket.write('GET /quick HTTP/1.1\r\nHost: here\r\n\r\n');
    while (!received.endsWith('quick')) await once(socket, 'data');
    received = '';
    socket.write('GET /quick HTTP/1.1\r\n');
    // The server has the first line once it has served a later request.
    await request('/quick');
    const closed = app.close();
    await untilNotListening();
    socket.write('Host: here\r\n\r\n');
    await once(socket, 'close');
    expect(received).toMatch(/^HTTP\/1\.1 200 OK\r\n(?:.+\r\n)*connection: close\r\n(?:.+\r\n)*\r\nquick$/i);
    await closed;
  });

  it('does not wait for a connection without a request', async () => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1').resume();
    await once(socket, 'connect');
    const ended = once(socket, 'close');
    // The server has the connection once it has served a later request.
    await request('/quick');
    await app.close();
    await ended;
  });
});
