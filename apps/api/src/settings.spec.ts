import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger, readSettings } from '@ssb/platform';
import { accessProviders } from './access/access-providers.js';
import { definition } from './settings.js';

const REQUIRED = { DATABASE_URL: 'postgres://127.0.0.1/bridge', API_ACCESS_FILE: 'access.yaml' };
const read = (settings: Record<string, string>) => readSettings(definition, { ...REQUIRED, ...settings });

it.each<[Record<string, string>, RegExp]>([
  [{ OPENID_CONNECT_CLIENT_ID: 'console' }, /^CONSOLE_URL is not set; it takes an address such as https:/],
  [{ OPENID_CONNECT_CLIENT_SECRET_FILE: 'secret' }, /^OPENID_CONNECT_CLIENT_ID is not set; it takes/],
  [{ CONSOLE_URL: 'http://bridge.example' }, /^CONSOLE_URL is "http:\/\/bridge\.example", but it takes/],
  [{ CONSOLE_URL: 'https://bridge.example/console' }, /^CONSOLE_URL is .* without a path/],
  [{ OPENID_CONNECT_SCOPES: 'profile' }, /^OPENID_CONNECT_SCOPES is "profile", but it takes/],
  [{ SESSION_HOURS: '9' }, /^SESSION_HOURS is "9", but it takes a whole number from 1 to 8/],
])('refuses %j with a sentence', (settings, message) => {
  expect(() => read(settings)).toThrow(message);
});

it('refuses a client of an issuer that the access file does not name', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'settings-'));
  try {
    const path = join(folder, 'access.yaml');
    await writeFile(path, 'tokens: []');
    const issuer = { OPENID_CONNECT_CLIENT_ID: 'console', CONSOLE_URL: 'https://bridge.example' };
    const settings = read({ ...issuer, API_ACCESS_FILE: path });
    const log = createLogger({ name: 'api', level: 'silent', format: 'json' });
    await expect(accessProviders(settings, log)).rejects.toThrow('OPENID_CONNECT_CLIENT_ID is set, but');
  } finally {
    await rm(folder, { recursive: true });
  }
});
