import { Inject, Injectable } from '@nestjs/common';
import { ClientAddressReader, SETTINGS, TokenBuckets, toNetwork } from '@ssb/platform';
import type { FastifyRequest } from 'fastify';
import { TooManyRequestsError } from '../access/caller-limits.js';
import { MAX_SESSIONS_OF_PERSON } from '../access/sessions/insert-session.js';
import type { Settings } from '../settings.js';

/** Starts and returns of sign-ins at the issuer, for each address: twenty at once, then four a second. */
const OF_ADDRESS = { capacity: 20, refillMs: 250 };
/** Sessions of one person: as many as it can have, then ten a minute. */
const OF_PERSON = { capacity: MAX_SESSIONS_OF_PERSON, refillMs: 6_000 };

/** Limits sign-ins, so that nobody can keep the issuer or the database from others. */
@Injectable()
export class SignInLimits {
  private readonly addresses: ClientAddressReader;
  private readonly ofAddress = new TokenBuckets(OF_ADDRESS);
  private readonly ofPerson = new TokenBuckets(OF_PERSON);

  constructor(@Inject(SETTINGS) settings: Settings) {
    this.addresses = new ClientAddressReader(settings.TRUSTED_PROXIES);
  }

  /** @throws TooManyRequestsError */
  takeAddress(request: FastifyRequest): void {
    take(this.ofAddress, toNetwork(this.addresses.read(request.raw)));
  }

  /** @throws TooManyRequestsError */
  takePerson(person: string): void {
    take(this.ofPerson, person);
  }
}

function take(buckets: TokenBuckets, name: string): void {
  const now = performance.now();
  const waitMs = buckets.waitFor(name, now);
  if (waitMs > 0)
    throw new TooManyRequestsError('Too many sign-ins in a short time: wait, then sign in again.', waitMs);
  buckets.take(name, now);
}
