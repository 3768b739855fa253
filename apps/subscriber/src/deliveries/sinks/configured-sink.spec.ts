import { describeOutcome } from '../domain/delivery-policy.js';
import { pendingDelivery } from '../../../test/support/pending-delivery.js';
import { ConfiguredSink } from './configured-sink.js';

const SECRET = 'https://hooks.example/secret';

it('a sink that throws is unreachable, and neither outcome nor log quotes the message of the error', async () => {
  const logged: unknown[] = [];
  const fail = (): never => {
    throw new RangeError(SECRET);
  };
  const sink = new ConfiguredSink(
    {
      name: 'a',
      deliver: fail,
      repeat: () => Promise.reject(new TypeError(SECRET)),
      close: () => Promise.resolve(),
    },
    {
      files: {
        firstReading: Promise.resolve(),
        isUsable: true,
        problems: [],
        close: () => Promise.resolve(),
      },
      timeoutMs: 1_000,
      log: { error: (fields: unknown, message?: unknown) => void logged.push([fields, message]) },
    },
  );
  const { signal } = new AbortController();
  const outcomes = [
    await sink.deliver(pendingDelivery(), signal),
    await sink.repeat([pendingDelivery()], signal),
  ];
  expect(outcomes.map(describeOutcome)).toEqual(['unreachable: RangeError', 'unreachable: TypeError']);
  expect(logged).toEqual(
    ['RangeError', 'TypeError'].map((reason) => [{ sink: 'a', reason }, 'sink failed unexpectedly']),
  );
});
