import { signMessage } from '@ssb/identity';
import type { PublishRequest } from '@ssb/bus';
import { waitFor } from '@ssb/testing/in-process';
import { createSigningIdentity } from '../../test/support/signing-identity.js';
import { MessageBatcher, type Publish, type UnsignedMessage } from './message-batcher.js';

const IDENTITY = createSigningIdentity();
const SETTINGS = { SIGNATURE_SCHEME: 'eip191', BROKER_TIMEOUT_MS: 60_000 } as const;
const NO_METRICS = {
  waiting: { inc: () => undefined, dec: () => undefined },
  postSeconds: { observe: () => undefined },
};

/** A batcher whose broker records the batches and answers after `answer` is called. */
function createBatcher(settings: ConstructorParameters<typeof MessageBatcher>[2] = SETTINGS) {
  const batches: (readonly PublishRequest[])[] = [];
  let answer = (): void => undefined;
  const gate = new Promise<void>((resolve) => (answer = resolve));
  const publish: Publish = async (messages) => {
    batches.push(messages);
    await gate;
    return messages.map(({ payload }) => ({ status: 'fulfilled', value: payload }));
  };
  const batcher = new MessageBatcher(publish, IDENTITY, settings, NO_METRICS);
  return { batcher, batches, answer: () => answer() };
}

const message = (payload: string): UnsignedMessage => ({ fqcn: 'a', payload });

const nextTurn = () => new Promise<void>((resolve) => void setImmediate(resolve));

describe('waiting messages', () => {
  it('are 10,000 at most: one more is refused at once, and accepted when others are sent', async () => {
    const { batcher, answer } = createBatcher();
    const all = Array.from({ length: 10_000 }, (_, number) => batcher.send(message(String(number))));
    await expect(batcher.send(message('one more'))).rejects.toMatchObject({
      problem: { kind: 'not-sent', reason: 'too many messages are waiting' },
    });
    answer();
    await Promise.all(all);
    expect(await batcher.send(message('later'))).toBe('later');
  });

  it('fill a batch by their bytes in UTF-8', async () => {
    const { batcher, batches, answer } = createBatcher();
    // 100,000 letters of three bytes each are more bytes than a batch may have.
    const all = ['1', '2', '3', '4'].map((end) => batcher.send(message('語'.repeat(100_000) + end)));
    await nextTurn();
    answer();
    await Promise.all(all);
    expect(batches.map((batch) => batch.length)).toEqual([1, 1, 1, 1]);
  });

  it('are signed when they are sent, one batch in a turn of the event loop', async () => {
    const { batcher, batches, answer } = createBatcher();
    const countSigned = () => batches.flat().length;
    const all = Array.from({ length: 100 }, (_, number) => batcher.send(message(String(number))));
    const signedPerTurn: number[] = [];
    while (countSigned() < 48) {
      const before = countSigned();
      await nextTurn();
      signedPerTurn.push(countSigned() - before);
    }
    expect(Math.max(...signedPerTurn)).toBe(16);
    await nextTurn();
    // At most three batches of a channel are in flight.
    expect(countSigned()).toBe(48);
    answer();
    await Promise.all(all);
    expect(batches.flat().map(({ signature }) => signature)).toEqual(
      Array.from({ length: 100 }, (_, number) => signMessage(String(number), IDENTITY.key)),
    );
  });

  it('for more than half of the timeout are refused and not sent', async () => {
    const { batcher, batches, answer } = createBatcher({ ...SETTINGS, BROKER_TIMEOUT_MS: 100 });
    const sentAt = performance.now();
    const all = Array.from({ length: 60 }, (_, number) => batcher.send(message(String(number))));
    await waitFor('half of the timeout', () => performance.now() - sentAt > 51);
    const sent = batches.flat().length;
    answer();
    const outcomes = await Promise.allSettled(all);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(sent);
    expect(batches.flat()).toHaveLength(sent);
    expect(outcomes.at(-1)).toMatchObject({ reason: { problem: { reason: 'it waited too long' } } });
  });

  it('that cannot be signed are refused, and the others of the batch are sent', async () => {
    const { batcher, batches, answer } = createBatcher();
    const loneSurrogate = '\ud800';
    answer();
    const all = ['a', loneSurrogate, 'c'].map((payload) => batcher.send(message(payload)));
    expect(await Promise.allSettled(all)).toEqual([
      { status: 'fulfilled', value: 'a' },
      { status: 'rejected', reason: expect.objectContaining({ name: 'IllFormedTextError' }) },
      { status: 'fulfilled', value: 'c' },
    ]);
    expect(batches.flat().map(({ payload }) => payload)).toEqual(['a', 'c']);
  });
});
