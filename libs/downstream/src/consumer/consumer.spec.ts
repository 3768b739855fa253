import { once } from 'node:events';
import {
  CHANNEL,
  gatewayDid,
  originDid,
  signedMessage,
  heartbeatMessage,
  type BusMessage,
  type MarginFact,
  type MessageOptions,
} from '@ssb/testing/signed-messages';
import { waitFor } from '@ssb/testing/in-process';
import { ScriptedGateway } from '../../test/scripted-gateway.js';
import { Trust } from '../verify/trust.js';
import {
  ChannelRefusedError,
  ConnectionRefusedError,
  InvalidOptionError,
  ProcessingFailedError,
  SupersededError,
} from './consumer-errors.js';
import type { ConsumerOptions, ConsumerState, RefusedMessage } from './consumer-options.js';
import { Consumer } from './consumer.js';
import type { EventStore } from './event-store.js';
import { MemoryStore } from './memory-store.js';

const PASSWORD = 'open sesame';
const trust = Trust.fromJson({
  version: 1,
  signatureScheme: 'eip191',
  channels: {
    [CHANNEL]: {
      gateways: [{ did: gatewayDid }],
      origins: [{ did: originDid, participants: ['WPGENCO'] }],
    },
  },
});

/** Trust with the gateways of channels. */
function trustOf(channels: Record<string, object[]>): Trust {
  const entries = Object.entries(channels).map(([fqcn, gateways]) => [fqcn, { gateways, origins: [] }]);
  return Trust.fromJson({ version: 1, signatureScheme: 'eip191', channels: Object.fromEntries(entries) });
}

let gateway: ScriptedGateway;
let runs: Promise<unknown>[];
let consumers: Consumer[];

beforeEach(async () => {
  gateway = await ScriptedGateway.start();
  [runs, consumers] = [[], []];
});

afterEach(async () => {
  await Promise.all(consumers.map((consumer) => consumer.stop()));
  await Promise.allSettled(runs);
  await gateway.stop();
});

function create(options: Partial<ConsumerOptions> = {}): Consumer {
  const consumer = new Consumer({
    url: gateway.url,
    user: 'treasury',
    password: PASSWORD,
    clientId: 'treasury-1',
    trust,
    store: new MemoryStore(),
    maxDelayMs: 20,
    ...options,
  });
  // Without a listener, each disconnection is a warning of the process.
  consumer.on('state', () => undefined);
  consumers.push(consumer);
  return consumer;
}

function run(consumer: Consumer): Promise<void> {
  const running = consumer.run();
  runs.push(running);
  running.catch(() => undefined);
  return running;
}

async function connected(count = 1): Promise<void> {
  await waitFor('a connection', () => gateway.connections.length >= count);
}

/** The breach of a minute; a later one has a higher sequence. */
function breach(minute: number, more: MessageOptions = {}): Promise<BusMessage> {
  const calculatedAt = `2026-03-02T08:${String(minute).padStart(2, '0')}:00`;
  const fact: Partial<MarginFact> = { ...more.fact, calculatedAt };
  return signedMessage({ ...more, fact });
}

const eventId = ({ payload }: BusMessage): string => (JSON.parse(payload) as { id: string }).id;
const acknowledged = (...messages: BusMessage[]) =>
  waitFor('the acknowledgements', () => gateway.last.acknowledged.length >= messages.length);

