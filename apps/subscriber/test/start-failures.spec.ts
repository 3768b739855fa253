import { createSchema } from '@ssb/postgres';
import { createTestDatabase, runToEnd } from '@ssb/testing';
import { createTestEnvironment } from './support/running-subscriber.js';

/** The app as it is shipped. */
const bundle = new URL('../../../../bundles/subscriber.js', import.meta.url).pathname;

it('the subscriber ends with one sentence and 78 for a password that the database refuses', async () => {
  const environment = createTestEnvironment('http://127.0.0.1:1', 'http://127.0.0.1:1');
  const database = await createTestDatabase();
  const passwords = { run: 'run', migration: 'migration' };
  const url = await createSchema(database.adminUrl, { schema: 'subscriber', migrations: [], passwords });
  try {
    const { status, stderr, stdout } = await runToEnd(bundle, [], {
      ...environment.variables,
      LOG_FORMAT: 'json',
      DATABASE_URL: url.replace(':run@', ':hunter2@'),
    });
    expect(stderr).toMatch(/^subscriber cannot start: /);
    expect(stderr).toMatch(
      /^ {2}The server refuses DATABASE_URL: password authentication failed for user "subscriber"\.$/m,
    );
    expect(status).toBe(78);
    expect(stdout + stderr).not.toMatch(/hunter2| {4}at /);
  } finally {
    await database.close();
    environment.remove();
  }
});
