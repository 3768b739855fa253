import { TokenSource, type HttpReceiverOptions } from '@ssb/net';
import { CREDENTIAL, type SinkFileNames } from './sink-files.js';
import type { SinkContext } from './sink-kind.js';

/** How the requests of a sink are authorized, and which headers they have. */
interface AccessConfig {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly headerFiles?: Readonly<Record<string, string>> | undefined;
  readonly bearerTokenFile?: string | undefined;
  readonly oauth?:
    | {
        readonly tokenUrl: string;
        readonly clientId: string;
        readonly clientSecretFile: string;
        readonly scope?: string | undefined;
        readonly audience?: string | undefined;
      }
    | undefined;
}

export function receiverFiles(
  { headerFiles = {}, bearerTokenFile, oauth }: AccessConfig,
  pathOf: SinkContext['pathOf'],
): SinkFileNames['texts'] {
  return [...Object.values(headerFiles), bearerTokenFile, oauth?.clientSecretFile]
    .filter((file) => file !== undefined)
    .map((file) => ({ path: pathOf(file), form: CREDENTIAL }));
}

/** The options of the receiver of a sink. The caller closes the token source. */
export function openReceiverAccess(
  config: AccessConfig,
  context: SinkContext,
): { readonly options: HttpReceiverOptions; readonly close: () => Promise<void> } {
  const { timeoutMs, responseLimitBytes, connections, files } = context;
  const tokens = openTokens(config, context);
  return {
    options: {
      url: config.url,
      timeoutMs,
      responseLimitBytes,
      connections,
      connection: files.connection,
      headers: () => readHeaders(config, context),
      tokens,
    },
    close: async () => tokens?.close(),
  };
}

function readHeaders(
  { headers = {}, headerFiles = {}, bearerTokenFile, oauth }: AccessConfig,
  { files, pathOf }: SinkContext,
): ReturnType<NonNullable<HttpReceiverOptions['headers']>> {
  const lowerCase = ([name, value]: readonly [string, string]) => [name.toLowerCase(), value] as const;
  const secret = Object.entries(headerFiles).map(
    ([name, file]) => [name.toLowerCase(), files.text(pathOf(file))] as const,
  );
  const token = bearerTokenFile && files.text(pathOf(bearerTokenFile));
  return {
    headers: {
      ...Object.fromEntries([...Object.entries(headers).map(lowerCase), ...secret]),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    secrets: [
      ...secret.map(([, value]) => value),
      ...(token === undefined ? [] : [token]),
      ...(oauth === undefined ? [] : [files.text(pathOf(oauth.clientSecretFile))]),
    ],
  };
}

function openTokens(
  { oauth }: AccessConfig,
  { files, pathOf, timeoutMs }: SinkContext,
): TokenSource | undefined {
  if (oauth === undefined) return undefined;
  const { tokenUrl, clientId, clientSecretFile, scope, audience } = oauth;
  const { origin, pathname, search } = new URL(tokenUrl);
  const account = () => ({ clientId, clientSecret: files.text(pathOf(clientSecretFile)) });
  const tokens = new TokenSource({
    authUrl: origin,
    tokenPath: pathname + search,
    ...account(),
    scope,
    audience,
    connection: files.connection,
    timeoutMs,
  });
  files.observe(() => tokens.renewCredentials(account()));
  return tokens;
}
