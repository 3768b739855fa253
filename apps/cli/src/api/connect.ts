import { readFileSync } from 'node:fs';
import type { Profile } from '@ssb/keys';
import { NoProxyList, parseTlsFiles, listTlsFiles, type ClientConnection } from '@ssb/net';
import { readSettings } from '@ssb/platform';
import { CommandError, EXIT } from '../exit.js';
import { apiSettings, commandEnvironment } from '../settings.js';
import { profilesPath, readProfile } from './profiles.js';

/** How the archive API is reached, and as whom. */
export interface ApiAccess {
  readonly url: string;
  readonly token: string | undefined;
  readonly connection: ClientConnection;
}

/**
 * The bridge of `--profile` or BUSBRIDGE_PROFILE, otherwise that of BUSBRIDGE_URL, of a running `npm start`, or the default profile.
 * @throws CommandError when none is named, and errors of the files
 */
export function findApiAccess(profileName?: string): ApiAccess {
  const environment = commandEnvironment(profileName);
  const settings = readSettings(apiSettings, environment);
  const name = profileName ?? settings.BUSBRIDGE_PROFILE;
  const profile =
    name === undefined && settings.BUSBRIDGE_URL !== undefined
      ? toProfile(settings)
      : readProfile(profilesPath(environment), name);
  if (profile === undefined)
    throw new CommandError(
      'No bridge is named: set BUSBRIDGE_URL and BUSBRIDGE_TOKEN, write a profile, or run npm start in this clone. "busbridge --help" shows how.',
      EXIT.configuration,
    );
  const { HTTPS_PROXY: proxyUrl, NO_PROXY: except = NoProxyList.EMPTY } = settings;
  const files = { ca: profile.caFile, cert: profile.certificateFile, key: profile.keyFile };
  return {
    url: profile.url,
    token: checkToken(
      profile.token ?? (profile.tokenFile === undefined ? undefined : readToken(profile.tokenFile)),
    ),
    connection: {
      tls: parseTlsFiles(
        files,
        listTlsFiles(files).map((path) => readFileSync(path)),
      ).material,
      ...(proxyUrl !== undefined && { proxy: { url: proxyUrl, except } }),
    },
  };
}

type ApiSettings = ReturnType<typeof readSettings<typeof apiSettings>>;

function toProfile(settings: ApiSettings): Profile | undefined {
  const { BUSBRIDGE_URL: url } = settings;
  if (url === undefined) return undefined;
  return {
    url,
    token: settings.BUSBRIDGE_TOKEN,
    tokenFile: settings.BUSBRIDGE_TOKEN_FILE,
    caFile: settings.BUSBRIDGE_CA_FILE,
    certificateFile: settings.BUSBRIDGE_CERT_FILE,
    keyFile: settings.BUSBRIDGE_KEY_FILE,
  };
}

const readToken = (path: string): string => readFileSync(path, 'utf8').trim();

/** @throws CommandError for what no header may have */
function checkToken(token: string | undefined): string | undefined {
  if (token === undefined || /^[!-~]+$/.test(token)) return token;
  throw new CommandError(
    'The token of BUSBRIDGE_TOKEN, its file or the profile has spaces, line ends or letters that no token has: copy it again.',
    EXIT.configuration,
  );
}
