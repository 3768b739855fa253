import type { Message } from '@ssb/bus';
import { ClientDeliveries } from './client-deliveries.js';

const rest = { topic: 't', payload: '', signature: '', sender: '', timestampNanos: 1n };
const messages = (fqcn: string, ...ids: string[]): Message[] => ids.map((id) => ({ ...rest, fqcn, id }));

/** @returns the ids that are sent to the client, and those that are acknowledged to the broker */
function track(deliveries: ClientDeliveries, fqcn: string, ...ids: string[]) {
  const { toSend, toAcknowledge } = deliveries.track(messages(fqcn, ...ids));
  return { toSend: toSend.map(({ id }) => id), toAcknowledge: Object.fromEntries(toAcknowledge) };
}

describe('with acknowledged delivery a message', () => {
  it('is acknowledged once, by channel; unknown ids are ignored', () => {
    const deliveries = new ClientDeliveries(10, true);
    track(deliveries, 'a', '1', '2');
    track(deliveries, 'b', '3');
    expect(Object.fromEntries(deliveries.acknowledge(['3', '1', 'x', '2']))).toEqual({
      a: ['1', '2'],
      b: ['3'],
    });
    expect(deliveries.acknowledge(['1', '3']).size).toBe(0);
  });

  it('is sent again on a new connection, or acknowledged to the broker if the client has acknowledged it', () => {
    const deliveries = new ClientDeliveries(10, true);
    track(deliveries, 'a', '1', '2', '3');
    deliveries.acknowledge(['2']);
    deliveries.begin();
    // The client acknowledges it before the broker delivers it again.
    expect(deliveries.acknowledge(['3']).size).toBe(0);
    expect(track(deliveries, 'a', '1', '2', '3')).toEqual({
      toSend: ['1'],
      toAcknowledge: { a: ['2', '3'] },
    });
    expect(Object.fromEntries(deliveries.acknowledge(['1']))).toEqual({ a: ['1'] });
  });

  it('is remembered for four windows', () => {
    const deliveries = new ClientDeliveries(1, true);
    for (const id of ['1', '2', '3', '4', '5']) {
      track(deliveries, 'a', id);
      deliveries.acknowledge([id]);
    }
    deliveries.begin();
    expect(track(deliveries, 'a', '1', '2', '3', '4', '5')).toEqual({
      toSend: ['1'],
      toAcknowledge: { a: ['2', '3', '4', '5'] },
    });
  });
});

describe('with automatic acknowledgement a message', () => {
  it('is not sent again while its socket may still take it', () => {
    const deliveries = new ClientDeliveries(10, false);
    track(deliveries, 'a', '1', '2');
    deliveries.begin();
    deliveries.acknowledge(['1']);
    expect(track(deliveries, 'a', '1', '2', '3')).toEqual({ toSend: ['3'], toAcknowledge: { a: ['1'] } });
    expect(Object.fromEntries(deliveries.acknowledge(['2', '3']))).toEqual({ a: ['2', '3'] });
  });
});
