import {
  createTestChannel,
  createTestMessage,
  append,
  PAGE,
  payloads,
} from '../../../test/support/log-samples.js';
import { waitFor } from '@ssb/testing';
import { EngineUnavailableError, type LogChannel, type LogEngine, type MessageLog } from '../message-log.js';

/** A server of either engine. */
interface TestServer {
  /** As a crash does; `start` brings it back with its data. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** It stands still with its connections open. */
  pause(): void;
  resume(): void;
  stop(): Promise<void>;
}

type OpenEngine = Pick<LogEngine, 'ping' | 'check' | 'close'> & { readonly log: MessageLog };

/** An engine whose server the test may hurt. */
export interface FaultyEngine {
  /** A log of its own on the server. */
  readonly open: (timeoutMs: number) => Promise<OpenEngine>;
  readonly server: TestServer;
  /** Takes the room away that the server has for messages, and gives it back. */
  readonly fill: () => Promise<void>;
  readonly drain: () => Promise<void>;
  /** Leaves room for a few MiB, which messages can fill; `drain` ends it. */
  readonly narrow: () => Promise<void>;
}

/** Longer than any healthy call takes, also on a machine with much else to do: what is refused sooner, the engine refuses by its words. */
const PATIENT_MS = 20_000;
/** What one takes that shall fill up; it goes after this while. */
const SOON_PASSED_MS = 5_000;

