import type { BusMessage } from '@ssb/bus';
import { DeliveryTracker } from './delivery-tracker.js';

const rest = { topic: 't', payload: '', signature: '', sender: '', timestampNanos: '1' };
const messages = (fqcn: string, ...ids: string[]): BusMessage[] => ids.map((id) => ({ ...rest, fqcn, id }));

/** Delivers and says what is shown, and what the broker is told. */
function deliver(inHand: DeliveryTracker, fqcn: string, ...ids: string[]) {
  const { shown, had } = inHand.deliver(messages(fqcn, ...ids));
  return { shown: shown.map(({ id }) => id), had: Object.fromEntries(had) };
}

describe('what a reliable client has in hand', () => {
  it('is acknowledged once, by channel; what is not in hand is passed over', () => {
    const inHand = new DeliveryTracker(10, true);
    deliver(inHand, 'a', '1', '2');
    deliver(inHand, 'b', '3');
    expect(Object.fromEntries(inHand.acknowledge(['3', '1', 'x', '2']))).toEqual({
      a: ['1', '2'],
      b: ['3'],
    });
    expect(inHand.acknowledge(['1', '3']).size).toBe(0);
  });

  it('is shown again on a new connection unless it was acknowledged, which the broker then hears', () => {
    const inHand = new DeliveryTracker(10, true);
    deliver(inHand, 'a', '1', '2', '3');
    inHand.acknowledge(['2']);
    inHand.begin();
    // Acknowledged before the broker delivers it again.
    expect(inHand.acknowledge(['3']).size).toBe(0);
    expect(deliver(inHand, 'a', '1', '2', '3')).toEqual({ shown: ['1'], had: { a: ['2', '3'] } });
    expect(Object.fromEntries(inHand.acknowledge(['1']))).toEqual({ a: ['1'] });
  });

  it('is not remembered without end', () => {
    const inHand = new DeliveryTracker(1, true);
    for (const id of ['1', '2', '3', '4', '5']) {
      deliver(inHand, 'a', id);
      inHand.acknowledge([id]);
    }
    inHand.begin();
    expect(deliver(inHand, 'a', '1', '2', '3', '4', '5')).toEqual({
      shown: ['1'],
      had: { a: ['2', '3', '4', '5'] },
    });
  });
});

describe('what a plain client has in hand', () => {
  it('is not put on its socket a second time while it is on its way', () => {
    const inHand = new DeliveryTracker(10, false);
    deliver(inHand, 'a', '1', '2');
    inHand.begin();
    inHand.acknowledge(['1']);
    expect(deliver(inHand, 'a', '1', '2', '3')).toEqual({ shown: ['3'], had: { a: ['1'] } });
    expect(Object.fromEntries(inHand.acknowledge(['2', '3']))).toEqual({ a: ['2', '3'] });
  });
});
