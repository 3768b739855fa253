import {
  createTestChannel,
  createTestMessage,
  append,
  PAGE_LIMITS,
  payloads,
} from '../support/log-samples.js';
import { waitFor } from '@ssb/testing';
import {
  type Appended,
  EngineUnavailableError,
  type LogChannel,
  type LogEngine,
  type MessageLog,
} from '../../src/storage/message-log.js';

/** A server of either engine. */
interface TestServer {
  /** Like a crash; `start` restarts it with its data. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Suspends it with its connections open. */
  pause(): void;
  resume(): void;
  stop(): Promise<void>;
}

type OpenEngine = Pick<LogEngine, 'ping' | 'checkWrite' | 'close'> & { readonly log: MessageLog };

/** An engine with fault injection. */
export interface FaultyEngine {
  /** A log of its own on the server. */
  readonly open: (timeoutMs: number) => Promise<OpenEngine>;
  readonly server: TestServer;
  /** Uses up the server's space for messages; `drain` frees it. */
  readonly fill: () => Promise<void>;
  readonly drain: () => Promise<void>;
  /** Leaves space for a few MiB; `drain` ends it. */
  readonly narrow: () => Promise<void>;
}

/** Longer than any healthy call on a busy machine, so an earlier refusal is the engine's own. */
const LONG_TIMEOUT_MS = 20_000;
/** Retention of messages that fill the engine. */
const SHORT_RETENTION_MS = 5_000;

