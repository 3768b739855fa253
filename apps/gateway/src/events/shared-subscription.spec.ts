import type { Message } from '@ssb/bus';
import { waitFor } from '@ssb/testing/in-process';
import type { SubscriptionHandler } from '../broker/broker-subscription.js';
import { SharedSubscription } from './shared-subscription.js';

/** The broker's stream is a stub. `test/bus/events-sharing.suite.ts` uses the real broker. */
let upstream: { handler: SubscriptionHandler; ended: boolean }[];
let acknowledged: string[];
let ends: number;
let members: TestMember[];
let shared: SharedSubscription;

beforeEach(() => {
  upstream = [];
  acknowledged = [];
  ends = 0;
  members = [];
  const stream = {
    subscribe: (_options: object, handler: SubscriptionHandler) => {
      const subscription = { handler, ended: false };
      upstream.push(subscription);
      return {
        acknowledge: (_fqcn: string, ids: readonly string[]) => void acknowledged.push(...ids),
        end: () => void (subscription.ended = true),
      };
    },
  };
  const options = { clientId: 'websocket', fqcn: undefined, window: 2 };
  shared = new SharedSubscription(stream, options, () => (ends += 1), 20);
});

/** Ends what a test left, timers included. */
afterEach(() => members.forEach(({ leave }) => leave()));

interface TestMember {
  messages: string[];
  notifications: string[];
  take: (...ids: string[]) => void;
  leave: () => void;
}

/** A member that gets everything from now on. */
async function addMember(): Promise<TestMember> {
  const member = join();
  await Promise.resolve();
  return member;
}

function join(): TestMember {
  const messages: string[] = [];
  const notifications: string[] = [];
  const subscription = shared.join({
    onSubscribed: () => notifications.push('subscribed'),
    onMessages: (received) => messages.push(...received.map(({ id }) => id)),
    onGap: ({ upTo }) => notifications.push(`gap up to ${upTo}`),
    onRefused: ({ code }) => notifications.push(code),
    onClosed: ({ code }) => notifications.push(code),
  });
  const member = {
    messages,
    notifications,
    leave: () => subscription.end(),
    take: (...ids: string[]) => subscription.acknowledge('c', ids),
  };
  members.push(member);
  return member;
}

function deliver(...ids: string[]): void {
  const rest = { fqcn: 'c', topic: 't', payload: '', signature: '', sender: '', timestampNanos: 1n };
  upstream.at(-1)?.handler.onMessages(ids.map((id): Message => ({ id, ...rest })));
}

describe('a shared subscription', () => {
  it('acknowledges what all members have taken', async () => {
    const [one, two] = [await addMember(), await addMember()];
    deliver('1');
    one.take('1');
    one.take('1');
    expect(acknowledged).toEqual([]);
    two.take('1');
    expect(acknowledged).toEqual(['1']);
  });

  it('acknowledges what one member has taken when the other leaves', async () => {
    const [one, two] = [await addMember(), await addMember()];
    deliver('1');
    one.take('1');
    two.leave();
    expect(acknowledged).toEqual(['1']);
    expect(upstream).toHaveLength(1);
  });

  it('sends a new member what is outstanding, so that it loses nothing when others leave, in order', async () => {
    const one = await addMember();
    deliver('1');
    const two = await addMember();
    deliver('2', '3');
    two.take('2');
    one.leave();
    expect(acknowledged).toEqual(['2']);
    two.take('1', '3');
    expect(two.messages).toEqual(['1', '2', '3']);
    expect([acknowledged, upstream.length]).toEqual([['2', '1', '3'], 1]);
  });

  it('acknowledges a repeated message again and does not send it again', async () => {
    const one = await addMember();
    deliver('1', '2');
    one.take('1');
    upstream[0]?.handler.onSubscribed();
    deliver('1', '2');
    expect(one.messages).toEqual(['1', '2', '2']);
    expect(acknowledged).toEqual(['1', '1']);
  });

  it('closes a member that fills the window and takes nothing while another has taken everything', async () => {
    const [slow, quick] = [await addMember(), await addMember()];
    deliver('1', '2');
    quick.take('1', '2');
    expect(slow.notifications).toEqual([]);
    await waitFor('it is closed', () => slow.notifications.includes('BUS::TOO_SLOW'));
    expect([quick.notifications, acknowledged]).toEqual([[], ['1', '2']]);
  });

  it('keeps a member that takes what fills the window later than another', async () => {
    const [later, quick, slow] = [await addMember(), await addMember(), await addMember()];
    for (const ids of [
      ['1', '2'],
      ['3', '4'],
    ]) {
      deliver(...ids);
      quick.take(...ids);
      later.take(...ids);
      if (ids[0] === '1') slow.take(...ids);
    }
    await waitFor('the member that takes nothing is closed', () => slow.notifications.length > 0);
    expect([later.notifications, quick.notifications, acknowledged]).toEqual([[], [], ['1', '2', '3', '4']]);
  });

  it('reports the current state to a member that joins later', async () => {
    const first = await addMember();
    const err = { code: 'BUS::FORBIDDEN_RESOURCE', reason: 'not enrolled' };
    upstream[0]?.handler.onRefused(err);
    const second = await addMember();
    upstream[0]?.handler.onSubscribed();
    const third = await addMember();
    expect([first.notifications, second.notifications, third.notifications]).toEqual([
      [err.code, 'subscribed'],
      [err.code, 'subscribed'],
      ['subscribed'],
    ]);
  });

  it('ends when its last member leaves', async () => {
    const [one, two] = [await addMember(), await addMember()];
    one.leave();
    expect([upstream[0]?.ended, ends]).toEqual([false, 0]);
    two.leave();
    expect([upstream[0]?.ended, ends]).toEqual([true, 1]);
  });
});
