import type { PublishRequest } from '@ssb/bus';
import { MessageBatcher, type UnsignedMessage, type PublishOutcome } from './message-batcher.js';

const NO_GAUGE = { inc: () => undefined, dec: () => undefined };

/** Notes what is signed and posted, and answers once it is let go. */
function held(sign = (payload: string): string => `signed ${payload}`) {
  const loads: (readonly PublishRequest[])[] = [];
  const signed: string[] = [];
  let letGo = (): void => undefined;
  const gate = new Promise<void>((resolve) => (letGo = resolve));
  const post = async (messages: readonly PublishRequest[]): Promise<readonly PublishOutcome[]> => {
    loads.push(messages);
    await gate;
    return messages.map(({ payload }) => ({ status: 'fulfilled', value: payload }));
  };
  const noting = (payload: string): string => {
    signed.push(payload);
    return sign(payload);
  };
  const outgoing = new MessageBatcher({ post }, noting, 60_000, NO_GAUGE);
  return { outgoing, loads, signed, letGo: () => letGo() };
}

const message = (payload: string): UnsignedMessage => ({ fqcn: 'a', payload });

const turn = () => new Promise<void>((resolve) => void setImmediate(resolve));

describe('messages that wait', () => {
  it('go in the order in which they came', async () => {
    const { outgoing, loads, letGo } = held();
    const payloads = Array.from({ length: 1_000 }, (_, number) => String(number));
    const all = payloads.map((payload) => outgoing.send(message(payload)));
    letGo();
    await Promise.all(all);
    expect(loads.length).toBeLessThan(100);
    expect(loads.flat().map(({ payload }) => payload)).toEqual(payloads);
  });

  it('are 10,000 at most: one more is refused at once, and room for others when they are gone', async () => {
    const { outgoing, letGo } = held();
    const all = Array.from({ length: 10_000 }, (_, number) => outgoing.send(message(String(number))));
    await expect(outgoing.send(message('one more'))).rejects.toMatchObject({
      problem: { kind: 'unreachable', reason: 'too many messages wait for it' },
    });
    letGo();
    await Promise.all(all);
    expect(await outgoing.send(message('later'))).toBe('later');
  });

  it('share a request by their bytes, whatever letters they are written in', async () => {
    const { outgoing, loads, letGo } = held();
    // 100,000 letters of three bytes each: as many bytes as a load may have, and more.
    const all = ['1', '2', '3', '4'].map((end) => outgoing.send(message('語'.repeat(100_000) + end)));
    await turn();
    letGo();
    await Promise.all(all);
    expect(loads.map((load) => load.length)).toEqual([1, 1, 1, 1]);
  });

  it('are signed when they go, one load in a turn of the event loop', async () => {
    const { outgoing, loads, signed, letGo } = held();
    const all = Array.from({ length: 100 }, (_, number) => outgoing.send(message(String(number))));
    const perTurn: number[] = [];
    while (signed.length < 48) {
      const before = signed.length;
      await turn();
      perTurn.push(signed.length - before);
    }
    expect(Math.max(...perTurn)).toBe(16);
    await turn();
    // No more than three loads of a channel are under way.
    expect(signed).toHaveLength(48);
    letGo();
    await Promise.all(all);
    expect(loads.flat().map(({ signature }) => signature)).toEqual(
      Array.from({ length: 100 }, (_, number) => `signed ${number}`),
    );
  });

  it('are refused by themselves when they cannot be signed', async () => {
    const { outgoing, loads, letGo } = held((payload) => {
      if (payload === 'b') throw new RangeError('this one');
      return '0x';
    });
    letGo();
    const all = ['a', 'b', 'c'].map((payload) => outgoing.send(message(payload)));
    expect(await Promise.allSettled(all)).toEqual([
      { status: 'fulfilled', value: 'a' },
      { status: 'rejected', reason: new RangeError('this one') },
      { status: 'fulfilled', value: 'c' },
    ]);
    expect(loads.flat().map(({ payload }) => payload)).toEqual(['a', 'c']);
  });
});
