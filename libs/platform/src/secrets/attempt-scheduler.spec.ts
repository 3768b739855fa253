import { AttemptScheduler } from './attempt-scheduler.js';
import { LOGIN_LIMITS } from './login-limits.js';

describe('AttemptScheduler', () => {
  it('uses more slots for a hash of a higher cost', async () => {
    const closed = new AbortController();
    const limits = { ...LOGIN_LIMITS, slotBurst: 2, slotIntervalMs: 3_600_000, maxWaitMs: 50 };
    const costly = { cost: 32_768, blockSize: 8, parallelization: 1, salt: '', hash: '' };
    const hashes = [{ algorithm: 'scrypt' as const, ...costly }];
    const checker = { check: async () => 'wrong' as const, getUncheckedHashes: () => hashes };
    const scheduler = new AttemptScheduler(limits, checker, closed.signal);
    const attempt = { name: 'user', address: '10.0.0.1', secret: 'a guess', hashes };
    expect(await scheduler.run('first', attempt)).toBe('wrong');
    // The first has used both slots, and the next one is free in an hour.
    expect(await scheduler.run('second', attempt)).toBe('busy');
    closed.abort();
  });
});
