import { Inject, Injectable } from '@nestjs/common';
import type { OpenIdConnectAccess } from '@ssb/keys';
import type { ClientConnection } from '@ssb/net';
import { readConfiguredFile, SETTINGS } from '@ssb/platform';
import * as client from 'openid-client';
import { AccessFile } from '../access/access-file.js';
import { isIssuerAddress, requestIssuer } from '../access/openid-connect/issuer-request.js';
import { ISSUER_CONNECTION } from '../access/openid-connect/openid-connect.js';
import { BoundedQueue } from '../access/sessions/bounded-queue.js';
import type { Settings } from '../settings.js';
import type { OneTimeValues } from './sign-in-cookie.js';
import { SignInError, toSignInError } from './sign-in-error.js';

/** How long the metadata of the issuer and the secret of the client are used. */
const MAX_AGE_MS = 5 * 60_000;
/** How long a failed request for the metadata is not repeated. */
const FAILURE_AGE_MS = 5_000;
const CLOCK_TOLERANCE_SECONDS = 5;
const TIMEOUT_SECONDS = 5;
/** Codes that are exchanged at once. Anyone can send a code. */
const EXCHANGES = { running: 20, waiting: 20 };

/** What the client of the console needs. */
interface ClientSettings {
  readonly access: OpenIdConnectAccess;
  readonly clientId: string;
  readonly consoleUrl: string;
}

interface Known {
  readonly issuer: string;
  usedUntil: number;
  readonly configuration: Promise<client.Configuration>;
}

/** The OpenID Connect client of the console: authorisation code with PKCE. */
@Injectable()
export class IssuerClient {
  private known: Known | undefined;
  private readonly exchanges = new BoundedQueue(
    EXCHANGES,
    () => new SignInError('too-many', 'too many sign-ins at once'),
  );

  constructor(
    private readonly file: AccessFile,
    @Inject(ISSUER_CONNECTION) private readonly connection: ClientConnection,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** Undefined when people cannot sign in at an issuer. */
  get clientSettings(): ClientSettings | undefined {
    const { OPENID_CONNECT_CLIENT_ID: clientId, CONSOLE_URL: consoleUrl } = this.settings;
    const { openIdConnect: access } = this.file.current();
    if (access === undefined || clientId === undefined || consoleUrl === undefined) return undefined;
    return { access, clientId, consoleUrl };
  }

  /** The address at the issuer where the person signs in. @throws SignInError */
  async authorizationUrl(
    used: ClientSettings,
    { state, nonce, codeVerifier }: OneTimeValues,
  ): Promise<string> {
    const configuration = await this.discover(used);
    const { href } = client.buildAuthorizationUrl(configuration, {
      redirect_uri: callbackOf(used).href,
      scope: this.settings.OPENID_CONNECT_SCOPES,
      state,
      nonce,
      code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
    });
    if (isIssuerAddress(href)) return href;
    throw new SignInError(
      'unavailable',
      'the metadata of the issuer has no authorization_endpoint with https://',
    );
  }

  /**
   * The claims of the ID token that the issuer sends for the code.
   * @param search of the callback
   * @throws SignInError
   */
  async exchange(used: ClientSettings, search: string, values: OneTimeValues): Promise<client.IDToken> {
    try {
      return await this.exchanges.run(() => this.requestToken(used, search, values));
    } catch (error) {
      throw toSignInError(error);
    }
  }

  private async requestToken(
    used: ClientSettings,
    search: string,
    { state, nonce, codeVerifier }: OneTimeValues,
  ): Promise<client.IDToken> {
    const configuration = await this.discover(used);
    // The library sends the address without its parameters as redirect_uri.
    const callback = Object.assign(callbackOf(used), { search });
    const tokens = await client.authorizationCodeGrant(configuration, callback, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: codeVerifier,
    });
    const claims = tokens.claims();
    if (claims === undefined) throw new SignInError('refused', 'the issuer sends no ID token');
    return claims;
  }

  private async discover(used: ClientSettings): Promise<client.Configuration> {
    const { issuer } = used.access;
    const now = performance.now();
    if (this.known?.issuer !== issuer || now > this.known.usedUntil)
      this.known = { issuer, usedUntil: now + MAX_AGE_MS, configuration: this.readConfiguration(used) };
    const { known } = this;
    try {
      return await known.configuration;
    } catch (error) {
      known.usedUntil = Math.min(known.usedUntil, performance.now() + FAILURE_AGE_MS);
      throw new SignInError('unavailable', toSignInError(error).message, error);
    }
  }

  private async readConfiguration({ access, clientId }: ClientSettings): Promise<client.Configuration> {
    const { OPENID_CONNECT_CLIENT_SECRET_FILE: path } = this.settings;
    const secret = path === undefined ? undefined : (await readConfiguredFile(path)).toString('utf8').trim();
    const configuration = await client.discovery(
      new URL(access.issuer),
      clientId,
      { [client.clockTolerance]: CLOCK_TOLERANCE_SECONDS },
      authenticateWith(secret),
      {
        [client.customFetch]: issuerFetch(this.connection),
        timeout: TIMEOUT_SECONDS,
        execute: [
          client.enableNonRepudiationChecks,
          // The access file allows http:// on loopback only.
          ...(access.issuer.startsWith('http:') ? [client.allowInsecureRequests] : []),
        ],
      },
    );
    // The library accepts another issuer from some providers.
    if (configuration.serverMetadata().issuer !== access.issuer)
      throw new Error('its metadata names another issuer');
    return configuration;
  }
}

/** Never of the request, whose address is that of any client. */
const callbackOf = ({ consoleUrl }: ClientSettings): URL => new URL('/sign-in/callback', consoleUrl);

/** In the header where the issuer allows it, which it does by default (RFC 8414 §2). */
function authenticateWith(secret: string | undefined): client.ClientAuth {
  if (secret === undefined) return client.None();
  return (server, metadata, body, headers) => {
    const { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] } = server;
    const authenticate = methods.includes('client_secret_basic')
      ? client.ClientSecretBasic(secret)
      : client.ClientSecretPost(secret);
    authenticate(server, metadata, body, headers);
  };
}

const NO_BODY = [204, 205, 304];

function issuerFetch(connection: ClientConnection): client.CustomFetch {
  return async (url, { method, headers, body }) => {
    if (!isIssuerAddress(url))
      throw new SignInError('unavailable', 'an address of the issuer has no https://');
    const response = await requestIssuer(new URL(url), connection, {
      method: method === 'POST' ? 'POST' : 'GET',
      headers,
      ...(body instanceof URLSearchParams && { body: body.toString() }),
    });
    const { status, mediaType } = response;
    return new Response(NO_BODY.includes(status) ? null : response.body, {
      status,
      ...(mediaType !== undefined && { headers: { 'content-type': mediaType } }),
    });
  };
}
