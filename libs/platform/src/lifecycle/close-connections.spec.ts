import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { Controller, Get, Module, type BeforeApplicationShutdown, type DynamicModule } from '@nestjs/common';
import { createLogger } from '../logging/logger.js';
import { commonSettings } from '../settings/common.js';
import { readSettings } from '../settings/read.js';
import { buildApp, type BuiltApp } from './build-app.js';

/** What the slow address waits for, and what it says when it is asked. */
let gate: { readonly opened: Promise<void>; open: () => void };
let asked: { readonly done: Promise<void>; tell: () => void };
let shutDown: boolean;

const promised = () => {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
};

@Controller()
class SlowController implements BeforeApplicationShutdown {
  @Get('slow')
  async slow(): Promise<string> {
    asked.tell();
    await gate.opened;
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
  const [opened, told] = [promised(), promised()];
  gate = { opened: opened.promise, open: opened.resolve };
  asked = { done: told.promise, tell: told.resolve };
  shutDown = false;
  agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const options = {
    name: 'slow',
    definition: commonSettings,
    module: () => module,
    http: () => ({ port: 0 }),
  };
  app = await buildApp(options, readSettings(commonSettings, {}), log);
  [url = ''] = await app.listen();
});

afterEach(async () => {
  gate.open();
  agent.destroy();
  await app.close();
});

/** One request on the kept connection; whoever asks keeps it alive as long as the server does. */
async function ask(path: string): Promise<{ status?: number; text: string; connection?: string }> {
  const [answer] = (await once(get(`${url}${path}`, { agent }), 'response')) as [IncomingMessage];
  let text = '';
  for await (const chunk of answer.setEncoding('utf8')) text += chunk as string;
  return { status: answer.statusCode, text, connection: answer.headers.connection };
}

const listening = () => app.nest.getHttpServer().listening;

async function untilItListensNoMore(): Promise<void> {
  while (listening()) await new Promise((resolve) => setImmediate(resolve));
}

/** Each of these ends only because the server closes: the client never does. */
describe('a server that closes', () => {
  it('gives the answer under way, says that the connection ends, and ends', async () => {
    expect(await ask('/quick')).toMatchObject({ status: 200, connection: 'keep-alive' });
    const answer = ask('/slow');
    await asked.done;
    const closed = app.close();
    await untilItListensNoMore();
    expect(shutDown).toBe(true);
    gate.open();
    expect(await answer).toEqual({ status: 200, text: 'slow', connection: 'close' });
    await closed;
  });

  it('serves a request that was half here, in place of a refusal in another form', async () => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1').setEncoding('utf8');
    let received = '';
    socket.on('data', (text) => (received += String(text)));
    socket.write('GET /quick HTTP/1.1\r\nHost: here\r\n\r\n');
    while (!received.endsWith('quick')) await once(socket, 'data');
    received = '';
    socket.write('GET /quick HTTP/1.1\r\n');
    // The server has the half once it answers another that came later.
    await ask('/quick');
    const closed = app.close();
    await untilItListensNoMore();
    socket.write('Host: here\r\n\r\n');
    await once(socket, 'close');
    expect(received).toMatch(/^HTTP\/1\.1 200 OK\r\n(?:.+\r\n)*connection: close\r\n(?:.+\r\n)*\r\nquick$/i);
    await closed;
  });

  it('waits for no connection on which nobody has asked for anything', async () => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1').resume();
    await once(socket, 'connect');
    const ended = once(socket, 'close');
    // The server has it once it answers another that came later.
    await ask('/quick');
    await app.close();
    await ended;
  });
});
