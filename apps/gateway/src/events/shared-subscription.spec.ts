import type { BusMessage } from '@ssb/bus';
import type { SubscriptionHandler } from '../broker/broker-stream.js';
import { waitFor } from '@ssb/testing';
import { SharedSubscription } from './shared-subscription.js';

/** The broker's side, by hand; the spec of sharing beside this one tries the whole with the real broker. */
let opened: { handler: SubscriptionHandler; ended: boolean }[];
let acknowledged: string[];
let ends: number;
let members: SharingMember[];
let shared: SharedSubscription;

beforeEach(() => {
  opened = [];
  acknowledged = [];
  ends = 0;
  members = [];
  shared = new SharedSubscription({
    open: (handler) => {
      const each = { handler, ended: false };
      opened.push(each);
      return {
        acknowledge: (_fqcn, ids) => void acknowledged.push(...ids),
        end: () => (each.ended = true),
      };
    },
    window: 2,
    patienceMs: 20,
    onEnd: () => (ends += 1),
  });
});

/** Ends what a test left, timers too. */
afterEach(() => members.forEach(({ leave }) => leave()));

interface SharingMember {
  got: string[];
  told: string[];
  take: (...ids: string[]) => void;
  leave: () => void;
}

/** One that is sent everything from now on. */
async function member(): Promise<SharingMember> {
  const joined = join();
  await Promise.resolve();
  return joined;
}

function join(): SharingMember {
  const got: string[] = [];
  const told: string[] = [];
  const subscription = shared.join({
    subscribed: () => told.push('subscribed'),
    messages: (messages) => got.push(...messages.map(({ id }) => id)),
    gap: ({ upTo }) => told.push(`gap up to ${upTo}`),
    refused: ({ code }) => told.push(code),
    closed: ({ code }) => told.push(code),
  });
  const joined = {
    ...{ got, told, leave: () => subscription.end() },
    take: (...ids: string[]) => subscription.acknowledge('c', ids),
  };
  members.push(joined);
  return joined;
}

function deliver(...ids: string[]): void {
  const rest = { fqcn: 'c', topic: 't', payload: '', signature: '', sender: '', timestampNanos: '1' };
  opened.at(-1)?.handler.messages(ids.map((id): BusMessage => ({ id, ...rest })));
}

describe('a subscription that several share', () => {
  it('acknowledges what all have taken', async () => {
    const [one, two] = [await member(), await member()];
    deliver('1');
    one.take('1');
    one.take('1');
    expect(acknowledged).toEqual([]);
    two.take('1');
    expect(acknowledged).toEqual(['1']);
  });

  it('acknowledges what one has taken when the other goes', async () => {
    const [one, two] = [await member(), await member()];
    deliver('1');
    one.take('1');
    two.leave();
    expect(acknowledged).toEqual(['1']);
    expect(opened).toHaveLength(1);
  });

  it('shows whoever joins what is under way, so that it loses nothing when the others go, and keeps the order', async () => {
    const one = await member();
    deliver('1');
    const two = await member();
    deliver('2', '3');
    two.take('2');
    one.leave();
    expect(acknowledged).toEqual(['2']);
    two.take('1', '3');
    expect(two.got).toEqual(['1', '2', '3']);
    expect([acknowledged, opened.length]).toEqual([['2', '1', '3'], 1]);
  });

  it('shows one that joins at the moment when the only other goes what nobody has taken', async () => {
    const one = await member();
    deliver('1');
    const two = join();
    one.leave();
    deliver('2');
    await Promise.resolve();
    expect(two.got).toEqual(['1', '2']);
    two.take('1', '2');
    expect(acknowledged).toEqual(['1', '2']);
  });

  it('shows nobody again what all had, and acknowledges it again', async () => {
    const one = await member();
    deliver('1', '2');
    one.take('1');
    opened[0]?.handler.subscribed();
    deliver('1', '2');
    expect(one.got).toEqual(['1', '2', '2']);
    expect(acknowledged).toEqual(['1', '1']);
  });

  it('lets go a member that fills the window and takes nothing while another has everything', async () => {
    const [slow, quick] = [await member(), await member()];
    deliver('1', '2');
    quick.take('1', '2');
    expect(slow.told).toEqual([]);
    await waitFor('it is let go', () => slow.told.includes('BUS::TOO_SLOW'));
    expect([quick.told, acknowledged]).toEqual([[], ['1', '2']]);
  });

  it('keeps one that takes what fills the window later than another', async () => {
    const [later, quick, slow] = [await member(), await member(), await member()];
    for (const ids of [
      ['1', '2'],
      ['3', '4'],
    ]) {
      deliver(...ids);
      quick.take(...ids);
      later.take(...ids);
      if (ids[0] === '1') slow.take(...ids);
    }
    await waitFor('who takes nothing is let go', () => slow.told.length > 0);
    expect([later.told, quick.told, acknowledged]).toEqual([[], [], ['1', '2', '3', '4']]);
  });

  it('waits for a slow member that is alone', async () => {
    const { told } = await member();
    deliver('1', '2');
    expect([told, acknowledged]).toEqual([[], []]);
  });

  it('tells whoever joins later how it stands', async () => {
    const first = await member();
    const err = { code: 'BUS::FORBIDDEN_RESOURCE', reason: 'not enrolled' };
    opened[0]?.handler.refused(err);
    const second = await member();
    opened[0]?.handler.subscribed();
    const third = await member();
    expect([first.told, second.told, third.told]).toEqual([
      [err.code, 'subscribed'],
      [err.code, 'subscribed'],
      ['subscribed'],
    ]);
  });

  it('tells all of a gap', async () => {
    const [one, two] = [await member(), await member()];
    opened[0]?.handler.gap({ fqcn: 'c', after: '1', upTo: '3' });
    expect([one.told, two.told]).toEqual([['gap up to 3'], ['gap up to 3']]);
  });

  it('ends with its last member, or when the broker ends it', async () => {
    const [one, two] = [await member(), await member()];
    one.leave();
    expect([opened[0]?.ended, ends]).toEqual([false, 0]);
    two.leave();
    expect([opened[0]?.ended, ends]).toEqual([true, 1]);
  });

  it('tells all when the broker ends it', async () => {
    const [one, two] = [await member(), await member()];
    opened[0]?.handler.closed({ code: 'BUS::SUPERSEDED', reason: 'another gateway' });
    expect([one.told, two.told, ends]).toEqual([['BUS::SUPERSEDED'], ['BUS::SUPERSEDED'], 1]);
  });
});
