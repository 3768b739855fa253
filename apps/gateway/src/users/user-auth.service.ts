import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import {
  Inject,
  Injectable,
  type OnApplicationShutdown,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import {
  ClientAddressReader,
  LOGGER,
  type Logger,
  type LoginVerdict,
  Metrics,
  RETRY_AFTER_MS,
  type SecretHash,
  SecretVerifier,
  SETTINGS,
  TokenBuckets,
  toNetwork,
} from '@ssb/platform';
import {
  missingRight,
  tooManyAttempts,
  unauthenticated,
  type GatewayException,
} from '../http/gateway-exception.js';
import type { Settings } from '../settings.js';
import type { Right } from './rights.js';
import { UserDirectory, type AuthenticatedUser, type User } from './user-directory.js';
import { METRICS } from '../metrics.js';

/** User name and password of a request, not verified yet. */
interface BasicCredentials {
  readonly username: string;
  readonly password: string;
}

/** A longer name is that of no user. */
const MAX_USER_NAME = /^.{0,128}$/su;

/** Failures of a network that are logged at once; then one a minute. */
const LOGGED_FAILURES = { capacity: 5, refillMs: 60_000 };

/** Parses an `Authorization` header (RFC 7617) in UTF-8; undefined for any other. The user name ends at the first colon. */
export function parseBasicCredentials(header: string | undefined): BasicCredentials | undefined {
  const encoded = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(header ?? '')?.[1];
  const bytes = Buffer.from(encoded ?? '', 'base64');
  // Decoding bytes that are not UTF-8 would make two passwords equal.
  if (!isUtf8(bytes)) return undefined;
  const text = bytes.toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 0 || !MAX_USER_NAME.test(text.slice(0, colon))) return undefined;
  return { username: text.slice(0, colon), password: text.slice(colon + 1) };
}

/** Why a request is refused; undefined when it is allowed. */
export type Refusal = GatewayException | undefined;

/** Authenticates users and checks their rights. A user with a verified password never waits, whatever other clients try. */
@Injectable()
export class UserAuthService implements OnModuleInit, OnModuleDestroy, OnApplicationShutdown {
  private readonly directory: UserDirectory;
  private readonly passwords: SecretVerifier;
  private readonly addresses: ClientAddressReader;
  private readonly refused;

  constructor(@Inject(SETTINGS) settings: Settings, @Inject(LOGGER) log: Logger, metrics: Metrics) {
    this.addresses = new ClientAddressReader(settings.TRUSTED_PROXIES);
    this.refused = metrics.counter(METRICS.loginsRefused);
    const hashes = metrics.counter(METRICS.passwordHashes);
    const logged = new TokenBuckets(LOGGED_FAILURES);
    this.passwords = new SecretVerifier({
      onHash: () => hashes.inc(),
      onWrong: (address) => {
        const network = toNetwork(address);
        if (logged.waitFor(network, performance.now()) > 0) return;
        logged.take(network, performance.now());
        log.warn({ address }, 'user authentication failed');
      },
    });
    const reloads = metrics.counter(METRICS.usersReloads);
    this.directory = new UserDirectory(settings, log, (outcome) => reloads.inc({ outcome }));
  }

  /** @throws Error when there are no users, or the settings contradict each other */
  onModuleInit(): Promise<void> {
    return this.directory.open();
  }

  /** Before the server closes, so that its shutdown does not wait for delayed responses. */
  onModuleDestroy(): void {
    this.passwords.close();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.directory.close();
  }

  /** Decides whether a request is allowed: synchronously for a verified password. */
  authorize(request: IncomingMessage, right: Right): Refusal | Promise<Refusal> {
    const given = parseBasicCredentials(request.headers.authorization);
    if (given === undefined) return unauthenticated();
    const { username: name, password: secret } = given;
    const user = this.directory.find(name);
    const address = this.addresses.read(request);
    const verdict = this.passwords.verify({ name, address, secret, hashes: getHashes(user) });
    return verdict instanceof Promise
      ? verdict.then((late) => this.decide(late, given, right))
      : this.decide(verdict, given, right);
  }

  /** The user of a request that was just allowed; undefined when the users have changed in between. */
  getUser(authorization: string | undefined): AuthenticatedUser | undefined {
    const given = parseBasicCredentials(authorization);
    return given && this.findVerified(given);
  }

  /** Whether a user that was allowed before is still allowed after a change of the users. */
  isStillAllowed(user: AuthenticatedUser, right: Right): boolean {
    return this.directory.isStillAllowed(user, right);
  }

  /** The listener is called after each change of the users. */
  onChange(listener: () => void): void {
    this.directory.onChange(listener);
  }

  private findVerified({ username, password }: BasicCredentials): AuthenticatedUser | undefined {
    const user = this.directory.find(username);
    const match = user?.passwords.find(({ hash }) => this.passwords.isKnown(password, [hash]));
    return user && match && { ...user, credential: match.credential };
  }

  private decide(verdict: LoginVerdict, given: BasicCredentials, right: Right): Refusal {
    if (verdict === 'busy') {
      this.refused.inc({ reason: 'busy' });
      return tooManyAttempts(RETRY_AFTER_MS);
    }
    // The users may have changed while the request waited.
    const user = verdict === 'right' ? this.findVerified(given) : undefined;
    if (user !== undefined) return user.rights.has(right) ? undefined : missingRight(right);
    this.refused.inc({ reason: 'wrong' });
    return unauthenticated();
  }
}

/** None for an unknown user. */
function getHashes(user: User | undefined): readonly SecretHash[] {
  return user === undefined ? [] : user.passwords.map(({ hash }) => hash);
}