describe('a consumer', () => {
  it('connects with its options, passes events to their handlers in order, then acknowledges them', async () => {
    const calls: string[] = [];
    const consumer = create({ from: 'now', window: 7 })
      .on('margin.*', (event, { message }) => void calls.push(`pattern ${event.data.level} ${message.id}`))
      .on('margin.breached', (event, { origin }) => void calls.push(`${event.id} of ${origin}`))
      .on('payment.due', () => void calls.push('none'));
    void run(consumer);
    await connected();
    expect([...gateway.last.query]).toEqual([
      ['clientId', 'treasury-1'],
      ['ack', 'explicit'],
      ['window', '7'],
      ['gaps', 'report'],
      ['from', 'now'],
      ['fqcn', CHANNEL],
    ]);
    const messages = [await breach(1), await breach(2)];
    gateway.last.send(...messages);
    await acknowledged(...messages);
    expect(calls).toEqual(
      messages.flatMap((each) => [`pattern BREACHED ${each.id}`, `${eventId(each)} of ${originDid}`]),
    );
    expect(gateway.last.acknowledged).toEqual(messages.map(({ id }) => id));
    await consumer.stop();
  });

  it('acknowledges an event after its handler has resolved and the store has saved it', async () => {
    const steps: string[] = [];
    const memory = new MemoryStore();
    const store: EventStore = {
      open: () => memory.open(),
      find: (event) => memory.find(event),
      save: async (event) => {
        steps.push(`save, ${gateway.last.acknowledged.length} acknowledged`);
        await memory.save(event);
      },
      close: () => memory.close(),
    };
    let release = (): void => undefined;
    const consumer = create({ store }).on('*', async () => {
      await new Promise<void>((resolve) => (release = resolve));
      steps.push('handled');
    });
    void run(consumer);
    await connected();
    const message = await breach(1);
    gateway.last.send(message);
    await waitFor('the handler', () => (release(), steps.includes('handled')));
    await acknowledged(message);
    expect(steps).toEqual(['handled', 'save, 0 acknowledged']);
  });

  it('drops a repeat, also under another message id, and acknowledges it', async () => {
    const seen: string[] = [];
    void run(create().on('*', ({ id }) => void seen.push(id)));
    await connected();
    const message = await breach(1);
    const repeats = [message, { ...message, id: 'another' }, message];
    gateway.last.send(...repeats);
    await acknowledged(...repeats);
    expect(seen).toEqual([eventId(message)]);
  });

  it('warns of the error of a handler when nothing listens to faults', async () => {
    const warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const consumer = create({ maxAttempts: 1 }).on('*', () => {
      throw new Error('the ledger is closed');
    });
    const running = run(consumer);
    await connected();
    const message = await breach(1);
    gateway.last.send(message);
    await expect(running).rejects.toThrow(ProcessingFailedError);
    expect(warn.mock.calls).toEqual([
      [
        `attempt 1 to process the message ${message.id} failed: Error: the ledger is closed`,
        'ConsumerWarning',
      ],
    ]);
    warn.mockRestore();
  });

  it('warns once of a gateway that does not respond, and not of a refusal that ends the run', async () => {
    const warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    gateway.refusal = { status: 503, err: { code: 'BUS::UNHEALTHY', reason: 'busy' } };
    const { url } = gateway;
    const store = new MemoryStore();
    const options = { url, user: 'treasury', password: PASSWORD, clientId: 'treasury-1', trust, store };
    const running = run(new Consumer({ ...options, maxDelayMs: 20 }));
    await waitFor('attempts', () => gateway.refused >= 3);
    gateway.refusal = { status: 401, err: { code: 'REQ::UNAUTHENTICATED', reason: 'wrong (HTTP basic).' } };
    await expect(running).rejects.toThrow(
      'The connection was refused with 401: REQ::UNAUTHENTICATED: wrong (HTTP basic). The user or the password of this consumer is wrong. Check both.',
    );
    expect(warn.mock.calls).toEqual([
      [
        'no connection to the gateway (the connection was refused with 503: BUS::UNHEALTHY: busy). The consumer keeps trying. Check url and the gateway.',
        'ConsumerWarning',
      ],
    ]);
    warn.mockRestore();
  });

  it('calls a handler that fails again, in order, and no handler that has succeeded', async () => {
    const calls: string[] = [];
    const faults: unknown[] = [];
    let failures = 2;
    const consumer = create()
      .on('*', ({ id }) => void calls.push(`first ${id}`))
      .on('*', ({ id }, { attempt }) => {
        calls.push(`second ${id} ${attempt}`);
        if (failures-- > 0) throw new Error('the ledger is closed');
      })
      .on('fault', (fault) => void faults.push(fault));
    void run(consumer);
    await connected();
    const [one, two] = [await breach(1), await breach(2)];
    gateway.last.send(one, two);
    await acknowledged(one, two);
    const [id, next] = [eventId(one), eventId(two)];
    expect(calls).toEqual([
      `first ${id}`,
      ...[1, 2, 3].map((attempt) => `second ${id} ${attempt}`),
      `first ${next}`,
      `second ${next} 1`,
    ]);
    expect(faults).toEqual(
      [1, 2].map((attempt) => ({
        reason: `attempt ${attempt} to process the message ${one.id} failed`,
        error: new Error('the ledger is closed'),
        messageId: one.id,
        attempt,
      })),
    );
  });

  it('ends after the last attempt, and leaves the message and all later ones unacknowledged', async () => {
    const seen: string[] = [];
    const consumer = create({ maxAttempts: 2 })
      .on('*', (event) => {
        seen.push(event.id);
        throw new Error('no');
      })
      .on('fault', () => undefined);
    const running = run(consumer);
    await connected();
    const [one, two] = [await breach(1), await breach(2)];
    gateway.last.send(one, two);
    const error: unknown = await running.catch((each: unknown) => each);
    expect(error).toBeInstanceOf(ProcessingFailedError);
    expect(error).toMatchObject({ messageId: one.id, attempts: 2, cause: new Error('no') });
    expect(seen).toEqual([eventId(one), eventId(one)]);
    expect(gateway.last.acknowledged).toEqual([]);
  });

  it('reports a refused message, then acknowledges it', async () => {
    const [refused, seen]: [RefusedMessage[], string[]] = [[], []];
    const consumer = create()
      .on('*', ({ id }) => void seen.push(id))
      .on('refused', (each) => void refused.push(each));
    void run(consumer);
    await connected();
    const messages = [
      await breach(1, { overrides: { signature: '0x00' } }),
      await breach(2, { forge: (event) => ({ ...event, note: 'a secret of the payload' }) }),
      await breach(3),
    ];
    gateway.last.send(...messages);
    await acknowledged(...messages);
    expect(refused.map(({ reason, message }) => [message.id, reason])).toEqual([
      [messages[0]?.id, 'signature-format'],
      [messages[1]?.id, 'origin-proof'],
    ]);
    expect(refused.map(({ detail }) => detail).join()).not.toContain('secret');
    expect(seen).toHaveLength(1);
  });

  it('refuses the replay of an event whose id the store has removed', async () => {
    const [refused, seen]: [RefusedMessage[], string[]] = [[], []];
    const consumer = create({ store: new MemoryStore({ maxEvents: 2 }) })
      .on('*', ({ id }) => void seen.push(id))
      .on('refused', (each) => void refused.push(each));
    void run(consumer);
    await connected();
    const signed = (minute: number) =>
      breach(minute, { signedAt: new Date(Date.UTC(2026, 2, 2, 0, minute, 5)) });
    const messages = [await signed(1), await signed(2), await signed(3)];
    const replay = { ...(messages[0] as BusMessage), id: 'replay' };
    gateway.last.send(...messages, replay);
    await acknowledged(...messages, replay);
    expect(seen).toEqual(messages.map(eventId));
    expect(refused).toEqual([expect.objectContaining({ reason: 'replayed' })]);
  });

  it.each([
    [true, [2, 1, 4], [0]],
    [false, [2, 0, 1, 4], []],
  ])(
    'with newestPerSubject %s, passes the states of minutes %j, urgent ones in any case',
    async (newestPerSubject, passed, left) => {
      const [seen, outdated]: [string[], string[]] = [[], []];
      const consumer = create({ newestPerSubject })
        .on('*', ({ id }) => void seen.push(id))
        .on('outdated', ({ event, message }) => void outdated.push(event.id, message.id));
      void run(consumer);
      await connected();
      const warning = (minute: number) => breach(minute, { fact: { level: 'WARNING', previousLevel: 'OK' } });
      const messages = [await warning(2), await warning(0), await breach(1), await warning(4)];
      gateway.last.send(...messages);
      await acknowledged(...messages);
      const byMinute = new Map([2, 0, 1, 4].map((minute, at) => [minute, messages[at] as BusMessage]));
      const of = (minutes: number[]) => minutes.map((minute) => byMinute.get(minute) as BusMessage);
      expect(seen).toEqual(of(passed).map(eventId));
      expect(outdated).toEqual(of(left).flatMap((message) => [eventId(message), message.id]));
    },
  );

  it('saves no event without a handler', async () => {
    const saved: string[] = [];
    const memory = new MemoryStore();
    const store: EventStore = {
      open: () => memory.open(),
      find: (event) => memory.find(event),
      save: (event) => (saved.push(event.id), memory.save(event)),
      close: () => memory.close(),
    };
    void run(create({ store }).on('margin.breached', () => undefined));
    await connected();
    const messages = [await heartbeatMessage(), await breach(1)];
    gateway.last.send(...messages);
    await acknowledged(...messages);
    expect(saved).toEqual([eventId(messages[1] as BusMessage)]);
  });

  it('verifies a kept message again with the trust that a function then returns', async () => {
    const [seen, refused]: [string[], string[]] = [[], []];
    let current = trustOf({ [CHANNEL]: [{ did: originDid }] });
    const consumer = create({ trust: () => current })
      .on('*', ({ id }) => void seen.push(id))
      .on('fault', () => undefined)
      .on('refused', ({ reason }) => {
        refused.push(reason);
        if (refused.length === 2) current = trust;
        throw new Error('keep it');
      });
    void run(consumer);
    await connected();
    const message = await breach(1);
    gateway.last.send(message);
    await acknowledged(message);
    expect([seen, refused]).toEqual([[eventId(message)], ['sender-not-allowed', 'sender-not-allowed']]);
  });

  it('keeps a message while the function of the trust throws', async () => {
    const [seen, faults]: [string[], unknown[]] = [[], []];
    const error = new Error('the file is being replaced');
    let failures = 0;
    const consumer = create({
      trust: () => {
        if (failures-- > 0) throw error;
        return trust;
      },
    })
      .on('*', ({ id }) => void seen.push(id))
      .on('fault', (fault) => void faults.push(fault.error));
    void run(consumer);
    await connected();
    failures = 2;
    const message = await breach(1);
    gateway.last.send(message);
    await acknowledged(message);
    expect([seen, faults]).toEqual([[eventId(message)], [error, error]]);
  });

  it('reports a gap before the messages that follow it', async () => {
    const calls: unknown[] = [];
    const consumer = create()
      .on('gap', (gap) => void calls.push(gap))
      .on('*', ({ id }) => void calls.push(id));
    void run(consumer);
    await connected();
    const message = await breach(1);
    gateway.last.socket.send(JSON.stringify({ gap: { fqcn: CHANNEL, after: '1', upTo: '3' } }));
    gateway.last.send(message);
    await acknowledged(message);
    expect(calls).toEqual([{ fqcn: CHANNEL, after: '1', upTo: '3' }, eventId(message)]);
  });
});

