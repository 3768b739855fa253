import { TokenSource } from '@ssb/market';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RunningApp, STARTING_MS, startTokenApp } from './testing/running-app.js';

const SECRET = 'a+b %41:&=é and more';
let app: RunningApp;

beforeAll(async () => {
  app = await startTokenApp();
  await app.addAccount({ clientId: 'a b:c', secret: SECRET, scopes: 'A|P|R' });
}, STARTING_MS);

afterAll(async () => {
  await app.stop();
});

describe("the market's token source gets its token here", () => {
  it.each(['form', 'basic'] as const)('with awkward credentials by %s', async (clientAuthentication) => {
    // A colon cannot stand in a Basic user name unless it is encoded, which RFC 6749 §2.3.1 asks for.
    const source = new TokenSource({
      authUrl: app.url,
      clientId: 'a b:c',
      clientSecret: SECRET,
      clientAuthentication,
    });
    try {
      const token = await source.token();
      expect(token.scope).toBe('A|P|R');
      expect(token.expiresAt - token.obtainedAt).toBe(1_800_000);
    } finally {
      await source.close();
    }
  });

  it('and is told why not', async () => {
    const source = new TokenSource({ authUrl: app.url, clientId: 'a b:c', clientSecret: 'wrong' });
    try {
      await expect(source.token()).rejects.toMatchObject({
        name: 'TokenRefusedError',
        code: 'invalid_client',
      });
    } finally {
      await source.close();
    }
  });
});
