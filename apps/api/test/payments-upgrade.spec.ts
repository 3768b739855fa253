import { createSchema, Database } from '@ssb/postgres';
import { migrations, OBSOLETE_ROLES, SCHEMA } from '@ssb/postgres/archive-schema';
import { createTestDatabase, type TestDatabase } from '@ssb/testing';
import { archiveEvent, uuidOf } from '@ssb/testing/archived-events';

let server: TestDatabase;
let admin: Database;

const migrate = (count: number): Promise<string> =>
  createSchema(server.adminUrl, {
    schema: SCHEMA,
    migrations: migrations.slice(0, count),
    passwords: { run: 'run', migration: 'migration' },
    furtherRoles: { api: 'api', poller: 'poller' },
    obsoleteRoles: OBSOLETE_ROLES,
  });

beforeAll(async () => {
  server = await createTestDatabase();
  await migrate(migrations.findIndex(({ id }) => id.startsWith('015')));
  admin = new Database({ url: server.adminUrl, schema: SCHEMA });
});
afterAll(async () => {
  await admin.close();
  await server.close();
});

/** Each invoice is that of a run of its own. Events of an earlier release have no direction. */
const issue = (id: string, direction?: 'pay' | 'receive') =>
  archiveEvent(admin, 'invoice.issued', {
    event: { id: uuidOf(id) },
    data: { id, designation: id, direction, digest: 'a'.repeat(64) },
  });
const remind = (id: string, direction: 'pay' | 'receive') =>
  archiveEvent(admin, 'payment.due', {
    event: { id: uuidOf(`${id} reminder`) },
    data: {
      invoiceId: id,
      designation: id,
      periodFrom: '2026-03-01T00:00:00',
      direction,
      digest: 'a'.repeat(64),
      dayTotals: undefined,
    },
  });
const readDirections = async (): Promise<string[]> => {
  const rows = await admin.query<{ row: string }>(
    `SELECT concat_ws(' ', number, state, direction, CASE WHEN coalesce(reminded, direction IS NOT NULL) THEN 'reminded' END) AS row
     FROM invoice ORDER BY number`,
  );
  return rows.map(({ row }) => row);
};

it('invoices of an earlier archive have the direction of their events, and derive as new ones', async () => {
  await issue('I1');
  await issue('I2');
  await remind('I2', 'receive');
  await migrate(migrations.length);
  expect(await readDirections()).toEqual(['I1 issued', 'I2 issued receive reminded']);

  await issue('I3', 'pay');
  await remind('I3', 'pay');
  // The reversed invoice is not in the archive.
  await archiveEvent(admin, 'invoice.reversed', {
    data: {
      ...{ id: 'I5', designation: 'I4', direction: 'pay' },
      reversed: { id: 'I4', dueDate: '2026-04-02', payableAmount: '-5.00', direction: 'receive' },
    },
  });
  await issue('I6', 'receive');
  await admin.query('DELETE FROM archive WHERE event_id = $1', [uuidOf('I2 reminder')]);
  expect(await readDirections()).toEqual([
    'I1 issued',
    'I2 issued',
    'I3 issued pay reminded',
    'I4 reversed receive',
    'I5 issued pay',
    'I6 issued receive',
  ]);
});
