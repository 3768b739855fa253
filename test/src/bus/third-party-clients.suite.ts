import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { waitFor } from '@ssb/testing';
import { GATEWAY_USER } from '@ssb/tools';
import { WebSocket } from 'ws';
import { parse } from 'yaml';
import { z } from 'zod';
import type { BusGateway } from '../harness/running-bus.js';
import { bus } from './shared-bus.js';

/**
 * curl and a plain WebSocket use the gateway without any library of this project. Paths, methods, sub-protocol, bodies and frames follow
 * the two interface files that the gateway serves.
 */
const USER_ROLE = 'user.roles.messagebus.apps.bridge.iam.local';
const FQCN = 'plain.channels.messagebus.apps.bridge.iam.local';

/** Parsed JSON or YAML. */
type Json = ReturnType<typeof JSON.parse>;
type JsonObject = Record<string, Json>;

/** The properties of a WebSocket frame that the tests read. */
interface Frame {
  readonly id?: string;
  readonly transactionId?: string;
  readonly payload?: string;
  readonly err?: { readonly code: string };
}

let gateway: BusGateway;
let rest: JsonObject;
let events: JsonObject;
let did: string;

beforeAll(() => {
  gateway = bus.gateway('plain');
});

interface CurlResponse {
  readonly status: number;
  readonly text: string;
}

async function curl(path: string, ...options: string[]): Promise<CurlResponse> {
  const allOptions = [
    '--silent',
    '--show-error',
    '--max-time',
    '20',
    '--write-out',
    '\n%{http_code}',
    ...options,
  ];
  const child = spawn('curl', [...allOptions, gateway.url + path], { stdio: ['ignore', 'pipe', 'pipe'] });
  let [output, errors] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (errors += chunk));
  const [code] = (await once(child, 'close')) as [number];
  if (code !== 0) throw new Error(`curl ended with ${code}: ${errors}`);
  const bodyEnd = output.lastIndexOf('\n');
  return { status: Number(output.slice(bodyEnd + 1)), text: output.slice(0, bodyEnd) };
}

/** Calls an operation as rest.yaml describes it, and validates the response with the schema of its status. */
async function call(
  id: string,
  { query = {}, body }: { query?: Record<string, string>; body?: unknown } = {},
): Promise<{ status: number; value: Json; text: string }> {
  const [path, method, operation] = findOperation(id);
  const options = ['--request', method.toUpperCase()];
  if ((operation.security ?? rest.security).length > 0) {
    options.push('--user', `${GATEWAY_USER}:${gateway.password}`);
  }
  if (body !== undefined) {
    const [type, { schema }] = Object.entries<JsonObject>(operation.requestBody.content)[0] ?? ['', {}];
    expectValid(rest, schema, body);
    options.push('--header', `content-type: ${type}`, '--data-binary', JSON.stringify(body));
  }
  const search = new URLSearchParams(query).toString();
  const { status, text } = await curl(path + (search && `?${search}`), ...options);
  const response = operation.responses[status];
  if (response === undefined) throw new Error(`${id} responded with ${status}, which is not described`);
  const schema = response.content?.['application/json']?.schema;
  if (schema === undefined) return { status, text, value: undefined };
  const value = parseResponse(text);
  expectValid(rest, schema, value);
  return { status, text, value };
}

function findOperation(id: string): [path: string, method: string, operation: JsonObject] {
  for (const [path, methods] of Object.entries<JsonObject>(rest.paths)) {
    for (const [method, operation] of Object.entries<JsonObject>(methods)) {
      if (operation.operationId === id) return [path, method, operation];
    }
  }
  throw new Error(`rest.yaml has no operation ${id}`);
}

/** Drops the last digits of nanoseconds, which JavaScript numbers cannot hold. A test checks them in the text. */
function parseResponse(text: string): Json {
  return JSON.parse(text.replaceAll(/("timestampNanos":\d{15})\d+/g, '$1'));
}

function expectValid(file: JsonObject, schema: JsonObject, value: unknown): void {
  const result = z.fromJSONSchema(inlineReferences(file, schema)).safeParse(value);
  expect(result.success ? [] : result.error.issues).toEqual([]);
}

