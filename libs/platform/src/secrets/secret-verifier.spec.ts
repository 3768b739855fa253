import { scryptSync } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { LOGIN_LIMITS } from './login-limits.js';
import { hashGeneratedSecret, type SecretHash } from './secret-hash.js';
import { SecretVerifier } from './secret-verifier.js';

const LIMITS = {
  ...LOGIN_LIMITS,
  slotBurst: 2,
  slotIntervalMs: 20,
  minFailureMs: 1,
  slowFailureMs: 5,
};

/** A hash of the lowest cost. */
function hashOf(secret: string): SecretHash {
  const parameters = { cost: 1_024, blockSize: 1, parallelization: 1 };
  const salt = Buffer.from(`a salt for the ${secret}`);
  const hash = scryptSync(secret, salt, 32, parameters).toString('base64');
  return { algorithm: 'scrypt', ...parameters, salt: salt.toString('base64'), hash };
}

const HASHES = [hashOf('right')];

/** Its number of hashes, and attempts as one user unless they name another. */
class Fixture {
  hashes = 0;
  readonly verifier: SecretVerifier;
  private readonly events = new EventEmitter();
  private flooding = true;
  private readonly loops: Promise<void>[] = [];

  constructor(limits: Partial<typeof LOGIN_LIMITS> = {}) {
    const onHash = (): void => {
      this.hashes += 1;
      this.events.emit('hash');
    };
    this.verifier = new SecretVerifier({ onHash }, { ...LIMITS, ...limits });
    opened.push(this);
  }

  verify(secret: string, address = '10.0.0.1', hashes: readonly SecretHash[] = HASHES, name = 'user') {
    return this.verifier.verify({ name, address, secret, hashes });
  }

  async waitForHashes(count: number): Promise<void> {
    while (this.hashes < count) await once(this.events, 'hash');
  }

  /** Guesses without a pause until the end of the test, each secret once. */
  flood(connections: number, addressOf: (connection: number) => string = () => '10.0.0.1'): void {
    for (let connection = 0; connection < connections; connection += 1) {
      this.loops.push(this.guess(connection, addressOf(connection)));
    }
  }

  private async guess(connection: number, address: string): Promise<void> {
    for (let n = 0; this.flooding; n += 1) {
      const verdict = await this.verify(`guess ${connection} ${n}`, address);
      if (verdict === 'right') throw new Error('a guess was accepted');
    }
  }

  async stop(): Promise<void> {
    this.flooding = false;
    this.verifier.close();
    await Promise.all(this.loops);
  }
}

const opened: Fixture[] = [];

afterEach(async () => {
  for (const each of opened.splice(0)) await each.stop();
});

/** Repeats the attempt as a client does. @returns the number of attempts */
async function repeatUntilRight(fixture: Fixture, address?: string): Promise<number> {
  for (let attempts = 1; ; attempts += 1) {
    const verdict = await fixture.verify('right', address);
    if (verdict === 'right') return attempts;
    expect(verdict).toBe('busy');
  }
}

