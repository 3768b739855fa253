import { runCommand } from './support/run-command.js';

describe('busbridge quarantine recheck', () => {
  it.each([
    [
      'no server runs at the address',
      'postgres://subscriber:secret@127.0.0.1:9/bridge',
      /^The database cannot be used: .*ECONNREFUSED.* Check DATABASE_URL and that the server runs\.\n$/,
    ],
    [
      'the address is of another protocol',
      'mysql://subscriber:secret@127.0.0.1/bridge',
      /DATABASE_URL.* an address that starts with postgres:\/\/ or postgresql:\/\//,
    ],
  ])('says what to do when %s, without the password', async (_, DATABASE_URL, expected) => {
    const { status, stderr } = await runCommand(['quarantine', 'recheck'], { DATABASE_URL });
    expect(status).toBe(1);
    expect(stderr).toMatch(expected);
    expect(stderr).not.toContain('secret');
  });
});