/** Replaces each reference of a schema by the referenced schema. */
function inlineReferences(file: JsonObject, schema: Json): Json {
  if (Array.isArray(schema)) return schema.map((each): unknown => inlineReferences(file, each));
  if (typeof schema !== 'object' || schema === null) return schema;
  if (typeof schema.$ref === 'string') return inlineReferences(file, resolveReference(file, schema.$ref));
  return Object.fromEntries(
    Object.entries(schema).map(([name, each]) => [name, inlineReferences(file, each)]),
  );
}

function resolveReference(file: JsonObject, reference: string): Json {
  return reference
    .replace('#/', '')
    .split('/')
    .reduce<JsonObject>((parent, name) => parent[name] as JsonObject, file);
}

describe('with only curl and rest.yaml,', () => {
  it('the interface files are available without credentials', async () => {
    rest = parse((await curl('/api/v1/docs/rest.yaml')).text);
    events = parse((await call('getEventsSchema')).text);
    expect([rest.openapi, events.asyncapi]).toEqual(['3.1.0', '3.1.0']);
  });

  it('an identity is set, enrolled and approved', async () => {
    const { value: identity } = await call('setIdentity', {
      body: { privateKey: randomBytes(32).toString('hex') },
    });
    expect((await call('getIdentity')).value).toEqual(identity);
    const { value: enrolment } = await call('enrol');
    expect(enrolment.state).toMatchObject({ ready: false, waiting: true });
    did = enrolment.did;
    await bus.admin.approve(did, USER_ROLE);
    expect((await call('getEnrolment')).value.state).toMatchObject({ ready: true, waiting: false });
  });

  it('channels are listed, messages are sent and read', async () => {
    await bus.admin.ensureChannel({
      fqcn: FQCN,
      topics: [{ namespace: 'readings', schema: '{"type":"object","required":["kW"]}' }],
      publishers: [did],
      subscribers: [did],
    });
    const { value: channels } = await call('getChannels');
    expect(channels).toContainEqual(expect.objectContaining({ fqcn: FQCN }));

    const body = { fqcn: FQCN, topic: 'readings', payload: '{"kW":1}', transactionId: randomUUID() };
    const { value: sent } = await call('sendMessage', { body });
    expect((await call('sendMessage', { body })).value).toEqual(sent);

    const query = { fqcn: FQCN, clientId: 'curl', amount: '5' };
    const { value: messages, text } = await call('getMessages', { query });
    expect(messages).toMatchObject([{ ...body, id: sent.id, sender: did }]);
    expect(text).toMatch(/"timestampNanos":\d{19}[,}]/);
    expect((await call('getMessages', { query })).value).toEqual([]);
    const since = { ...query, from: new Date(Date.now() - 600_000).toISOString() };
    expect((await call('getMessages', { query: since })).value).toEqual(messages);

    const [{ signature, payload }] = messages;
    const signed = { did, signature, payload };
    expect((await call('verifySignature', { body: signed })).value).toEqual({ ok: true });
    const mismatch = await call('verifySignature', { body: { ...signed, payload: '{"kW":2}' } });
    expect([mismatch.status, mismatch.value.err.code]).toEqual([200, 'SIG::NO_MATCH']);
  });

  it('the gateway is healthy', async () => {
    expect((await call('getHealth')).status).toBe(200);
  });

  const message = { fqcn: FQCN, topic: 'readings', payload: '{}' };

  it.each([
    ['setIdentity', { body: { privateKey: '0' } }, 400, 'ID::INVALID_PRIVATE_KEY'],
    ['sendMessage', { body: message }, 422, 'BUS::MESSAGE_REJECTED'],
    ['sendMessage', { body: { ...message, fqcn: `no${FQCN}` } }, 404, 'BUS::CHANNEL_NOT_FOUND'],
    ['getMessages', { query: { fqcn: FQCN, amount: '0' } }, 400, 'REQ::INVALID_REQUEST'],
    ['verifySignature', { body: { did: 'x' } }, 400, 'SIG::CHECK_FAILED'],
  ])('%s %j returns %i %s', async (id, request, status, code) => {
    const response = await call(id, request);
    expect([response.status, response.value.err.code]).toEqual([status, code]);
  });

  it('a request without a password returns the described 401', async () => {
    const [path, , operation] = findOperation('getChannels');
    const { status, text } = await curl(path);
    expectValid(rest, operation.responses[status].content['application/json'].schema, JSON.parse(text));
    expect(status).toBe(401);
  });
});