describe('an interruption', () => {
  it('is followed by a new connection, which repeats what was not acknowledged', async () => {
    const [seen, states]: [string[], ConsumerState[]] = [[], []];
    let release = (): void => undefined;
    const consumer = create()
      .on('*', async ({ id }) => {
        seen.push(id);
        if (seen.length === 1) await new Promise<void>((resolve) => (release = resolve));
      })
      .on('state', (state) => void states.push(state));
    void run(consumer);
    await connected();
    const [one, two] = [await breach(1), await breach(2)];
    gateway.last.send(one, two);
    await waitFor('the handler', () => seen.length === 1);
    gateway.last.socket.terminate();
    await connected(2);
    gateway.last.send(one, two);
    release();
    await acknowledged(one, two);
    expect(seen).toEqual([eventId(one), eventId(two)]);
    expect(gateway.connections.map((each) => each.acknowledged)).toEqual([[], [one.id, two.id]]);
    await consumer.stop();
    expect(states.map(({ state }) => state)).toEqual(['connected', 'disconnected', 'connected', 'stopped']);
  });

  it('by a gateway that is not enrolled, or refuses for a while, is reported and repeated', async () => {
    const faults: string[] = [];
    gateway.refusal = { status: 503, err: { code: 'BUS::UNHEALTHY', reason: 'busy' } };
    void run(create().on('fault', ({ reason }) => void faults.push(reason)));
    await waitFor('refusals', () => gateway.refused > 1);
    gateway.refusal = undefined;
    await connected();
    gateway.last.socket.send('{"err":{"code":"BUS::FORBIDDEN_RESOURCE","reason":"not enrolled"}}');
    await waitFor('the fault', () => faults.length === 1);
    expect(faults).toEqual(['BUS::FORBIDDEN_RESOURCE: not enrolled']);
  });
});

