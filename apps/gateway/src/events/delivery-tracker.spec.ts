import type { Message } from '@ssb/bus';
import { DeliveryTracker } from './delivery-tracker.js';

const rest = { topic: 't', payload: '', signature: '', sender: '', timestampNanos: 1n };
const messages = (fqcn: string, ...ids: string[]): Message[] => ids.map((id) => ({ ...rest, fqcn, id }));

/** Delivers messages; returns the ids that are sent to the client, and those that are acknowledged to the broker. */
function deliver(tracker: DeliveryTracker, fqcn: string, ...ids: string[]) {
  const { toSend, toAcknowledge } = tracker.deliver(messages(fqcn, ...ids));
  return { toSend: toSend.map(({ id }) => id), toAcknowledge: Object.fromEntries(toAcknowledge) };
}

describe('of a reliable client a message', () => {
  it('is acknowledged once, by channel; unknown ids are ignored', () => {
    const tracker = new DeliveryTracker(10, true);
    deliver(tracker, 'a', '1', '2');
    deliver(tracker, 'b', '3');
    expect(Object.fromEntries(tracker.acknowledge(['3', '1', 'x', '2']))).toEqual({
      a: ['1', '2'],
      b: ['3'],
    });
    expect(tracker.acknowledge(['1', '3']).size).toBe(0);
  });

  it('is sent again on a new connection, or acknowledged to the broker if the client has acknowledged it', () => {
    const tracker = new DeliveryTracker(10, true);
    deliver(tracker, 'a', '1', '2', '3');
    tracker.acknowledge(['2']);
    tracker.begin();
    // Acknowledged before the broker delivers it again.
    expect(tracker.acknowledge(['3']).size).toBe(0);
    expect(deliver(tracker, 'a', '1', '2', '3')).toEqual({
      toSend: ['1'],
      toAcknowledge: { a: ['2', '3'] },
    });
    expect(Object.fromEntries(tracker.acknowledge(['1']))).toEqual({ a: ['1'] });
  });

  it('is remembered for four windows', () => {
    const tracker = new DeliveryTracker(1, true);
    for (const id of ['1', '2', '3', '4', '5']) {
      deliver(tracker, 'a', id);
      tracker.acknowledge([id]);
    }
    tracker.begin();
    expect(deliver(tracker, 'a', '1', '2', '3', '4', '5')).toEqual({
      toSend: ['1'],
      toAcknowledge: { a: ['2', '3', '4', '5'] },
    });
  });
});

describe('of a plain client a message', () => {
  it('is not sent again while its socket may still take it', () => {
    const tracker = new DeliveryTracker(10, false);
    deliver(tracker, 'a', '1', '2');
    tracker.begin();
    tracker.acknowledge(['1']);
    expect(deliver(tracker, 'a', '1', '2', '3')).toEqual({ toSend: ['3'], toAcknowledge: { a: ['1'] } });
    expect(Object.fromEntries(tracker.acknowledge(['2', '3']))).toEqual({ a: ['2', '3'] });
  });
});
