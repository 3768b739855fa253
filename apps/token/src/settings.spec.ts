import { readSettings } from '@ssb/platform';
import { definition, getIssuer } from './settings.js';

const REQUIRED = { DATABASE_URL: 'postgres://token@127.0.0.1/bridge', KEY_SECRET_FILE: 'key.secret' };

it.each([
  ['127.0.0.1', 'http://127.0.0.1:4001'],
  ['::1', 'http://[::1]:4001'],
  ['token.example', 'http://token.example:4001'],
])('the default issuer on HOST=%s is %s', (HOST, issuer) => {
  expect(getIssuer(readSettings(definition, { ...REQUIRED, HOST }))).toBe(issuer);
});

it.each(['https://example.com/?a=b', 'https://example.com/#a'])('%s is not an issuer', (ISSUER) => {
  expect(() => readSettings(definition, { ...REQUIRED, ISSUER })).toThrow(/ISSUER/);
});