/** What every engine does when its server is away, slow or full; called once by each engine's own test file. */
export function describeEngineFaults(engine: string, prepare: () => Promise<FaultyEngine>): void {
  describe(`${engine} in trouble`, () => {
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
      payloads((await log.readAfter(channel, undefined, PAGE)).entries);
    const servedAgain = (work: () => Promise<unknown>): Promise<boolean> =>
      waitFor('the engine to serve', () =>
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

    it('keeps through a kill what it has confirmed, and wakes its watchers when it is back', async () => {
      const log = await open(PATIENT_MS);
      const channel = createTestChannel();
      const sent = Array.from({ length: 100 }, (_, index) => String(index));
      for (const payload of sent) await append(log, channel, createTestMessage(payload));
      const wakes: (string | undefined)[] = [];
      log.watch((fqcn) => wakes.push(fqcn));
      await server.kill();
      await server.start();
      await waitFor('a wake-up for all channels', () => wakes.includes(undefined));
      expect(await stored(log, channel)).toEqual(sent);
    });

    it('remembers a correlation id through a kill', async () => {
      const log = await open(PATIENT_MS);
      const channel = createTestChannel();
      const first = await append(log, channel, createTestMessage('a', { correlationId: 'x' }));
      await server.kill();
      await server.start();
      const again = await append(log, channel, createTestMessage('a', { correlationId: 'x' }));
      expect(again).toEqual({ position: first.position, repeated: true });
    });

    it('waits through a short outage, and refuses every call when it takes longer', async () => {
      const [patient, impatient] = [await open(PATIENT_MS), await open(500)];
      const channel = createTestChannel();
      const { position } = await append(patient, channel, createTestMessage('before'));
      await servedAgain(() => impatient.readAfter(channel, undefined, PAGE));
      await server.kill();
      const reader = { address: '0xab', clientId: 'x' };
      // First a reading: an append on a connection that has not noticed yet may still happen when the server is back.
      const reading = await refused(impatient.readAfter(channel, undefined, PAGE));
      // All at once: each is waited for from its beginning, whichever is refused first.
      const others = await Promise.all([
        refused(append(impatient, channel, createTestMessage('refused'))),
        refused(impatient.position(channel, reader)),
        refused(impatient.movePosition(channel, reader, position)),
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
      await servedAgain(() => impatient.readAfter(channel, undefined, PAGE));
      expect(await stored(patient, channel)).toEqual(['before', 'waited']);
    });

    it('refuses each of several together while it stands still; the same ones afterwards are one message each', async () => {
      const [patient, log] = [await open(PATIENT_MS), await open(300)];
      const channel = createTestChannel();
      const messages = ['a', 'b', 'c'].map((text) => createTestMessage(text, { correlationId: text }));
      await append(patient, channel, createTestMessage('before'));
      server.pause();
      try {
        await standingStill(log, channel);
        const outcomes = await log.appendAll(channel, messages);
        for (const outcome of outcomes) {
          expect(outcome).toMatchObject({ status: 'rejected', reason: { name: 'EngineUnavailableError' } });
        }
        expect(outcomes).toHaveLength(3);
      } finally {
        server.resume();
      }
      await servedAgain(() => log.readAfter(channel, undefined, PAGE));
      const settled = await waitFor('all messages to be taken', async () => {
        const outcomes = await log.appendAll(channel, messages);
        return outcomes.every(({ status }) => status === 'fulfilled') && outcomes;
      });
      expect(settled).toHaveLength(3);
      expect(await stored(patient, channel)).toEqual(['before', 'a', 'b', 'c']);
    });

    it('refuses within its patience while the server stands still; a repeat afterwards is one message', async () => {
      const [patient, log] = [await open(PATIENT_MS), await open(200)];
      const channel = createTestChannel();
      const message = createTestMessage('a', { correlationId: 'x' });
      await append(patient, channel, createTestMessage('before'));
      server.pause();
      try {
        await standingStill(log, channel);
        expect((await refused(append(log, channel, message))).message).toContain(
          'did not answer within 200 ms',
        );
        expect((await refused(log.readAfter(channel, undefined, PAGE))).message).toContain('200 ms');
      } finally {
        server.resume();
      }
      await servedAgain(() => append(log, channel, message));
      expect(await stored(patient, channel)).toEqual(['before', 'a']);
    });

    it('refuses what does not fit with the engine’s own words, stores nothing of it, and still reads', async () => {
      const log = await open(PATIENT_MS);
      const channel = createTestChannel();
      await append(log, channel, createTestMessage('before'));
      await engineUnderTest.fill();
      const message = createTestMessage('a', { correlationId: 'x' });
      const { status, message: words } = await refused(append(log, channel, message));
      expect({ status, words }).toEqual({
        status: expect.stringMatching(/./),
        words: expect.stringMatching(/OOM|insufficient|exceed/i),
      });
      expect(await stored(log, channel)).toEqual(['before']);
      await engineUnderTest.drain();
      await servedAgain(() => append(log, channel, message));
      expect(await stored(log, channel)).toEqual(['before', 'a']);
    });

    it('fails its check while it is full, stands still or is away, and only then; its ping not for being full', async () => {
      const [patient, impatient] = [await openEngine(PATIENT_MS), await openEngine(500)];
      await patient.check();
      await engineUnderTest.fill();
      expect((await refused(patient.check())).message).toMatch(/OOM|insufficient|exceed/i);
      await patient.ping();
      await engineUnderTest.drain();
      await patient.check();
      server.pause();
      try {
        await waitFor(
          'the engine to be down',
          async () =>
            (await impatient.check().then(String, (error: Error) => error.name)) === 'EngineUnavailableError',
        );
        await refused(impatient.ping());
      } finally {
        server.resume();
      }
      await patient.check();
      await server.kill();
      await refused(impatient.check());
      await refused(impatient.ping());
      await server.start();
      await patient.check();
      expect(await servedAgain(impatient.check)).toBe(true);
    });

    it('that is full of what retention passes takes messages again by itself', async () => {
      const log = await open(PATIENT_MS);
      const channel = createTestChannel(SOON_PASSED_MS);
      await engineUnderTest.narrow();
      const payload = 'x'.repeat(200_000);
      // A few at once: one by one, a slow disk might take longer to fill than retention to pass.
      const appendUntilRefused = async (): Promise<void> => {
        for (let count = 0; count < 20; count += 1) {
          await Promise.all(
            Array.from({ length: 5 }, () => append(log, channel, createTestMessage(payload))),
          );
        }
      };
      expect((await refused(appendUntilRefused())).message).toMatch(/OOM|insufficient|exceed/i);
      expect(await servedAgain(() => append(log, channel, createTestMessage(payload)))).toBe(true);
      await engineUnderTest.drain();
    });

    it('lets a channel be removed while it is full', async () => {
      const log = await open(PATIENT_MS);
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

/** Resolves once the engine answers no more: the system stops a process a moment after it was told to. */
async function standingStill(log: MessageLog, channel: LogChannel): Promise<void> {
  const isStill = (): Promise<boolean> =>
    log.readAfter(channel, undefined, PAGE).then(
      () => false,
      () => true,
    );
  await waitFor('the server to stand still', isStill);
}
