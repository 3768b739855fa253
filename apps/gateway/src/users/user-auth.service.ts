import { isUtf8 } from 'node:buffer';
import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import {
  LoginThrottle,
  verifySecret,
  LOGGER,
  Metrics,
  TooManyTasksError,
  SETTINGS,
  VerifiedSecretCache,
  ConcurrencyLimiter,
  type Logger,
} from '@ssb/platform';
import {
  missingRight,
  tooManyAttempts,
  unauthenticated,
  type GatewayException,
} from '../http/gateway-exception.js';
import type { Settings } from '../settings.js';
import type { Right } from './rights.js';
import { UserDirectory, type User } from './user-directory.js';

/** Hashing one password takes about 50 ms of a core and 16 MB. */
const MAX_CONCURRENT_CHECKS = 2;
const MAX_QUEUED_CHECKS = 200;

/** User name and password of a request, not verified yet. */
interface BasicCredentials {
  readonly username: string;
  readonly password: string;
}

/** Parses an `Authorization` header (RFC 7617) in UTF-8; undefined for any other. The user name ends at the first colon. */
export function parseBasicCredentials(header: string | undefined): BasicCredentials | undefined {
  const encoded = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(header ?? '')?.[1];
  const bytes = Buffer.from(encoded ?? '', 'base64');
  // Decoding bytes that are not UTF-8 would make two passwords equal.
  if (!isUtf8(bytes)) return undefined;
  const text = bytes.toString('utf8');
  const colon = text.indexOf(':');
  return colon < 0 ? undefined : { username: text.slice(0, colon), password: text.slice(colon + 1) };
}

/** Why a request is refused; undefined when it is allowed. */
export type Refusal = GatewayException | undefined;

/**
 * Authenticates users and checks their rights. Only the first request of a user waits for the hash of its password.
 * Failures are counted by user name and address, and delay further attempts.
 */
@Injectable()
export class UserAuthService implements OnModuleInit, OnApplicationShutdown {
  private readonly directory: UserDirectory;
  private readonly guesses = new LoginThrottle();
  private readonly slots = new ConcurrencyLimiter(MAX_CONCURRENT_CHECKS, MAX_QUEUED_CHECKS);
  private readonly verified = new VerifiedSecretCache();
  private readonly refused;

  constructor(
    @Inject(SETTINGS) settings: Settings,
    @Inject(LOGGER) private readonly log: Logger,
    metrics: Metrics,
  ) {
    this.refused = metrics.counter({
      name: 'gateway_logins_refused_total',
      help: 'Requests with a wrong user name or password, and those refused because of earlier ones',
      labelNames: ['reason'],
    });
    const reloads = metrics.counter({
      name: 'gateway_users_reloads_total',
      help: 'Changes of USERS_FILE, by outcome: taken or refused',
      labelNames: ['outcome'],
    });
    this.directory = new UserDirectory(settings, log, (outcome) => reloads.inc({ outcome }));
  }

  /** @throws Error when there are no users, or the settings contradict each other */
  onModuleInit(): Promise<void> {
    return this.directory.open();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.directory.close();
  }

  /**
   * Decides whether a request is allowed: synchronously for a verified user, otherwise after hashing the password. Never rejects.
   * @param authorization the request's header
   * @param address of the peer
   */
  authorize(authorization: string | undefined, address: string, right: Right): Refusal | Promise<Refusal> {
    const given = parseBasicCredentials(authorization);
    if (given === undefined) return unauthenticated();
    const { username } = given;
    const ownPauseMs = this.guesses.clientPauseFor(username, address, Date.now());
    if (ownPauseMs > 0) return this.refuseDuringPause(ownPauseMs);
    const user = this.findVerified(given);
    // A verified user is not delayed by the failures of others at the same address, which may be a proxy.
    if (user !== undefined) return this.checkRight(user, address, right);
    const pauseMs = this.guesses.pauseFor(username, address, Date.now());
    if (pauseMs > 0) {
      // Counted, because a verified password gets another response, which would allow unlimited guesses during this pause.
      this.guesses.clientFailed(username, address, Date.now());
      return this.refuseDuringPause(pauseMs);
    }
    return this.slots
      .run(() => this.checkPassword(given, address, right))
      .catch((error: unknown) => {
        if (error instanceof TooManyTasksError) return tooManyAttempts(1_000);
        throw error;
      });
  }

  /** The user of a request that was just allowed; undefined when the users have changed in between. */
  getUser(authorization: string | undefined): User | undefined {
    const given = parseBasicCredentials(authorization);
    return given && this.findVerified(given);
  }

  /** Whether a user that was allowed before is still allowed after a change of the users. */
  isStillAllowed(user: User, right: Right): boolean {
    return this.directory.isStillAllowed(user, right);
  }

  /** The listener is called after each change of the users. */
  onChange(listener: () => void): void {
    this.directory.onChange(listener);
  }

  private findVerified({ username, password }: BasicCredentials): User | undefined {
    const user = this.directory.find(username);
    return user && this.verified.has(password, user.passwordHash.hash) ? user : undefined;
  }

  private async checkPassword(given: BasicCredentials, address: string, right: Right): Promise<Refusal> {
    // Checked again, because parallel requests may have failed or been verified while this one was queued.
    const pauseMs = this.guesses.pauseFor(given.username, address, Date.now());
    if (pauseMs > 0) return this.refuseDuringPause(pauseMs);
    const user = this.directory.find(given.username);
    const stored = this.directory.getHashToCheck(given.username);
    const isRight = this.findVerified(given) !== undefined || (await verifySecret(given.password, stored));
    if (isRight && user !== undefined) {
      this.verified.add(given.password, stored.hash);
      return this.checkRight(user, address, right);
    }
    this.guesses.failed(given.username, address, Date.now());
    this.refused.inc({ reason: 'wrong' });
    this.log.warn({ address }, 'user authentication failed');
    return unauthenticated();
  }

  private checkRight(user: User, address: string, right: Right): Refusal {
    this.guesses.succeeded(user.name, address);
    return user.rights.has(right) ? undefined : missingRight(right);
  }

  private refuseDuringPause(retryAfterMs: number): Refusal {
    this.refused.inc({ reason: 'paused' });
    return tooManyAttempts(retryAfterMs);
  }
}
