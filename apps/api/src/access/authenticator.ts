import { Injectable } from '@nestjs/common';
import { findAccessToken, isOwnToken, type AccessGrant } from '@ssb/keys';
import type { FastifyRequest } from 'fastify';
import { AccessFile } from './access-file.js';
import type { Caller } from './caller.js';
import { findCertificateEntry, readCertificate } from './client-certificates.js';
import { OpenIdConnect } from './openid-connect/openid-connect.js';

/** Why the right of a caller ends. `changed`: its entry was removed, or grants something else. */
export type RightEnd = 'expired' | 'changed';

/** Where a caller was found. */
interface Identity {
  /** The same for all requests with these credentials. */
  readonly key: string;
  /** What the credentials grant now, apart from their end; undefined when they grant nothing. */
  readonly currentGrant: () => AccessGrant | undefined;
}

interface Watch {
  readonly caller: Caller;
  readonly end: (reason: RightEnd) => void;
}

const BEARER = /^Bearer +(\S+) *$/i;

/**
 * Identifies callers by a token of the access file, an OpenID Connect access token, or a client certificate. A certificate counts only
 * without a header `Authorization`.
 */
@Injectable()
export class Authenticator {
  private readonly identities = new WeakMap<Caller, Identity>();
  private readonly watches = new Set<Watch>();

  constructor(
    private readonly file: AccessFile,
    private readonly openIdConnect: OpenIdConnect,
  ) {
    file.onChange(() => this.endChanged());
  }

  /**
   * Undefined without valid credentials.
   * @throws ProblemException 503 while the issuer of OpenID Connect tokens does not respond
   */
  async authenticate({ headers, raw }: FastifyRequest): Promise<Caller | undefined> {
    if (headers.authorization === undefined) return this.findByCertificate(raw);
    const [, token] = BEARER.exec(headers.authorization) ?? [];
    if (token === undefined) return undefined;
    return isOwnToken(token) ? this.findByToken(token) : this.findByClaims(token);
  }

  /** The same for all requests of a caller with the same credentials. */
  keyOf(caller: Caller): string {
    return this.identityOf(caller).key;
  }

  /**
   * Calls `onEnded` once, when the right of the caller ends: for responses that last.
   * @returns ends the watch
   */
  watch(caller: Caller, onEnded: (reason: RightEnd) => void): () => void {
    let timer: NodeJS.Timeout | undefined;
    const stop = (): void => {
      clearTimeout(timer);
      this.watches.delete(watch);
    };
    const watch: Watch = {
      caller,
      end: (reason) => {
        stop();
        onEnded(reason);
      },
    };
    const check = (): void => {
      const reason = this.findEnd(caller);
      if (reason !== undefined) return watch.end(reason);
      const restMs = (caller.expiresAt ?? Infinity) - Date.now();
      timer = setTimeout(check, Math.min(Math.max(1, restMs), MAX_TIMER_MS)).unref();
    };
    this.watches.add(watch);
    // The right may have ended since the caller was identified.
    timer = setTimeout(check, 0);
    return stop;
  }

  private findByToken(text: string): Caller | undefined {
    const entry = findAccessToken(this.file.current().tokens, text, Date.now());
    if (entry === undefined) return undefined;
    return this.remember(entry, Date.parse(entry.expiresAt), {
      key: `token ${entry.id}`,
      currentGrant: () =>
        this.file.current().tokens.find(({ id, hash, expiresAt }) => {
          const isSame = id === entry.id && hash.hash === entry.hash.hash;
          return isSame && expiresAt === entry.expiresAt;
        }),
    });
  }

  private async findByClaims(token: string): Promise<Caller | undefined> {
    const verified = await this.openIdConnect.verify(token);
    if (verified === undefined) return undefined;
    return this.remember(verified.grant, verified.expiresAt, {
      key: `subject ${verified.subject}`,
      currentGrant: () => this.openIdConnect.grantOf(verified),
    });
  }

  private findByCertificate(request: FastifyRequest['raw']): Caller | undefined {
    const certificate = readCertificate(request);
    if (certificate === undefined) return undefined;
    const find = () => findCertificateEntry(this.file.current().certificates, certificate, Date.now());
    const entry = find();
    if (entry === undefined) return undefined;
    const key = `certificate ${entry.subjectAltName}`;
    return this.remember(entry, Date.parse(certificate.validTo), { key, currentGrant: find });
  }

  private remember({ name, role, participants }: AccessGrant, expiresAt: number, identity: Identity): Caller {
    const caller = { name, role, participants, expiresAt };
    this.identities.set(caller, identity);
    return caller;
  }

  private identityOf(caller: Caller): Identity {
    const identity = this.identities.get(caller);
    if (identity === undefined) throw new TypeError('the caller was not identified here');
    return identity;
  }

  private findEnd(caller: Caller): RightEnd | undefined {
    if ((caller.expiresAt ?? Infinity) <= Date.now()) return 'expired';
    const grant = this.identityOf(caller).currentGrant();
    return grant !== undefined && isSameGrant(grant, caller) ? undefined : 'changed';
  }

  private endChanged(): void {
    for (const watch of this.watches) {
      const reason = this.findEnd(watch.caller);
      if (reason !== undefined) watch.end(reason);
    }
  }
}

/** The longest time that a timer of Node takes. */
const MAX_TIMER_MS = 2 ** 31 - 1;

function isSameGrant(one: AccessGrant, other: Caller): boolean {
  return one.name === other.name && one.role === other.role && toKey(one) === toKey(other);
}

const toKey = ({ participants }: Pick<Caller, 'participants'>): string =>
  JSON.stringify(participants === 'all' ? participants : participants.toSorted());
