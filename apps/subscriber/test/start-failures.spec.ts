import { createSchema } from '@ssb/postgres';
import { createTestDatabase, runToEnd, type TestDatabase } from '@ssb/testing';
import { createTestEnvironment, type TestEnvironment } from './support/running-subscriber.js';

/** The app as it is shipped. */
const bundle = new URL('../../../../bundles/subscriber.js', import.meta.url).pathname;

let database: TestDatabase;
/** Address for the run role of a schema without migrations. */
let url: string;
let environment: TestEnvironment;

beforeAll(async () => {
  environment = createTestEnvironment('http://127.0.0.1:1', 'http://127.0.0.1:1');
  database = await createTestDatabase();
  const passwords = { run: 'run', migration: 'migration' };
  url = await createSchema(database.adminUrl, { schema: 'subscriber', migrations: [], passwords });
});

afterAll(async () => {
  await database.close();
  environment.remove();
});

describe('the subscriber ends with one sentence', () => {
  it.each([
    [
      'and 78 for a password that the database refuses',
      78,
      () => ({ DATABASE_URL: url.replace(':run@', ':hunter2@') }),
      /^ {2}The server refuses DATABASE_URL: password authentication failed for user "subscriber"\.$/m,
    ],
    [
      'and 1 for missing migrations, which a restart finds once they are applied',
      1,
      () => ({ DATABASE_URL: url }),
      /^ {2}The database schema subscriber lacks the migrations 001-.*, then start again\.$/m,
    ],
  ])('%s', async (_, expected, change, sentence) => {
    const variables = { ...environment.variables, LOG_FORMAT: 'json', ...change() };
    const { status, stderr, stdout } = await runToEnd(bundle, [], variables);
    expect(stderr).toMatch(/^subscriber cannot start: /);
    expect(stderr).toMatch(sentence);
    expect(status).toBe(expected);
    expect(stdout + stderr).not.toMatch(/hunter2| {4}at /);
  });
});
