import { isUtf8 } from 'node:buffer';
import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import {
  GuessLimit,
  isSecret,
  LOGGER,
  Metrics,
  NoSlotError,
  SETTINGS,
  VerifiedSecrets,
  WorkSlots,
  type Logger,
} from '@ssb/platform';
import {
  lacksRight,
  tooManyAttempts,
  unauthenticated,
  type GatewayFailure,
} from '../http/gateway-exception.js';
import type { Right } from './rights.js';
import type { Settings } from '../settings.js';
import { UserDirectory, type User } from './user-directory.js';

/** Hashing one password takes some 50 ms of a core and 16 MB: this many at once, and this many in line. */
const CHECKS_AT_ONCE = 2;
const CHECKS_IN_LINE = 200;

/** A user name and password as a request gives them; nothing says yet that they are right. */
interface BasicCredentials {
  readonly username: string;
  readonly password: string;
}

/** Reads an `Authorization` header of RFC 7617, in UTF-8; undefined when it is none. The user name ends at the first colon. */
export function readBasicCredentials(header: string | undefined): BasicCredentials | undefined {
  const encoded = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(header ?? '')?.[1];
  const bytes = Buffer.from(encoded ?? '', 'base64');
  // Decoding what is no UTF-8 would make two passwords one.
  if (!isUtf8(bytes)) return undefined;
  const text = bytes.toString('utf8');
  const colon = text.indexOf(':');
  return colon < 0 ? undefined : { username: text.slice(0, colon), password: text.slice(colon + 1) };
}

/** What is wrong with a request's credentials; undefined when nothing is. */
export type Refusal = GatewayFailure | undefined;

/**
 * Who may use the gateway, and for what. A right password is remembered, so that only the first request of a user waits for its hash;
 * failures are counted for a user at an address, and slow down whoever guesses.
 */
@Injectable()
export class Users implements OnModuleInit, OnApplicationShutdown {
  private readonly directory: UserDirectory;
  private readonly guesses = new GuessLimit();
  private readonly slots = new WorkSlots(CHECKS_AT_ONCE, CHECKS_IN_LINE);
  private readonly verified = new VerifiedSecrets();
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

  /** @throws Error when nobody could use the gateway, or the settings contradict each other */
  onModuleInit(): Promise<void> {
    return this.directory.open();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.directory.close();
  }

  /**
   * Whether a request may do what it asks for; at once for a user that was here before, else when the hash is computed. Never rejects.
   * @param authorization the request's header
   * @param address of the peer
   */
  admit(authorization: string | undefined, address: string, right: Right): Refusal | Promise<Refusal> {
    const given = readBasicCredentials(authorization);
    if (given === undefined) return unauthenticated();
    const { username } = given;
    const ownPauseMs = this.guesses.ownPauseFor(username, address, Date.now());
    if (ownPauseMs > 0) return this.paused(ownPauseMs);
    const user = this.remembered(given);
    // Who is known goes on, whatever others at the same address, a proxy perhaps, do wrong.
    if (user !== undefined) return this.entitled(user, address, right);
    const pauseMs = this.guesses.pauseFor(username, address, Date.now());
    if (pauseMs > 0) {
      // Counted: else a guess would be told from the known password in this pause, as often as one likes.
      this.guesses.ownFailed(username, address, Date.now());
      return this.paused(pauseMs);
    }
    return this.slots
      .run(() => this.check(given, address, right))
      .catch((error: unknown) => {
        if (error instanceof NoSlotError) return tooManyAttempts(1_000);
        throw error;
      });
  }

  /** The user of a request that was just admitted; undefined when the users have changed since. */
  admitted(authorization: string | undefined): User | undefined {
    const given = readBasicCredentials(authorization);
    return given && this.remembered(given);
  }

  /** Whether a user that was admitted before would still be: the users may have changed. */
  stillMay(user: User, right: Right): boolean {
    return this.directory.stillMay(user, right);
  }

  /** Called when the users have changed. */
  onChange(listener: () => void): void {
    this.directory.onChange(listener);
  }

  private remembered({ username, password }: BasicCredentials): User | undefined {
    const user = this.directory.find(username);
    return user && this.verified.has(password, user.passwordHash.hash) ? user : undefined;
  }

  private async check(given: BasicCredentials, address: string, right: Right): Promise<Refusal> {
    // Looked at once more: what was sent in parallel may have failed, or been found right, while this one was in line.
    const pauseMs = this.guesses.pauseFor(given.username, address, Date.now());
    if (pauseMs > 0) return this.paused(pauseMs);
    const user = this.directory.find(given.username);
    const stored = this.directory.hashFor(given.username);
    const isRight = this.remembered(given) !== undefined || (await isSecret(given.password, stored));
    if (isRight && user !== undefined) {
      this.verified.remember(given.password, stored.hash);
      return this.entitled(user, address, right);
    }
    this.guesses.failed(given.username, address, Date.now());
    this.refused.inc({ reason: 'wrong' });
    this.log.warn({ address }, 'a wrong user name or password was given');
    return unauthenticated();
  }

  private entitled(user: User, address: string, right: Right): Refusal {
    this.guesses.succeeded(user.name, address);
    return user.rights.has(right) ? undefined : lacksRight(right);
  }

  private paused(retryAfterMs: number): Refusal {
    this.refused.inc({ reason: 'paused' });
    return tooManyAttempts(retryAfterMs);
  }
}