describe('a fault that no retry mends ends the run', () => {
  it.each([
    [401, 'REQ::UNAUTHENTICATED', /user or the password of this consumer is wrong/],
    [403, 'REQ::FORBIDDEN', /the right messages/],
    [404, 'REQ::NOT_FOUND', /without \/events/],
    [400, 'REQ::INVALID_REQUEST', /Correct clientId/],
  ])('%s', async (status, code, advice) => {
    gateway.refusal = { status, err: { code, reason: 'because.' } };
    const error: unknown = await run(create()).catch((each: unknown) => each);
    expect(error).toBeInstanceOf(ConnectionRefusedError);
    expect(error).toMatchObject({ status, message: expect.stringMatching(advice) });
    expect(error).toMatchObject({ message: expect.stringMatching(`${code}: because\\. [A-Z]`) });
    expect(JSON.stringify([String(error), error])).not.toContain(PASSWORD);
  });

  it.each(['BUS::CHANNEL_NOT_FOUND', 'BUS::CHANNEL_UNAUTHORIZED'])('%s', async (code) => {
    const running = run(create());
    await connected();
    gateway.last.socket.send(JSON.stringify({ err: { code, reason: 'There is no channel c.' } }));
    await expect(running).rejects.toThrow(ChannelRefusedError);
    await expect(running).rejects.toThrow(/There is no channel c. Correct channels/);
  });

  it('another connection with the same clientId', async () => {
    const running = run(create());
    await connected();
    gateway.last.socket.send('{"err":{"code":"BUS::SUPERSEDED","reason":"a newer one"}}');
    gateway.last.socket.close(4409, 'superseded');
    await expect(running).rejects.toThrow(SupersededError);
    await expect(running).rejects.toThrow(/clientId "treasury-1" .* Give each consumer/);
  });

  it('while a handler runs, whose message is acknowledged on the open connection', async () => {
    let release: (() => void) | undefined;
    const running = run(create().on('*', () => new Promise<void>((resolve) => (release = resolve))));
    await connected();
    const message = await breach(1);
    gateway.last.send(message);
    await waitFor('the handler', () => release !== undefined);
    const err = { code: 'BUS::CHANNEL_NOT_FOUND', reason: 'There is no channel c.' };
    gateway.last.socket.send(JSON.stringify({ err }));
    const closed = once(gateway.last.socket, 'close');
    let ponged = false;
    gateway.last.socket.once('pong', () => (ponged = true)).ping();
    await waitFor('the error to be read', () => ponged);
    release?.();
    await expect(running).rejects.toThrow(ChannelRefusedError);
    await closed;
    expect(gateway.last.acknowledged).toEqual([message.id]);
  });

  it('while a handler runs, without another connection', async () => {
    let release: (() => void) | undefined;
    const running = run(create().on('*', () => new Promise<void>((resolve) => (release = resolve))));
    await connected();
    gateway.last.send(await breach(1));
    await waitFor('the handler', () => release !== undefined);
    gateway.refusal = { status: 401, err: { code: 'REQ::UNAUTHENTICATED', reason: 'no' } };
    gateway.last.socket.close(4409, 'superseded');
    await once(gateway.last.socket, 'close');
    release?.();
    await expect(running).rejects.toThrow(SupersededError);
    expect([gateway.connections.length, gateway.refused]).toEqual([1, 0]);
  });

  it('a password that stays refused', async () => {
    gateway.password = 'new';
    await expect(run(create({ password: () => 'old' }))).rejects.toThrow(ConnectionRefusedError);
  });
});