describe('with only a plain WebSocket and ws.yaml,', () => {
  /** Connects as ws.yaml describes it, and records all frames. */
  async function connect(
    query: Record<string, string>,
  ): Promise<{ socket: WebSocket; frames: (Frame | Frame[])[] }> {
    const channel = resolveReference(events, '#/channels/events');
    const { protocol } = resolveReference(events, channel.servers[0].$ref);
    const { headers, query: described } = channel.bindings.ws;
    for (const name of Object.keys(query)) expect(described.properties).toHaveProperty([name]);
    const host = gateway.url.replace('http://', '');
    const address = `${protocol}://${host}${channel.address}?${new URLSearchParams(query).toString()}`;
    const [subProtocol] = headers.properties['Sec-WebSocket-Protocol'].enum;
    const authorization = `Basic ${Buffer.from(`${GATEWAY_USER}:${gateway.password}`).toString('base64')}`;
    const socket = new WebSocket(address, subProtocol, { headers: { authorization } });
    const frames: (Frame | Frame[])[] = [];
    socket.on('message', (data: Buffer) => frames.push(parseResponse(data.toString('utf8'))));
    await once(socket, 'open');
    return { socket, frames };
  }

  /** The schema of all frames that one side sends; `send` is the gateway's side. */
  function getFrameSchema(action: 'send' | 'receive'): JsonObject {
    const references = Object.values<JsonObject>(events.operations)
      .filter((operation) => operation.action === action)
      .flatMap((operation) => operation.messages as { $ref: string }[]);
    return {
      anyOf: references.map(
        ({ $ref }): unknown => resolveReference(events, resolveReference(events, $ref).$ref).payload,
      ),
    };
  }

  it('messages are sent, confirmed, pushed and acknowledged', async () => {
    const query = { clientId: 'plain', ack: 'explicit', replies: 'all', fqcn: FQCN };
    const first = await connect(query);
    const frame = { fqcn: FQCN, topic: 'readings', payload: '{"kW":3}', transactionId: randomUUID() };
    const wrong = { ...frame, payload: '{}', transactionId: randomUUID() };
    expectValid(events, getFrameSchema('receive'), [frame, wrong]);
    first.socket.send(JSON.stringify([frame, wrong]));
    const findPushed = (frames: (Frame | Frame[])[]): Frame[] =>
      frames.flat().filter(({ payload }) => payload !== undefined);
    await waitFor('the message on the first connection', () =>
      findPushed(first.frames).some(({ payload }) => payload === frame.payload),
    );
    const findFailures = (): Frame[] => first.frames.flat().filter(({ err }) => err !== undefined);
    await waitFor('a failure', () => findFailures().length > 0);
    for (const each of first.frames) expectValid(events, getFrameSchema('send'), each);
    const { transactionId } = frame;
    expect(first.frames).toContainEqual({ transactionId, id: expect.any(String) });
    expect(findFailures()).toMatchObject([
      { transactionId: wrong.transactionId, err: { code: 'BUS::MESSAGE_REJECTED' } },
    ]);

    const acknowledgement = { ack: findPushed(first.frames).map(({ id }) => id) };
    expectValid(events, getFrameSchema('receive'), acknowledgement);
    first.socket.send(JSON.stringify(acknowledgement));
    first.socket.close();
    await once(first.socket, 'close');

    const second = await connect(query);
    const next = { ...frame, payload: '{"kW":4}', transactionId: randomUUID() };
    second.socket.send(JSON.stringify(next));
    await waitFor('the message on the second connection', () =>
      findPushed(second.frames).some(({ payload }) => payload === next.payload),
    );
    expect(findPushed(second.frames).map(({ payload }) => payload)).toEqual([next.payload]);
    second.socket.close();
    await once(second.socket, 'close');
  });
});