describe('a right secret', () => {
  it('is accepted at once while its network sends guesses, if it was right there before', async () => {
    const fixture = new Fixture();
    expect(await fixture.verify('right')).toBe('right');
    fixture.flood(100);
    expect(await fixture.verify('one more guess')).not.toBe('right');
    expect(fixture.verify('right')).toBe('right');
  });

  it('is accepted at once in another network with many failures, and its hash is computed once', async () => {
    const fixture = new Fixture();
    await Promise.all(Array.from({ length: 50 }, async () => fixture.verify('right')));
    await Promise.all(Array.from({ length: 6 }, async (_, n) => fixture.verify(`guess ${n}`, '10.0.0.2')));
    expect(fixture.verify('right', '10.0.0.2')).toBe('right');
    expect(fixture.hashes).toBe(1);
  });

  it.each<[string, (connection: number) => string]>([
    ['forty other networks', (connection) => `10.0.9.${connection % 40}`],
    ['the same network', () => '10.0.0.1'],
  ])('that was never verified is accepted soon while guesses come from %s', async (_from, addressOf) => {
    const fixture = new Fixture();
    fixture.flood(60, addressOf);
    await fixture.waitForHashes(LIMITS.slotBurst + 2);
    const before = fixture.hashes;
    expect(await repeatUntilRight(fixture)).toBeLessThanOrEqual(3);
    // Forty networks have one slot each; repetition puts the right secret first in its own.
    expect(fixture.hashes - before).toBeLessThanOrEqual(45);
  });

  it('that was generated is accepted at once, with the first request and during a flood of repeated guesses', async () => {
    const fixture = new Fixture({ slotBurst: 1, slotIntervalMs: 3_600_000, maxWaitMs: 50 });
    const hashes = [hashGeneratedSecret('right'), ...HASHES];
    const floods = Array.from({ length: 400 }, async (_, n) =>
      fixture.verify(`guess ${n % 40}`, undefined, hashes),
    );
    expect(fixture.verify('right', undefined, hashes)).toBe('right');
    expect(await Promise.all(floods)).toContain('busy');
    expect(fixture.verify('right', undefined, hashes)).toBe('right');
  });

  it('is verified again after its hash has changed, and its predecessor is wrong', async () => {
    const fixture = new Fixture();
    expect(await fixture.verify('right')).toBe('right');
    const changed = [hashOf('the next')];
    expect(await fixture.verify('right', undefined, changed)).toBe('wrong');
    expect(await fixture.verify('the next', undefined, changed)).toBe('right');
    expect(fixture.hashes).toBe(3);
  });

  it('can be one of several', async () => {
    const fixture = new Fixture();
    const both = [...HASHES, hashOf('the next')];
    expect(await fixture.verify('the next', undefined, both)).toBe('right');
    expect(await fixture.verify('right', undefined, both)).toBe('right');
    expect([fixture.verify('right', undefined, both), fixture.verify('the next', undefined, both)]).toEqual([
      'right',
      'right',
    ]);
  });
});

describe('guesses', () => {
  it.each<[string, (connection: number) => string]>([
    ['one network', () => '10.0.0.1'],
    ['many networks', (connection) => `10.0.9.${connection}`],
  ])('from %s cost a bounded number of hashes', async (_from, addressOf) => {
    const fixture = new Fixture();
    const startedAt = performance.now();
    fixture.flood(60, addressOf);
    await fixture.waitForHashes(16);
    const slots = (performance.now() - startedAt) / LIMITS.slotIntervalMs;
    expect(fixture.hashes).toBeLessThanOrEqual(LIMITS.slotBurst + slots + 1);
  });

  it('cost no hash once the secret is known, or for an unknown user', async () => {
    const fixture = new Fixture();
    expect(await fixture.verify('right')).toBe('right');
    expect(await fixture.verify('a guess')).toBe('wrong');
    expect(await fixture.verify('a guess', undefined, [], 'unknown')).toBe('wrong');
    expect(fixture.hashes).toBe(1);
  });

  it('that are repeated cost one hash', async () => {
    const fixture = new Fixture();
    const verdicts = await Promise.all(Array.from({ length: 50 }, async () => fixture.verify('a guess')));
    expect([new Set(verdicts), fixture.hashes]).toEqual([new Set(['wrong']), 1]);
  });

  it('at one user do not delay another', async () => {
    const fixture = new Fixture({ slotBurst: 1, slotIntervalMs: 60_000 });
    fixture.flood(100);
    await fixture.waitForHashes(1);
    expect(await fixture.verify('right', undefined, HASHES, 'another')).toBe('right');
  });

  it('get a late verdict, and at once after the end', async () => {
    const fixture = new Fixture({ minFailureMs: 40, slowFailureMs: 3_600_000, freeFailures: 1 });
    const startedAt = performance.now();
    expect(await fixture.verify('a guess')).toBe('wrong');
    // A timer may fire a little early.
    expect(performance.now() - startedAt).toBeGreaterThan(30);
    const late = fixture.verify('a guess');
    fixture.verifier.close();
    expect(await late).toBe('wrong');
  });
});
