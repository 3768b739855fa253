import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { exportJWK, generateKeyPair } from 'jose';
import Provider, { type Context } from 'oidc-provider';

/** The names that can be typed at the login page, with their claims. `guest` has no role. */
const ACCOUNTS = {
  olivia: { roles: ['bridge-operator'], participants: ['all'] },
  victor: { roles: ['bridge-viewer'], participants: ['all'] },
  wendy: { roles: ['bridge-operator'], participants: ['WPGENCO'] },
  guest: { roles: [], participants: ['all'] },
} as const;
export type OpenIdAccount = keyof typeof ACCOUNTS;

const CLIENT_ID = 'console';

/** A real OpenID Connect provider on loopback, with a login page of one field. */
export interface OpenIdProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** `openIdConnect` of API_ACCESS_FILE. */
  readonly access: Readonly<Record<string, unknown>>;
  /** Requests for tokens so far. */
  countTokenRequests(): number;
  stop(): Promise<void>;
}

/** @param redirectUri CONSOLE_URL and /sign-in/callback */
export async function startOpenIdProvider(redirectUri: string): Promise<OpenIdProvider> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const clientSecret = randomBytes(32).toString('base64url');
  const provider = new Provider(issuer, await createConfiguration(redirectUri, clientSecret));
  const respond = provider.callback();
  let tokenRequests = 0;
  server.on('request', (request, response) => {
    if (request.url?.startsWith('/token') === true) tokenRequests += 1;
    if (request.url?.startsWith('/login/') === true)
      void showLogin(provider, request, response).catch((error: Error) =>
        response.writeHead(500).end(error.message),
      );
    else respond(request, response);
  });
  return {
    issuer,
    clientId: CLIENT_ID,
    clientSecret,
    access: {
      issuer,
      audience: 'archive-api',
      roleClaim: 'roles',
      viewerValues: ['bridge-viewer'],
      operatorValues: ['bridge-operator'],
      participantsClaim: 'participants',
      allParticipantsValue: 'all',
    },
    countTokenRequests: () => tokenRequests,
    stop: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function createConfiguration(redirectUri: string, clientSecret: string): Promise<object> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const seconds = 600;
  return {
    clients: [{ client_id: CLIENT_ID, client_secret: clientSecret, redirect_uris: [redirectUri] }],
    jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: 'RS256', kid: 'test', use: 'sig' }] },
    cookies: { keys: [randomBytes(32).toString('hex')] },
    // The roles are in the ID token, as most issuers can be told to do.
    conformIdTokenClaims: false,
    claims: { openid: ['sub', 'roles', 'participants'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/login/${uid}` },
    findAccount: (_: unknown, accountId: string) => ({
      accountId,
      claims: () => ({ sub: accountId, ...ACCOUNTS[accountId as OpenIdAccount] }),
    }),
    // Nobody is asked for a consent.
    loadExistingGrant: async ({ oidc }: Context): Promise<object> => {
      const { client, session } = oidc;
      const grant = new oidc.provider.Grant({ clientId: client.clientId, accountId: session.accountId });
      grant.addOIDCScope('openid');
      await grant.save();
      return grant;
    },
    renderError: (context: Context, { error, error_description }: Record<string, string>) => {
      context.type = 'text/plain';
      context.body = `${error}: ${error_description}`;
    },
    ttl: {
      AccessToken: seconds,
      AuthorizationCode: 60,
      Grant: seconds,
      IdToken: seconds,
      Interaction: seconds,
      Session: seconds,
    },
  };
}

const LOGIN_PAGE = `<!doctype html><html lang="en"><title>Login</title>
<form method="post">
<label>Name <input name="login" autofocus></label>
<button name="action" value="login">Log in</button>
<button name="action" value="cancel">Cancel</button>
</form></html>`;

async function showLogin(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method !== 'POST') {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(LOGIN_PAGE);
    return;
  }
  const form = new URLSearchParams(await text(request));
  const login = form.get('login') ?? '';
  const isKnown = form.get('action') !== 'cancel' && login in ACCOUNTS;
  await provider.interactionFinished(
    request,
    response,
    isKnown
      ? { login: { accountId: login } }
      : { error: 'access_denied', error_description: 'The person has cancelled the login.' },
  );
}