describe('a password from a function', () => {
  it('is read again when the gateway refuses it', async () => {
    gateway.password = 'new';
    const passwords = ['old'];
    void run(create({ password: () => passwords.shift() ?? 'new' }));
    await connected();
    expect(gateway.refused).toBe(1);
  });

  it('is reported and read again when the function throws, also after a refusal', async () => {
    gateway.password = 'new';
    const error = new Error('the vault is sealed');
    const attempts: (string | Error)[] = [error, 'old', error];
    const faults: unknown[] = [];
    const password = (): string => {
      const next = attempts.shift() ?? 'new';
      if (next instanceof Error) throw next;
      return next;
    };
    void run(create({ password }).on('fault', (fault) => void faults.push(fault)));
    await connected();
    const fault = { reason: 'the function of the password failed', error };
    expect([faults, gateway.refused]).toEqual([[fault, fault], 1]);
  });
});

describe('stop', () => {
  it('waits for the running handler, whose message is acknowledged, and leaves the others', async () => {
    const seen: string[] = [];
    let release: (() => void) | undefined;
    const consumer = create().on('*', async ({ id }) => {
      seen.push(id);
      await new Promise<void>((resolve) => (release = resolve));
    });
    const running = run(consumer);
    await connected();
    const [one, two] = [await breach(1), await breach(2)];
    gateway.last.send(one, two);
    await waitFor('the handler', () => release !== undefined);
    let isStopped = false;
    const stopped = consumer.stop().then(() => (isStopped = true));
    expect(isStopped).toBe(false);
    release?.();
    await Promise.all([stopped, running]);
    await waitFor('the acknowledgement', () => gateway.last.acknowledged.length === 1);
    expect([seen, gateway.last.acknowledged]).toEqual([[eventId(one)], [one.id]]);
  });

  it('opens no other connection while the running handler ends', async () => {
    const states: string[] = [];
    let release: (() => void) | undefined;
    const consumer = create()
      .on('*', () => new Promise<void>((resolve) => (release = resolve)))
      .on('state', ({ state }) => void states.push(state));
    const running = run(consumer);
    await connected();
    gateway.last.send(await breach(1));
    await waitFor('the handler', () => release !== undefined);
    const stopped = consumer.stop();
    gateway.refusal = { status: 401, err: { code: 'REQ::UNAUTHENTICATED', reason: 'no' } };
    gateway.last.socket.close(4409, 'superseded');
    await once(gateway.last.socket, 'close');
    release?.();
    await Promise.all([stopped, running]);
    expect([states, gateway.refused]).toEqual([['connected', 'stopped'], 0]);
  });

  it('before the start opens no connection', async () => {
    const states: string[] = [];
    const consumer = create().on('state', ({ state }) => void states.push(state));
    await consumer.stop();
    await run(consumer);
    expect(states).toEqual([]);
  });

  it('may be called by a handler, and by a signal', async () => {
    const consumer: Consumer = create().on('*', () => consumer.stop());
    const running = run(consumer);
    await connected();
    gateway.last.send(await breach(1));
    await running;
    const abort = new AbortController();
    const other = run(create({ signal: abort.signal }));
    await connected(2);
    abort.abort();
    await other;
    expect(() => consumer.run()).toThrow(/Create another one/);
  });
});

