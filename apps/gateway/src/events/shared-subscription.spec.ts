import { beforeEach, describe, expect, it } from '@jest/globals';
import type { BusMessage } from '@ssb/bus';
import type { SubscriptionHandler } from '../broker/broker-stream.js';
import { SharedSubscription } from './shared-subscription.js';

/** The broker's side, by hand; the spec of sharing beside this one tries the whole with the real broker. */
let opened: { handler: SubscriptionHandler; ended: boolean }[];
let acknowledged: string[];
let ends: number;
let shared: SharedSubscription;

beforeEach(() => {
  opened = [];
  acknowledged = [];
  ends = 0;
  shared = new SharedSubscription(
    (handler) => {
      const each = { handler, ended: false };
      opened.push(each);
      return {
        acknowledge: (_fqcn, ids) => void acknowledged.push(...ids),
        end: () => (each.ended = true),
      };
    },
    2,
    () => (ends += 1),
  );
});

interface SharingMember {
  got: string[];
  told: string[];
  take: (id: string) => void;
  leave: () => void;
}

function member(): SharingMember {
  const got: string[] = [];
  const told: string[] = [];
  const subscription = shared.join({
    subscribed: () => told.push('subscribed'),
    messages: (messages) => got.push(...messages.map(({ id }) => id)),
    gap: ({ upTo }) => told.push(`gap up to ${upTo}`),
    refused: ({ code }) => told.push(code),
    closed: ({ code }) => told.push(code),
  });
  return { got, told, take: (id) => subscription.acknowledge('c', [id]), leave: () => subscription.end() };
}

function deliver(...ids: string[]): void {
  const rest = { fqcn: 'c', topic: 't', payload: '', signature: '', sender: '', timestampNanos: '1' };
  opened.at(-1)?.handler.messages(ids.map((id): BusMessage => ({ id, ...rest })));
}

describe('a subscription that several share', () => {
  it('acknowledges what all have taken', () => {
    const [one, two] = [member(), member()];
    deliver('1');
    one.take('1');
    one.take('1');
    expect(acknowledged).toEqual([]);
    two.take('1');
    expect(acknowledged).toEqual(['1']);
  });

  it('acknowledges what one has taken when the other goes', () => {
    const [one, two] = [member(), member()];
    deliver('1');
    one.take('1');
    two.leave();
    expect(acknowledged).toEqual(['1']);
    expect(opened).toHaveLength(1);
  });

  it('gets again what went to nobody, and gives nobody the rest twice', () => {
    const one = member();
    deliver('1', '2');
    one.take('1');
    const two = member();
    one.leave();
    expect(opened.map(({ ended }) => ended)).toEqual([true, false]);
    deliver('1', '2');
    expect(two.got).toEqual(['2']);
    expect(acknowledged).toEqual(['1', '1']);
  });

  it('lets go a member that fills the window while another has everything', () => {
    const [slow, quick] = [member(), member()];
    deliver('1', '2');
    quick.take('1');
    expect(slow.told).toEqual([]);
    quick.take('2');
    expect(slow.told).toEqual(['BUS::TOO_SLOW']);
    expect(acknowledged).toEqual(['1', '2']);
  });

  it('waits for a slow member that is alone', () => {
    const { told } = member();
    deliver('1', '2');
    expect([told, acknowledged]).toEqual([[], []]);
  });

  it('tells whoever joins later how it stands', async () => {
    const first = member();
    await Promise.resolve();
    const err = { code: 'BUS::FORBIDDEN_RESOURCE', reason: 'not enrolled' };
    opened[0]?.handler.refused(err);
    const second = member();
    await Promise.resolve();
    opened[0]?.handler.subscribed();
    const third = member();
    await Promise.resolve();
    expect([first.told, second.told, third.told]).toEqual([
      [err.code, 'subscribed'],
      [err.code, 'subscribed'],
      ['subscribed'],
    ]);
  });

  it('tells all of a gap', () => {
    const [one, two] = [member(), member()];
    opened[0]?.handler.gap({ fqcn: 'c', after: '1', upTo: '3' });
    expect([one.told, two.told]).toEqual([['gap up to 3'], ['gap up to 3']]);
  });

  it('ends with its last member, or when the broker ends it', () => {
    const [one, two] = [member(), member()];
    one.leave();
    expect([opened[0]?.ended, ends]).toEqual([false, 0]);
    two.leave();
    expect([opened[0]?.ended, ends]).toEqual([true, 1]);
  });

  it('tells all when the broker ends it', () => {
    const [one, two] = [member(), member()];
    opened[0]?.handler.closed({ code: 'BUS::SUPERSEDED', reason: 'another gateway' });
    expect([one.told, two.told, ends]).toEqual([['BUS::SUPERSEDED'], ['BUS::SUPERSEDED'], 1]);
  });
});