/** The contract of MessageLog when its server is stopped, suspended or full; each engine's spec calls it once. */
export function describeEngineFaults(engine: string, prepare: () => Promise<FaultyEngine>): void {
  describe(`${engine} with faults`, () => {
    let engineUnderTest: FaultyEngine;
    let server: TestServer;
    const closings: (() => Promise<void>)[] = [];
    const openEngine = async (timeoutMs: number): Promise<OpenEngine> => {
      const opened = await engineUnderTest.open(timeoutMs);
      closings.push(opened.close);
      return opened;
    };
    const open = async (timeoutMs: number): Promise<MessageLog> => (await openEngine(timeoutMs)).log;
    const refused = async (work: Promise<unknown>): Promise<EngineUnavailableError> => {
      const error = await work.then(
        () => undefined,
        (reason: unknown) => reason,
      );
      if (!(error instanceof EngineUnavailableError)) throw new Error('it was not refused', { cause: error });
      return error;
    };
    const stored = async (log: MessageLog, channel: LogChannel): Promise<string[]> =>
      payloads((await log.readAfter(channel, undefined, PAGE_LIMITS)).entries);
    const servesAgain = (work: () => Promise<unknown>): Promise<boolean> =>
      waitFor('the engine to serve again', () =>
        work().then(
          () => true,
          () => false,
        ),
      );

    beforeAll(async () => {
      engineUnderTest = await prepare();
      ({ server } = engineUnderTest);
    });

    afterEach(async () => {
      await Promise.all(closings.splice(0).map((close) => close()));
    });

    afterAll(() => server.stop());

    it('keeps confirmed messages and their correlation ids through a kill, and notifies its listeners afterwards', async () => {
      const log = await open(LONG_TIMEOUT_MS);
      const channel = createTestChannel();
      const sent = Array.from({ length: 20 }, (_, index) => String(index));
      const messages = sent.map((text) => createTestMessage(text, { correlationId: text }));
      const confirmed: Appended[] = [];
      for (const message of messages) confirmed.push(await append(log, channel, message));
      const notified: (string | undefined)[] = [];
      log.onAppended((fqcn) => notified.push(fqcn));
      await server.kill();
      await server.start();
      await waitFor('a notification for all channels', () => notified.includes(undefined));
      expect(await stored(log, channel)).toEqual(sent);
      const again = await log.appendAll(channel, messages);
      expect(again).toMatchObject(confirmed.map(({ offset }) => ({ value: { offset, repeated: true } })));
    });

    it('waits through a short outage, and refuses every call in a longer one', async () => {
      const [patient, impatient] = [await open(LONG_TIMEOUT_MS), await open(500)];
      const channel = createTestChannel();
      const { offset } = await append(patient, channel, createTestMessage('before'));
      await servesAgain(() => impatient.readAfter(channel, undefined, PAGE_LIMITS));
      await server.kill();
      const reader = { address: '0xab', clientId: 'x' };
      // A read first: an append on a connection that is not yet closed may still happen after the restart.
      const reading = await refused(impatient.readAfter(channel, undefined, PAGE_LIMITS));
      // Awaited together, so that no refusal is unhandled.
      const others = await Promise.all([
        refused(append(impatient, channel, createTestMessage('refused'))),
        refused(impatient.getOffset(channel, reader)),
        refused(impatient.moveOffset(channel, reader, offset)),
      ]);
      for (const { status, message } of [reading, ...others]) {
        expect({ status, message }).toEqual({
          status: expect.stringMatching(/./),
          message: expect.stringMatching(/./),
        });
      }
      const waiting = append(patient, channel, createTestMessage('waited'));
      await server.start();
      await expect(waiting).resolves.toMatchObject({ repeated: false });
      await servesAgain(() => impatient.readAfter(channel, undefined, PAGE_LIMITS));
      expect(await stored(patient, channel)).toEqual(['before', 'waited']);
    });

    it('refuses each of several messages while it is suspended, and stores each once when they are repeated', async () => {
      const [patient, log] = [await open(LONG_TIMEOUT_MS), await open(300)];
      const channel = createTestChannel();
      const messages = ['a', 'b', 'c'].map((text) => createTestMessage(text, { correlationId: text }));
      await append(patient, channel, createTestMessage('before'));
      server.pause();
      try {
        await waitUntilSuspended(log, channel);
        const outcomes = await log.appendAll(channel, messages);
        for (const outcome of outcomes) {
          expect(outcome).toMatchObject({ status: 'rejected', reason: { name: 'EngineUnavailableError' } });
        }
        expect(outcomes).toHaveLength(3);
      } finally {
        server.resume();
      }
      await servesAgain(() => log.readAfter(channel, undefined, PAGE_LIMITS));
      const appended = await waitFor('all messages to be stored', async () => {
        const outcomes = await log.appendAll(channel, messages);
        return outcomes.every(({ status }) => status === 'fulfilled') && outcomes;
      });
      expect(appended).toHaveLength(3);
      expect(await stored(patient, channel)).toEqual(['before', 'a', 'b', 'c']);
    });

    it('refuses a message that does not fit with the engine’s own error, stores nothing, and still reads', async () => {
      const log = await open(LONG_TIMEOUT_MS);
      const channel = createTestChannel();
      await append(log, channel, createTestMessage('before'));
      await engineUnderTest.fill();
      const message = createTestMessage('a', { correlationId: 'x' });
      const { status, message: text } = await refused(append(log, channel, message));
      expect({ status, text }).toEqual({
        status: expect.stringMatching(/./),
        text: expect.stringMatching(/OOM|insufficient|exceed/i),
      });
      expect(await stored(log, channel)).toEqual(['before']);
      await engineUnderTest.drain();
      await servesAgain(() => append(log, channel, message));
      expect(await stored(log, channel)).toEqual(['before', 'a']);
    });

    it('fails its write check while it is full, suspended or stopped; its ping fails only while suspended or stopped', async () => {
      const [patient, impatient] = [await openEngine(LONG_TIMEOUT_MS), await openEngine(500)];
      await patient.checkWrite();
      await engineUnderTest.fill();
      expect((await refused(patient.checkWrite())).message).toMatch(/OOM|insufficient|exceed/i);
      await patient.ping();
      await engineUnderTest.drain();
      await patient.checkWrite();
      server.pause();
      try {
        await waitFor(
          'the engine to fail',
          async () =>
            (await impatient.checkWrite().then(String, (error: Error) => error.name)) ===
            'EngineUnavailableError',
        );
        await refused(impatient.ping());
      } finally {
        server.resume();
      }
      await patient.checkWrite();
      await server.kill();
      await refused(impatient.checkWrite());
      await refused(impatient.ping());
      await server.start();
      await patient.checkWrite();
      expect(await servesAgain(impatient.checkWrite)).toBe(true);
    });

    it('takes messages again once retention has passed those that fill it', async () => {
      const log = await open(LONG_TIMEOUT_MS);
      const channel = createTestChannel(SHORT_RETENTION_MS);
      await engineUnderTest.narrow();
      const payload = 'x'.repeat(200_000);
      // A few at once, as a slow disk could take longer than the retention.
      const appendUntilRefused = async (): Promise<void> => {
        for (let count = 0; count < 20; count += 1) {
          await Promise.all(
            Array.from({ length: 5 }, () => append(log, channel, createTestMessage(payload))),
          );
        }
      };
      expect((await refused(appendUntilRefused())).message).toMatch(/OOM|insufficient|exceed/i);
      expect(await servesAgain(() => append(log, channel, createTestMessage(payload)))).toBe(true);
      await engineUnderTest.drain();
    });

    it('drops a channel while it is full', async () => {
      const log = await open(LONG_TIMEOUT_MS);
      const channel = createTestChannel();
      await append(log, channel, createTestMessage('a'));
      await engineUnderTest.fill();
      await log.drop(channel);
      expect(await stored(log, channel)).toEqual([]);
      await engineUnderTest.drain();
      await append(log, channel, createTestMessage('b'));
      expect(await stored(log, channel)).toEqual(['b']);
    });
  });
}

/** Resolves once the engine stops responding, as the system suspends a process with a delay. */
async function waitUntilSuspended(log: MessageLog, channel: LogChannel): Promise<void> {
  const isSuspended = (): Promise<boolean> =>
    log.readAfter(channel, undefined, PAGE_LIMITS).then(
      () => false,
      () => true,
    );
  await waitFor('the server to be suspended', isSuspended);
}