describe('the iterator', () => {
  it('acknowledges an event in the next iteration or by ack, and not at the end of the loop', async () => {
    const consumer = create();
    const messages = [await breach(1), await breach(2), await breach(3)];
    const iterated: string[] = [];
    const iteration = (async () => {
      for await (const { event, ack } of consumer) {
        iterated.push(event.id);
        await acknowledged(...messages.slice(0, iterated.length - 1));
        expect(gateway.last.acknowledged).toHaveLength(iterated.length - 1);
        if (iterated.length === 2) {
          await ack();
          await acknowledged(...messages.slice(0, 2));
        }
        if (iterated.length === 3) break;
      }
    })();
    await connected();
    gateway.last.send(...messages);
    await iteration;
    expect(iterated).toEqual(messages.map(eventId));
    expect(gateway.last.acknowledged).toEqual(messages.slice(0, 2).map(({ id }) => id));
  });

  it.each([
    ['ack', (ack: () => Promise<void>) => ack()],
    ['the next iteration', (_: unknown, iteration: AsyncIterator<unknown>) => iteration.next()],
  ])('%s rejects when the store did not save the event', async (_, proceed) => {
    const memory = new MemoryStore();
    const error = new Error('the disk is full');
    const store: EventStore = {
      open: () => memory.open(),
      find: (event) => memory.find(event),
      save: () => Promise.reject(error),
      close: () => memory.close(),
    };
    const consumer = create({ store, maxAttempts: 2 }).on('fault', () => undefined);
    const iteration = consumer[Symbol.asyncIterator]();
    const first = iteration.next();
    await connected();
    gateway.last.send(await breach(1));
    const { value } = await first;
    const proceeding = proceed(value?.ack as () => Promise<void>, iteration);
    await expect(proceeding).rejects.toMatchObject({ name: 'ProcessingFailedError', cause: error });
    await iteration.return(undefined);
    expect(gateway.last.acknowledged).toEqual([]);
  });

  it('cannot begin after run, which continues', async () => {
    const consumer = create().on('*', () => undefined);
    void run(consumer);
    await expect(consumer[Symbol.asyncIterator]().next()).rejects.toThrow(/runs already/);
    await connected();
    const message = await breach(1);
    gateway.last.send(message);
    await acknowledged(message);
  });

  it('throws what ends the run', async () => {
    gateway.refusal = { status: 401, err: { code: 'REQ::UNAUTHENTICATED', reason: 'no' } };
    const next = create()[Symbol.asyncIterator]().next();
    await expect(next).rejects.toThrow(ConnectionRefusedError);
  });
});

