import { describe, expect, it } from '@jest/globals';
import type { PublishRequest } from '@ssb/bus';
import { OutgoingMessages } from './outgoing-messages.js';
import type { PostOutcome } from './message-post.js';

const NO_GAUGE = { inc: () => undefined, dec: () => undefined };

/** Notes what is posted, and answers once it is let go. */
function held() {
  const loads: (readonly PublishRequest[])[] = [];
  let letGo = (): void => undefined;
  const gate = new Promise<void>((resolve) => (letGo = resolve));
  const post = async (messages: readonly PublishRequest[]): Promise<readonly PostOutcome[]> => {
    loads.push(messages);
    await gate;
    return messages.map(({ payload }) => ({ status: 'fulfilled', value: payload }));
  };
  return { outgoing: new OutgoingMessages({ post }, 60_000, NO_GAUGE), loads, letGo: () => letGo() };
}

const message = (payload: string): PublishRequest => ({ fqcn: 'a', payload, signature: '0x' });

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
});
