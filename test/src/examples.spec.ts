import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@ssb/dev/free-ports';
import { generatePrivateKey, type PrivateKey } from '@ssb/identity';
import { waitFor } from '@ssb/testing';
import { origin } from '@ssb/testing/signed-messages';
import { GATEWAY_USER, REPOSITORY_ROOT } from '@ssb/tools';
import { ExampleProgram, readExamples } from './examples/example-program.js';
import { mixMessages, trustFile, type MixedMessage, type TrustFile } from './examples/mixed-messages.js';
import { mixWebhooks, SECRETS, type MixedWebhook } from './examples/mixed-webhooks.js';
import { RunningBus } from './harness/running-bus.js';

const MESSAGES = 1_000;
const WEBHOOKS = 120;

let folder: string;
let bus: RunningBus;
let trust: TrustFile;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'examples-'));
  bus = await RunningBus.start({ gateways: ['publisher', 'stranger', 'subscriber'] });
  trust = trustFile(bus.gateway('publisher').did);
  writeFileSync(join(folder, 'trust.json'), JSON.stringify(trust));
  writeFileSync(join(folder, 'password'), `${bus.gateway('subscriber').password}\n`);
});

afterAll(async () => {
  await bus?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Settings that every example has. */
function settingsOf(name: string): Record<string, string> {
  return { TRUST_FILE: join(folder, 'trust.json'), STORE_FILE: join(folder, `${name}.store`) };
}

it(`each service gives the expected verdicts on ${MESSAGES} messages, a third of them hostile`, async () => {
  const messages = mixMessages(MESSAGES);
  await createChannels(messages);
  const { events, refused } = await postAll(messages);
  const programs = readExamples('service').map(
    (example) =>
      new ExampleProgram(example, {
        ...settingsOf(example.name),
        GATEWAY_URL: bus.gateway('subscriber').url,
        GATEWAY_USER,
        GATEWAY_PASSWORD_FILE: join(folder, 'password'),
        CLIENT_ID: example.name,
      }),
  );
  try {
    for (const program of programs) {
      await program.receive(MESSAGES);
      expect(program.refused).toEqual(refused);
      expect(program.events.toSorted()).toEqual(events.toSorted());
    }
  } finally {
    await Promise.all(programs.map((program) => program.stop()));
  }
});

it(`each webhook receiver gives the expected verdicts on ${WEBHOOKS} requests, a third of them hostile`, async () => {
  const webhooks = mixWebhooks(WEBHOOKS);
  const accepted = webhooks.flatMap(({ expected }) => ('event' in expected ? [expected.event] : []));
  await Promise.all(
    readExamples('webhook').map(async (example) => {
      const port = await freePort();
      const url = `http://127.0.0.1:${port}/`;
      const settings = { WEBHOOK_SECRETS: SECRETS.join(' '), PORT: String(port) };
      const program = new ExampleProgram(example, { ...settingsOf(example.name), ...settings });
      try {
        await waitFor(`${example.name} to listen`, () => isListening(url));
        for (const webhook of webhooks) expect(await send(url, webhook)).toBe(statusOf(webhook));
        // A repeated attempt is accepted and handled once.
        for (const webhook of webhooks.slice(0, 2)) expect(await send(url, webhook)).toBe(204);
        await program.receive(WEBHOOKS);
        expect(program.events).toEqual(accepted);
        expect(program.reasons).toEqual(
          webhooks.flatMap(({ expected }) => ('reason' in expected ? [expected.reason] : [])),
        );
      } finally {
        await program.stop();
      }
    }),
  );
});

it('no webhook receiver starts without a secret', async () => {
  for (const example of readExamples('webhook')) {
    const settings = { WEBHOOK_SECRETS: '', PORT: String(await freePort()) };
    const program = new ExampleProgram(example, { ...settingsOf(example.name), ...settings });
    await expect(program.end()).rejects.toThrow(/WEBHOOK_SECRETS/);
  }
});

it('curl and OpenSSL verify the proof of an event with the key of its bridge, and with no other', async () => {
  const [genuine] = mixMessages(1);
  if (genuine === undefined || !('event' in genuine.expected)) throw new Error('no genuine message');
  await createChannels([genuine]);
  const from = new Date().toISOString();
  await postAll([genuine]);
  const verify = ({ publicKey }: PrivateKey) =>
    runScript(join(REPOSITORY_ROOT, 'examples/curl/verify-event.sh'), {
      GATEWAY_URL: bus.gateway('subscriber').url,
      GATEWAY_USER,
      GATEWAY_PASSWORD_FILE: 'password',
      CHANNEL: genuine.message.fqcn,
      FROM: from,
      PUBLIC_KEY: `0x${Buffer.from(publicKey).toString('hex')}`,
    });
  const verified = await verify(origin);
  expect(verified).toMatchObject({ status: 0, output: expect.stringContaining('Verified OK') });
  expect(verified.output).toContain(genuine.expected.event);
  const refused = await verify(generatePrivateKey());
  expect(refused).toMatchObject({ status: 1, output: expect.stringMatching(/verification failure/i) });
});

/** Runs it in the folder of the files. */
async function runScript(script: string, environment: Readonly<Record<string, string>>) {
  const env = { PATH: process.env['PATH'], ...environment };
  const child = spawn('sh', [script], { cwd: folder, env });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [status] = (await once(child, 'close')) as [number | null];
  return { status, output };
}

const statusOf = ({ expected }: MixedWebhook): number => ('event' in expected ? 204 : 400);

async function send(url: string, { headers, body }: MixedWebhook): Promise<number> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
  await response.arrayBuffer();
  return response.status;
}

async function isListening(url: string): Promise<boolean> {
  return fetch(url).then(
    () => true,
    () => false,
  );
}

async function createChannels(messages: readonly MixedMessage[]): Promise<void> {
  const dids = bus.gateways.map(({ did }) => did);
  const channels = new Map(Object.keys(trust.channels).map((fqcn) => [fqcn, new Set(['default'])]));
  for (const { message } of messages) {
    const { fqcn, topic = 'default' } = message;
    channels.get(fqcn)?.add(topic);
  }
  for (const [fqcn, names] of channels) {
    const topics = [...names].map((namespace) => ({ namespace, schema: '{}' }));
    await bus.admin.ensureChannel({ fqcn, topics, publishers: dids, subscribers: dids });
  }
}

/** Posts messages, and returns the expected events and the expected reasons by message id. */
async function postAll(messages: readonly MixedMessage[]) {
  const clients = { publisher: bus.createClient('publisher'), stranger: bus.createClient('stranger') };
  const refused = new Map<string, string>();
  const events: string[] = [];
  const waiting = [...messages];
  const postNext = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { message, byStranger, expected } = next;
      const { id } = await clients[byStranger ? 'stranger' : 'publisher'].sendMessage(message);
      if ('event' in expected) events.push(expected.event);
      else refused.set(id, expected.reason);
    }
  };
  await Promise.all(Array.from({ length: 8 }, postNext));
  await Promise.all(Object.values(clients).map((client) => client.close()));
  return { events, refused };
}