describe('plain delivery', () => {
  it('has no query and no acknowledgements, and leaves other channels out', async () => {
    const seen: string[] = [];
    void run(create({ delivery: 'plain' }).on('*', ({ id }) => void seen.push(id)));
    await connected();
    const [other, own] = [await breach(1, { overrides: { fqcn: 'another' } }), await breach(2)];
    gateway.last.send(other, own);
    await waitFor('the event', () => seen.length === 1);
    expect([gateway.last.request.url, gateway.last.acknowledged, seen]).toEqual([
      '/events',
      [],
      [eventId(own)],
    ]);
  });

  it('receives everything after too many messages have waited', async () => {
    const seen: string[] = [];
    let isHeld = true;
    let release = (): void => undefined;
    const consumer = create({ delivery: 'plain', window: 1 }).on('*', async ({ id }) => {
      if (isHeld) await new Promise<void>((resolve) => (release = resolve));
      seen.push(id);
    });
    void run(consumer);
    await connected();
    const { socket } = gateway.last;
    for (const minute of [1, 2, 3]) gateway.last.send(await breach(minute));
    let ponged = 0;
    socket.on('pong', () => (ponged += 1));
    // A paused client reads no ping.
    const message = await breach(4);
    gateway.last.send(message);
    socket.ping();
    isHeld = false;
    await waitFor('all events', () => (release(), seen.length === 4));
    await waitFor('the response to the ping', () => ponged === 1);
    expect(seen.at(-1)).toBe(eventId(message));
  });
});

it('receives by default the channels that have a trusted gateway, from the oldest message', async () => {
  const revoked = { did: gatewayDid, revoked: '2026-01-01T00:00:00Z' };
  void run(create({ trust: trustOf({ former: [revoked], [CHANNEL]: [{ did: gatewayDid }] }) }));
  await connected();
  expect(gateway.last.query.getAll('fqcn')).toEqual([CHANNEL]);
  // A start that was sent is kept by the bus.
  expect(gateway.last.query.get('from')).toBe('oldest');
});

it.each<[string, Partial<ConsumerOptions>, RegExp]>([
  ['an address without TLS', { url: 'http://gateway.example' }, /url takes the address .* https:\/\//],
  ['an address with a password', { url: 'https://me:secret@gateway.example' }, /without user, password/],
  ['no clientId', { clientId: '' }, /clientId takes a name/],
  ['from with plain delivery', { delivery: 'plain', from: 'now' }, /from needs acknowledged delivery/],
  ['an invalid date', { from: new Date('x') }, /from takes a valid date/],
  ['an empty window', { window: 0 }, /window takes a whole number/],
  ['no attempt', { maxAttempts: 0 }, /maxAttempts takes/],
  ['no channel', { channels: [] }, /trust names no channel/],
  ['no trusted gateway', { trust: trustOf({ c: [] }) }, /trust names no channel with a trusted gateway/],
  ['a path as trust', { trust: 'trust.json' as never }, /trust takes a Trust, such as Trust.fromFile/],
  ['a channel without a trusted gateway', { channels: ['c'] }, /no trusted gateway of the channel c/],
])('refuses %s', (_, options, problem) => {
  expect(() => create(options)).toThrow(InvalidOptionError);
  expect(() => create(options)).toThrow(problem);
});
