import { Inject, Injectable } from '@nestjs/common';
import { findAccessToken, isOwnToken, type AccessGrant, type AccessToken } from '@ssb/keys';
import { SETTINGS } from '@ssb/platform';
import type { FastifyRequest } from 'fastify';
import type { Settings } from '../settings.js';
import { AccessFile } from './access-file.js';
import type { Caller, Credentials } from './caller.js';
import { findCertificateEntry, readCertificate } from './client-certificates.js';
import { OpenIdConnect } from './openid-connect/openid-connect.js';
import { RightWatches, type Identity, type RightEnd } from './right-watches.js';
import { requireOwnOrigin, requireOwnSite } from './sessions/own-origin.js';
import { readCookie, SESSION_COOKIE } from './sessions/session-cookie.js';
import {
  identityOfToken,
  personOf,
  sessionGrant,
  type SessionConditions,
  type SessionIdentity,
} from './sessions/session-identity.js';
import { Sessions } from './sessions/sessions.js';

const BEARER = /^Bearer +(\S+) *$/i;

/**
 * Identifies callers by the first that a request has: the header `Authorization`, with a token of the access file or an OpenID Connect
 * access token; the cookie of a session; a client certificate. Wrong credentials never fall back to the next.
 */
@Injectable()
export class Authenticator {
  private readonly identities = new WeakMap<Caller, Identity>();
  private readonly watches: RightWatches;
  private readonly conditions: SessionConditions;

  constructor(
    private readonly file: AccessFile,
    private readonly openIdConnect: OpenIdConnect,
    private readonly sessions: Sessions,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {
    this.conditions = {
      clientId: settings.OPENID_CONNECT_CLIENT_ID,
      hasLinks: settings.SIGN_IN_LINK_FILE !== undefined,
    };
    this.watches = new RightWatches(file, sessions);
  }

  /**
   * Undefined without valid credentials.
   * @throws ProblemException 403 for a request of another origin with a session or a certificate, 503 while the issuer of OpenID Connect
   *   tokens or the database does not respond
   */
  async authenticate(request: FastifyRequest): Promise<Caller | undefined> {
    const { authorization, cookie } = request.headers;
    if (authorization !== undefined) {
      const [, token] = BEARER.exec(authorization) ?? [];
      if (token === undefined) return undefined;
      return isOwnToken(token) ? this.findByToken(token) : this.findByClaims(token);
    }
    const sessionId = readCookie(cookie, SESSION_COOKIE);
    if (sessionId === undefined) return this.findByCertificate(request);
    requireOwnOrigin(request, this.settings.CONSOLE_URL);
    return this.findBySession(sessionId);
  }

  /** The key of a caller whose session was valid here, without a look at the database. */
  knownKeyOf({ headers }: FastifyRequest): string | undefined {
    if (headers.authorization !== undefined) return undefined;
    const sessionId = readCookie(headers.cookie, SESSION_COOKIE);
    return sessionId === undefined ? undefined : this.sessions.knownPersonOf(sessionId);
  }

  /** The name of the person of a session; undefined when the access file no longer grants anything. */
  nameOf(identity: SessionIdentity): string | undefined {
    return sessionGrant(identity, this.file.current(), this.conditions)?.name;
  }

  /** The entry of an access token. Undefined for a token that is not valid, and for one of the issuer. */
  findTokenEntry(authorization: string | undefined): AccessToken | undefined {
    const [, token = ''] = BEARER.exec(authorization ?? '') ?? [];
    return findAccessToken(this.file.current().tokens, token, Date.now());
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
    return this.watches.add(caller, this.identityOf(caller), onEnded);
  }

  private findByToken(text: string): Caller | undefined {
    const entry = findAccessToken(this.file.current().tokens, text, Date.now());
    if (entry === undefined) return undefined;
    const identity = identityOfToken(entry);
    return this.remember(entry, Date.parse(entry.expiresAt), 'token', {
      key: personOf(identity),
      currentGrant: () => sessionGrant(identity, this.file.current(), this.conditions),
    });
  }

  /** Undefined for a session that has ended. */
  private async findBySession(sessionId: string): Promise<Caller | undefined> {
    const session = await this.sessions.find(sessionId);
    if (session === undefined) return undefined;
    const { identity, expiresAt } = session;
    const currentGrant = () => sessionGrant(identity, this.file.current(), this.conditions);
    const grant = currentGrant();
    if (grant === undefined) return undefined;
    return this.remember(grant, expiresAt, 'session', { key: personOf(identity), currentGrant, sessionId });
  }

  private async findByClaims(token: string): Promise<Caller | undefined> {
    const verified = await this.openIdConnect.verify(token);
    if (verified === undefined) return undefined;
    return this.remember(verified.grant, verified.expiresAt, 'token', {
      key: `subject ${verified.subject}`,
      currentGrant: () => this.openIdConnect.grantOf(verified),
    });
  }

  private findByCertificate(request: FastifyRequest): Caller | undefined {
    const certificate = readCertificate(request.raw);
    if (certificate === undefined) return undefined;
    // A browser sends the certificate with the requests of every page.
    requireOwnSite(request);
    const find = () => findCertificateEntry(this.file.current().certificates, certificate, Date.now());
    const entry = find();
    if (entry === undefined) return undefined;
    const key = `certificate ${entry.subjectAltName}`;
    return this.remember(entry, Date.parse(certificate.validTo), 'certificate', { key, currentGrant: find });
  }

  private remember(
    { name, role, participants }: AccessGrant,
    expiresAt: number,
    credentials: Credentials,
    identity: Identity,
  ): Caller {
    const caller: Caller = { name, role, participants, expiresAt, credentials };
    this.identities.set(caller, identity);
    return caller;
  }

  private identityOf(caller: Caller): Identity {
    const identity = this.identities.get(caller);
    if (identity === undefined) throw new TypeError('the caller was not identified here');
    return identity;
  }
}
