import { waitFor } from '@ssb/testing';
import { ParkedRetries, type ParkedRetriesOptions } from './parked-retries.js';

it('a delivery that is accepted while the next retry is read brings the retry forward', async () => {
  let reads = 0;
  const parked = {
    takeDue: () => Promise.resolve(undefined),
    nextDueMs: () => {
      reads += 1;
      if (reads === 1) retries.noteAccepted();
      return Promise.resolve(600_000);
    },
  };
  const retries = new ParkedRetries({
    sink: { name: 'treasury' },
    term: { token: 1, isActive: () => true },
    parked,
    circuit: { acceptedMsAgo: undefined, isFailing: false },
    stopSignal: new AbortController().signal,
    onStorageFailure: () => undefined,
  } as unknown as ParkedRetriesOptions);
  retries.start();
  try {
    await waitFor('another read', () => reads === 2, 10_000);
  } finally {
    await retries.stop();
  }
});
